//! [`BusLink`]: the connection of a server to its [`Bus`].

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use mcp_types::peer_text::Chain;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::protocol::changes::{Announced, Change, ChangeParams, add_pending, params_bytes};
use crate::protocol::metrics::StoreMetrics;
use crate::protocol::store::message::{AnyChange, BusMessage};
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
    pub(crate) fn attach<R: BusReceiver + 'static>(&self, receiver: &Arc<R>) {
        let receiver: Weak<dyn BusReceiver> = Arc::<R>::downgrade(receiver);
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

/// The maximum number of changes that wait.
const MOST: usize = 10_000;
/// The maximum size of the URIs and params that wait, in bytes.
const MOST_BYTES: usize = 1 << 20;
/// The maximum number of changes of one message.
const AT_ONCE: usize = 256;
/// The maximum size of the URIs and params of one message in bytes, unless it has a single change.
const BYTES_AT_ONCE: usize = 64 << 10;

/// The changes that wait to be published. Each is stored once. If there are too many, because the
/// bus fails for long, they are replaced by a message that anything may have changed.
#[derive(Default)]
pub(crate) struct Outbox {
    waiting: Mutex<WaitingChanges>,
    added: Notify,
}

#[derive(Default)]
struct WaitingChanges {
    changes: BTreeMap<Change, ChangeParams>,
    bytes: usize,
    is_everything: bool,
}

impl Outbox {
    /// Adds a change.
    pub(crate) fn add(&self, announced: impl Into<Announced>) {
        let Announced { change, params, .. } = announced.into();
        {
            let mut waiting = lock(&self.waiting);
            if waiting.is_everything {
                return;
            }
            let (uri, added) = (uri_bytes(&change), params_bytes(&params));
            match add_pending(&mut waiting.changes, change, params) {
                None => waiting.bytes += uri + added,
                Some(former) if added > 0 => {
                    waiting.bytes = waiting.bytes + added - params_bytes(&former);
                }
                Some(_) => {}
            }
            if waiting.changes.len() > MOST || waiting.bytes > MOST_BYTES {
                *waiting = WaitingChanges {
                    is_everything: true,
                    ..WaitingChanges::default()
                };
            }
        }
        self.added.notify_one();
    }

    /// Waits for changes, and removes them. Cancel safe.
    pub(crate) async fn next(&self) -> BusMessage {
        loop {
            if let Some(message) = lock(&self.waiting).take() {
                return message;
            }
            self.added.notified().await;
        }
    }

    /// Returns the number of changes that wait.
    pub(crate) fn len(&self) -> usize {
        let waiting = lock(&self.waiting);
        waiting.changes.len() + usize::from(waiting.is_everything)
    }
}

impl WaitingChanges {
    fn take(&mut self) -> Option<BusMessage> {
        if std::mem::take(&mut self.is_everything) {
            return Some(BusMessage::Everything);
        }
        let mut changes = Vec::new();
        let mut bytes = 0;
        while changes.len() < AT_ONCE
            && let Some((change, params)) = self.changes.first_key_value()
        {
            let size = uri_bytes(change) + params_bytes(params);
            if !changes.is_empty() && bytes + size > BYTES_AT_ONCE {
                break;
            }
            bytes += size;
            changes.extend(self.changes.pop_first().map(AnyChange::from));
        }
        self.bytes -= bytes;
        (!changes.is_empty()).then_some(BusMessage::Changes(changes))
    }
}

/// Returns the size of the URI of a change in bytes.
fn uri_bytes(change: &Change) -> usize {
    match change {
        Change::Resource(uri) => uri.len(),
        Change::Tools | Change::Prompts | Change::Resources => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(at: usize) -> Change {
        Change::Resource(format!("test://{at}"))
    }

    #[tokio::test]
    async fn changes_are_sent_once_and_in_bounded_messages() {
        let outbox = Outbox::default();
        for _ in 0..3 {
            outbox.add(Change::Tools);
            for at in 0..AT_ONCE {
                outbox.add(resource(at));
            }
        }
        assert_eq!(outbox.len(), AT_ONCE + 1);
        let mut sizes = Vec::new();
        for _ in 0..2 {
            let BusMessage::Changes(changes) = outbox.next().await else {
                panic!("expected a list of changes");
            };
            sizes.push(changes.len());
        }
        assert_eq!((sizes, outbox.len()), (vec![AT_ONCE, 1], 0));
    }

    #[tokio::test]
    async fn too_many_changes_become_one_message() {
        let outbox = Outbox::default();
        for at in 0..2 * MOST {
            outbox.add(resource(at));
        }
        assert!(outbox.len() < MOST);
        let long = "x".repeat(MOST_BYTES);
        assert!(matches!(outbox.next().await, BusMessage::Everything));
        outbox.add(Change::Resource(long + "x"));
        assert!(matches!(outbox.next().await, BusMessage::Everything));
        outbox.add(Change::Tools);
        assert!(matches!(outbox.next().await, BusMessage::Changes(changes) if changes.len() == 1));
    }
}
