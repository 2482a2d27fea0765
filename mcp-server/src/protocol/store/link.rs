//! [`BusLink`]: the connection of a server to its [`Bus`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use mcp_types::peer_text::Chain;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::message::BusMessage;
use super::outbox::Outbox;
use crate::protocol::changes::Announced;
use crate::protocol::metrics::StoreMetrics;
use crate::protocol::store::{Bus, BusPage, StoreError};
use crate::util::lock::lock;

/// The longest time that one call of [`Bus::receive`] may wait.
const RECEIVE_TIME: Duration = Duration::from_secs(60);
/// The first pause after the bus failed. It doubles with every failure.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause after the bus failed.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Receives the messages of other processes.
pub(crate) trait BusReceiver: Send + Sync {
    /// Processes one message. Does not block.
    fn receive(&self, message: &BusMessage);
}

/// The connection of a server to its bus: one task that sends changes, and one that receives
/// messages. Both end when the link is dropped.
pub(crate) struct BusLink {
    shared: Arc<LinkState>,
    tasks: Mutex<Option<LinkTasks>>,
}

/// What the tasks use.
struct LinkState {
    bus: Arc<dyn Bus>,
    /// The id of this process in messages.
    id: String,
    time: Duration,
    outbox: Outbox,
    receivers: Mutex<Vec<Weak<dyn BusReceiver>>>,
    is_connected: AtomicBool,
    published: AtomicU64,
    received: AtomicU64,
    missed: AtomicU64,
}

struct LinkTasks {
    send: JoinHandle<()>,
    receive: JoinHandle<()>,
}

impl Drop for LinkTasks {
    fn drop(&mut self) {
        self.send.abort();
        self.receive.abort();
    }
}

impl BusLink {
    /// Creates the link of the process with this id.
    pub(crate) fn new(bus: Arc<dyn Bus>, id: &str, time: Duration) -> Self {
        Self {
            shared: Arc::new(LinkState {
                bus,
                id: id.to_owned(),
                time,
                outbox: Outbox::default(),
                receivers: Mutex::default(),
                is_connected: AtomicBool::new(false),
                published: AtomicU64::new(0),
                received: AtomicU64::new(0),
                missed: AtomicU64::new(0),
            }),
            tasks: Mutex::default(),
        }
    }

    /// Adds a receiver, which is removed when it is dropped.
    pub(crate) fn attach(&self, receiver: Weak<dyn BusReceiver>) {
        let mut all = lock(&self.shared.receivers);
        all.retain(|known| known.strong_count() > 0);
        all.push(receiver);
        drop(all);
        self.start();
    }

    /// Starts the tasks, unless they run. Does nothing outside a runtime of tokio: everything that
    /// serves starts them again.
    pub(crate) fn start(&self) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let mut tasks = lock(&self.tasks);
        let runs = tasks.as_ref();
        if runs.is_some_and(|it| !it.send.is_finished() && !it.receive.is_finished()) {
            return;
        }
        *tasks = Some(LinkTasks {
            send: runtime.spawn(Arc::clone(&self.shared).send_changes()),
            receive: runtime.spawn(Arc::clone(&self.shared).receive_messages()),
        });
    }

    /// Sends a change to the other processes, soon. Does not block.
    pub(crate) fn announce(&self, announced: Announced) {
        self.shared.outbox.add(announced);
        self.start();
    }

    /// Sends a message to the other processes. Once this has returned, they will receive it.
    #[cfg(any(feature = "http", feature = "tasks"))]
    pub(crate) async fn publish(&self, message: &BusMessage) -> Result<(), StoreError> {
        self.shared.publish(message).await
    }

    /// Returns the gauges and counters of the bus.
    pub(crate) fn metrics(&self) -> StoreMetrics {
        let shared = &self.shared;
        StoreMetrics {
            bus_connected: shared.is_connected.load(Ordering::Relaxed),
            bus_waiting: shared.outbox.len(),
            bus_published: shared.published.load(Ordering::Relaxed),
            bus_received: shared.received.load(Ordering::Relaxed),
            bus_missed: shared.missed.load(Ordering::Relaxed),
            ..StoreMetrics::default()
        }
    }
}

/// Returns the pause after another failure.
fn longer(pause: Duration) -> Duration {
    (pause * 2).min(LONGEST_PAUSE)
}

impl LinkState {
    async fn publish(&self, message: &BusMessage) -> Result<(), StoreError> {
        let bytes = message.to_bytes(&self.id).map_err(StoreError::unreadable)?;
        let published = timeout(self.time, self.bus.publish(&bytes)).await;
        published.map_err(|_| StoreError::TimedOut(self.time))??;
        self.published.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Publishes changes, each until it has succeeded. Never finishes.
    async fn send_changes(self: Arc<Self>) {
        loop {
            let message = self.outbox.next().await;
            let mut pause = FIRST_PAUSE;
            while let Err(error) = self.publish(&message).await {
                if pause == FIRST_PAUSE {
                    tracing::warn!(error = %Chain(&error), "cannot publish changes; trying again");
                }
                sleep(pause).await;
                pause = longer(pause);
            }
        }
    }

    /// Receives messages. Never finishes.
    async fn receive_messages(self: Arc<Self>) {
        let mut position: Option<String> = None;
        let mut pause = FIRST_PAUSE;
        // Messages before the first position are of no interest, unless the bus could not be
        // reached: this process may have had clients already.
        let mut missed = false;
        loop {
            let page = timeout(RECEIVE_TIME, self.bus.receive(position.as_deref())).await;
            let page = page.unwrap_or(Err(StoreError::TimedOut(RECEIVE_TIME)));
            let page = match page {
                Ok(page) => page,
                Err(error) => {
                    if pause == FIRST_PAUSE {
                        tracing::warn!(error = %Chain(&error), "cannot read the bus; trying again");
                    }
                    self.is_connected.store(false, Ordering::Relaxed);
                    missed |= position.is_none();
                    sleep(pause).await;
                    pause = longer(pause);
                    continue;
                }
            };
            self.is_connected.store(true, Ordering::Relaxed);
            pause = FIRST_PAUSE;
            self.pass_on(&page, std::mem::take(&mut missed) || page.missed);
            position = Some(page.position);
        }
    }

    fn pass_on(&self, page: &BusPage, missed: bool) {
        if missed {
            tracing::warn!("messages of the bus were lost: all subscribers are notified");
            self.missed.fetch_add(1, Ordering::Relaxed);
            self.deliver(&BusMessage::Everything);
        }
        for bytes in &page.messages {
            self.received.fetch_add(1, Ordering::Relaxed);
            match BusMessage::from_bytes(bytes) {
                // The subscribers of this process have them already.
                Ok((BusMessage::Changes(_) | BusMessage::Everything, from)) if from == self.id => {}
                Ok((message, _)) => self.deliver(&message),
                Err(error) => {
                    tracing::warn!(error = %Chain(&error), "skipped a message of another release");
                }
            }
        }
    }

    fn deliver(&self, message: &BusMessage) {
        let receivers = lock(&self.receivers).clone();
        for receiver in receivers.iter().filter_map(Weak::upgrade) {
            receiver.receive(message);
        }
    }
}
