//! [`Stores`]: the stores of a server, with a time limit and counters for every operation.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::link::BusLink;
#[cfg(feature = "http")]
use super::{EventPage, EventStore, StreamKey};
use crate::protocol::metrics::StoreMetrics;
use crate::protocol::store::{
    Bus, Put, PutOutcome, StoreError, StoreFuture, ValueStore, VersionedValue,
};

/// The stores of a server.
pub(crate) struct Stores {
    values: Arc<dyn ValueStore>,
    /// Whether other processes have the same values.
    #[cfg(any(feature = "http", feature = "tasks"))]
    pub(crate) values_are_shared: bool,
    #[cfg(feature = "http")]
    events: Arc<dyn EventStore>,
    /// Whether other processes have the same events.
    #[cfg(feature = "http")]
    pub(crate) events_are_shared: bool,
    pub(crate) bus: Option<BusLink>,
    /// The id of this process, which no other process has: 16 hexadecimal digits. It is no secret.
    #[cfg(any(feature = "http", feature = "tasks"))]
    pub(crate) process: String,
    /// The number of stream ids so far.
    #[cfg(feature = "http")]
    streams: AtomicU64,
    time: Duration,
    counters: StoreCounters,
}

/// The stores that a program sets. The others are in memory.
#[derive(Clone, Default)]
pub(crate) struct StoreSettings {
    pub(crate) values: Option<Arc<dyn ValueStore>>,
    #[cfg(feature = "http")]
    pub(crate) events: Option<Arc<dyn EventStore>>,
    pub(crate) bus: Option<Arc<dyn Bus>>,
}

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
struct StoreCounters {
    operations: AtomicU64,
    failures: AtomicU64,
    running: AtomicUsize,
    micros: AtomicU64,
}

/// The time after which a process that has not recorded that it runs is taken to have ended.
#[cfg(any(feature = "http", feature = "tasks"))]
const RUNNING_TIME: Duration = Duration::from_secs(30);
/// How often a process records that it runs.
#[cfg(any(feature = "http", feature = "tasks"))]
pub(crate) const RECORD_INTERVAL: Duration = Duration::from_secs(5);

/// Returns the key under which a process records that it runs.
#[cfg(any(feature = "http", feature = "tasks"))]
fn running_key(process: &str) -> String {
    format!("process:{process}")
}

/// Counts an operation while it runs.
struct Running<'a>(&'a StoreCounters, Instant);

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
        let process = format!("{:016x}", RandomState::new().build_hasher().finish());
        Self {
            #[cfg(any(feature = "http", feature = "tasks"))]
            values_are_shared: settings.values.is_some(),
            values: settings.values.unwrap_or(memory),
            #[cfg(feature = "http")]
            events_are_shared: settings.events.is_some(),
            #[cfg(feature = "http")]
            events: settings.events.unwrap_or(events),
            bus: settings.bus.map(|bus| BusLink::new(bus, &process, time)),
            #[cfg(any(feature = "http", feature = "tasks"))]
            process,
            #[cfg(feature = "http")]
            streams: AtomicU64::new(0),
            time,
            counters: StoreCounters::default(),
        }
    }

    /// Returns `true` if other processes can continue what this one began, and pass messages on to
    /// it.
    #[cfg(feature = "http")]
    pub(crate) fn connect_processes(&self) -> bool {
        self.values_are_shared && self.events_are_shared && self.bus.is_some()
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

#[cfg(any(feature = "http", feature = "tasks"))]
impl Stores {
    pub(crate) async fn keys(&self, group: &str, most: usize) -> Result<Vec<String>, StoreError> {
        self.limited(self.values.keys(group, most)).await
    }

    /// Records that this process runs, for [`is_running`](Self::is_running) at others.
    pub(crate) async fn record_running(&self) -> Result<(), StoreError> {
        let put = Put {
            key: &running_key(&self.process),
            value: b"1",
            time_to_live: RUNNING_TIME,
            condition: crate::protocol::store::Condition::Any,
            group: None,
        };
        self.put(put).await.map(|_| ())
    }

    /// Returns `true` if the process that created a stream or a task has recorded that it runs, or if
    /// that cannot be known. The id begins with that of the process.
    pub(crate) async fn is_running(&self, id: &str) -> Result<bool, StoreError> {
        let process = id.get(..self.process.len());
        let Some(process) = process.filter(|_| self.values_are_shared) else {
            return Ok(true);
        };
        Ok(process == self.process || self.get(&running_key(process)).await?.is_some())
    }
}

#[cfg(feature = "http")]
impl Stores {
    pub(crate) async fn open_stream(
        &self,
        stream: StreamKey<'_>,
        about: &[u8],
        kept: Duration,
    ) -> Result<(), StoreError> {
        self.limited(self.events.open(stream, about, kept)).await
    }

    pub(crate) async fn about_stream(
        &self,
        stream: StreamKey<'_>,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.limited(self.events.about(stream)).await
    }

    /// Returns an id for a stream that no other stream of any process has: the id of this process,
    /// and a number.
    pub(crate) fn new_stream_id(&self) -> String {
        let number = self.streams.fetch_add(1, Ordering::Relaxed);
        format!("{}{number:x}", self.process)
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
