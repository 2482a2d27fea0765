//! [`Notifications`]: wakes the readers of streams when another process has appended an event.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use redis::aio::PubSubSink;
use redis::{Msg, RedisResult};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::connection::{OPERATION_TIME, RedisConnections};

/// How often channels without readers are removed, and whether the connection works is checked.
const SWEEP_TIME: Duration = Duration::from_secs(10);
/// The first pause after the connection failed. It doubles with every failure.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause after the connection failed.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The maximum number of channels of one command.
const AT_ONCE: usize = 256;
/// The number of channels beyond which those without readers are removed at once.
const MANY: usize = 1024;

/// The subscriptions of all readers of this process, on one connection. There is a connection only
/// while there are subscriptions.
pub(super) struct Notifications {
    connections: Arc<RedisConnections>,
    channels: Arc<StreamChannels>,
    task: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct StreamChannels {
    by_name: Mutex<HashMap<String, StreamChannel>>,
    /// Notified when channels have to be subscribed to.
    added: Notify,
}

/// A channel of the server: the changes of one stream.
#[derive(Default)]
struct StreamChannel {
    changed: Arc<Notify>,
    readers: usize,
    /// Whether it had no readers at the latest sweep. Most readers return soon.
    was_unused: bool,
    is_subscribed: bool,
}

/// A reader of a stream.
pub(super) struct StreamListener {
    channels: Arc<StreamChannels>,
    name: String,
    changed: Arc<Notify>,
}

impl StreamListener {
    /// Waits until the stream may have changed.
    pub(super) fn notified(&self) -> Notified<'_> {
        self.changed.notified()
    }
}

impl Drop for StreamListener {
    fn drop(&mut self) {
        let mut channels = self.channels.lock();
        if let Some(channel) = channels.get_mut(&self.name) {
            channel.readers = channel.readers.saturating_sub(1);
        }
    }
}

impl Drop for Notifications {
    fn drop(&mut self) {
        let task = self.task.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = task {
            task.abort();
        }
    }
}

impl Notifications {
    pub(super) fn new(connections: Arc<RedisConnections>) -> Self {
        Self {
            connections,
            channels: Arc::default(),
            task: Mutex::default(),
        }
    }

    /// Adds a reader. It is also notified once the subscription is made.
    pub(super) fn listen(&self, name: &str) -> StreamListener {
        let changed = {
            let mut channels = self.channels.lock();
            let channel = channels.entry(name.to_owned()).or_default();
            channel.readers += 1;
            Arc::clone(&channel.changed)
        };
        self.channels.added.notify_one();
        let mut task = self.task.lock().unwrap_or_else(PoisonError::into_inner);
        if task.as_ref().is_none_or(JoinHandle::is_finished) {
            let (connections, channels) = (self.connections.clone(), self.channels.clone());
            *task = Some(tokio::spawn(
                async move { channels.receive(&connections).await },
            ));
        }
        StreamListener {
            channels: Arc::clone(&self.channels),
            name: name.to_owned(),
            changed,
        }
    }
}

impl StreamChannels {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, StreamChannel>> {
        self.by_name.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Receives notifications, and connects again whenever that fails. Never finishes.
    async fn receive(&self, connections: &RedisConnections) {
        let mut pause = FIRST_PAUSE;
        loop {
            if self.lock().is_empty() {
                self.added.notified().await;
                continue;
            }
            // Errors are not logged: readers look for events without being notified, and report
            // that the server cannot be reached.
            if let Ok(connection) = connections.subscriptions().await {
                let (mut commands, messages) = connection.split();
                let messages = std::pin::pin!(messages);
                if self
                    .receive_from(&mut commands, messages, &mut pause)
                    .await
                    .is_ok()
                {
                    continue;
                }
            }
            self.lock().retain(|_, channel| {
                channel.is_subscribed = false;
                channel.readers > 0
            });
            sleep(pause).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// Receives notifications until there are no channels, or until the connection fails.
    async fn receive_from(
        &self,
        commands: &mut PubSubSink,
        mut messages: std::pin::Pin<&mut (impl futures_util::Stream<Item = Msg> + Send)>,
        pause: &mut Duration,
    ) -> RedisResult<()> {
        let mut sweep = std::pin::pin!(sleep(SWEEP_TIME));
        let mut has_new = true;
        loop {
            if std::mem::take(&mut has_new) {
                self.subscribe(commands).await?;
                *pause = FIRST_PAUSE;
            }
            // Not in this order, or many messages would keep new readers waiting.
            tokio::select! {
                message = messages.next() => match message {
                    Some(message) => self.notify(message.get_channel_name()),
                    None => return Err(lost()),
                },
                () = self.added.notified() => has_new = true,
                () = &mut sweep => {
                    sweep.set(sleep(SWEEP_TIME));
                    self.unsubscribe(commands).await?;
                    if self.lock().is_empty() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Wakes the readers of a channel.
    fn notify(&self, name: &str) {
        if let Some(channel) = self.lock().get(name) {
            channel.changed.notify_waiters();
        }
    }

    /// Subscribes to new channels.
    async fn subscribe(&self, commands: &mut PubSubSink) -> RedisResult<()> {
        loop {
            let (new, are_many): (Vec<String>, bool) = {
                let channels = self.lock();
                let new = channels
                    .iter()
                    .filter(|(_, channel)| !channel.is_subscribed);
                let new = new.map(|(name, _)| name.clone()).take(AT_ONCE);
                (new.collect(), channels.len() > MANY)
            };
            if new.is_empty() {
                return Ok(());
            }
            answered(commands.subscribe(&new)).await?;
            for name in &new {
                if let Some(channel) = self.lock().get_mut(name) {
                    channel.is_subscribed = true;
                    // Events from before are not notified.
                    channel.changed.notify_waiters();
                }
            }
            if are_many {
                self.unsubscribe(commands).await?;
            }
        }
    }

    /// Unsubscribes from channels that had no readers since the latest call, and checks that the
    /// connection works.
    async fn unsubscribe(&self, commands: &mut PubSubSink) -> RedisResult<()> {
        let mut unused = Vec::new();
        self.lock().retain(|name, channel| {
            let is_unused = channel.readers == 0 && channel.was_unused;
            channel.was_unused = channel.readers == 0;
            if is_unused {
                unused.push(name.clone());
            }
            !is_unused
        });
        for names in unused.chunks(AT_ONCE) {
            answered(commands.unsubscribe(names)).await?;
        }
        answered(commands.ping()).await
    }
}

/// Waits for the reply to a command.
async fn answered(reply: impl Future<Output = RedisResult<()>>) -> RedisResult<()> {
    timeout(OPERATION_TIME, reply).await.map_err(|_| lost())?
}

/// Returns the error of a connection that cannot be used.
fn lost() -> redis::RedisError {
    std::io::Error::from(std::io::ErrorKind::ConnectionAborted).into()
}
