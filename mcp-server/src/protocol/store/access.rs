//! [`Stores`]: the stores of a server, with a time limit and counters for every operation.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::bus::Bus;
#[cfg(feature = "http")]
use super::events::{EventPage, EventStore, StreamKey};
use super::link::BusLink;
use super::values::{Put, PutOutcome, ValueStore, VersionedValue};
use super::{StoreError, StoreFuture};
use crate::protocol::metrics::StoreMetrics;

/// The stores of a server.
pub(crate) struct Stores {
    values: Arc<dyn ValueStore>,
    /// Whether other processes have the same values.
    pub(crate) values_are_shared: bool,
    #[cfg(feature = "http")]
    events: Arc<dyn EventStore>,
    /// Whether other processes have the same events.
    #[cfg(feature = "http")]
    pub(crate) events_are_shared: bool,
    pub(crate) bus: Option<BusLink>,
    time: Duration,
    counters: Counters,
}

/// The stores that a program sets. The others are in memory.
#[derive(Clone, Default)]
pub(crate) struct StoreSettings {
    pub(crate) values: Option<Arc<dyn ValueStore>>,
    #[cfg(feature = "http")]
    pub(crate) events: Option<Arc<dyn EventStore>>,
    pub(crate) bus: Option<Arc<dyn Bus>>,
}

#[cfg(feature = "_seal")]
impl StoreSettings {
    /// Returns `true` if the program sets any store, which is usually shared by processes.
    pub(crate) fn are_set(&self) -> bool {
        #[cfg(feature = "http")]
        let has_events = self.events.is_some();
        #[cfg(not(feature = "http"))]
        let has_events = false;
        has_events || self.values.is_some() || self.bus.is_some()
    }
}

#[derive(Default)]
struct Counters {
    operations: AtomicU64,
    failures: AtomicU64,
    running: AtomicUsize,
    micros: AtomicU64,
}

/// Counts an operation while it runs.
struct Running<'a>(&'a Counters, Instant);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let micros = u64::try_from(self.1.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.micros.fetch_add(micros, Ordering::Relaxed);
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Stores {
    /// Creates the stores. `memory` has what the program does not set.
    pub(crate) fn new(
        settings: StoreSettings,
        memory: Arc<dyn ValueStore>,
        #[cfg(feature = "http")] events: Arc<dyn EventStore>,
        time: Duration,
    ) -> Self {
        Self {
            values_are_shared: settings.values.is_some(),
            values: settings.values.unwrap_or(memory),
            #[cfg(feature = "http")]
            events_are_shared: settings.events.is_some(),
            #[cfg(feature = "http")]
            events: settings.events.unwrap_or(events),
            bus: settings.bus.map(|bus| BusLink::new(bus, time)),
            time,
            counters: Counters::default(),
        }
    }

    pub(crate) async fn get(&self, key: &str) -> Result<Option<VersionedValue>, StoreError> {
        self.limited(self.values.get(key)).await
    }

    pub(crate) async fn put(&self, put: Put<'_>) -> Result<PutOutcome, StoreError> {
        self.limited(self.values.put(put)).await
    }

    pub(crate) async fn remove(&self, key: &str) -> Result<bool, StoreError> {
        self.limited(self.values.remove(key)).await
    }

    pub(crate) async fn keys(&self, group: &str, most: usize) -> Result<Vec<String>, StoreError> {
        self.limited(self.values.keys(group, most)).await
    }

    /// Runs an operation of a store. Limits its time, and counts it.
    async fn limited<T>(&self, operation: StoreFuture<'_, T>) -> Result<T, StoreError> {
        let counters = &self.counters;
        counters.operations.fetch_add(1, Ordering::Relaxed);
        counters.running.fetch_add(1, Ordering::Relaxed);
        let _running = Running(counters, Instant::now());
        let done = timeout(self.time, operation).await;
        let done = done.unwrap_or(Err(StoreError::TimedOut(self.time)));
        if done.is_err() {
            counters.failures.fetch_add(1, Ordering::Relaxed);
        }
        done
    }

    pub(crate) fn metrics(&self) -> StoreMetrics {
        let counters = &self.counters;
        let metrics = self.bus.as_ref().map(BusLink::metrics);
        StoreMetrics {
            operations: counters.operations.load(Ordering::Relaxed),
            failures: counters.failures.load(Ordering::Relaxed),
            running: counters.running.load(Ordering::Relaxed),
            micros: counters.micros.load(Ordering::Relaxed),
            ..metrics.unwrap_or_default()
        }
    }
}

#[cfg(feature = "http")]
impl Stores {
    pub(crate) async fn open_stream(
        &self,
        stream: StreamKey<'_>,
        kept: Duration,
    ) -> Result<(), StoreError> {
        self.limited(self.events.open(stream, kept)).await
    }

    pub(crate) async fn append_event(
        &self,
        stream: StreamKey<'_>,
        number: u64,
        message: Option<bytes::Bytes>,
        kept: Duration,
    ) -> Result<(), StoreError> {
        let appended = self.events.append(stream, number, message, kept);
        self.limited(appended).await
    }

    /// Reads events. Not limited in time, because it waits for events; a store that is slow delays
    /// only the connection that reads.
    pub(crate) async fn read_events(
        &self,
        stream: StreamKey<'_>,
        after: u64,
    ) -> Result<Option<EventPage>, StoreError> {
        self.events.read(stream, after).await
    }

    pub(crate) async fn remove_events(&self, session: &str) -> Result<(), StoreError> {
        self.limited(self.events.remove_session(session)).await
    }
}
