//! [`ChangeListener`]: the connection of a process that receives notifications for all its readers.

use std::collections::HashMap;
use std::error::Error;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_server::StreamKey;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::{AsyncMessage, Notification};

use super::connections::{STATEMENT_TIME, Target};
use super::error::DatabaseError;
use super::names::Names;

/// How often the connection is checked.
const CHECK_TIME: Duration = Duration::from_secs(10);
/// How often readers look for news while there is no connection.
const POLL_TIME: Duration = Duration::from_secs(1);
/// The first pause before the connection is made again. It doubles with every failure.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause before the connection is made again.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Wakes the readers of a process.
#[derive(Default)]
pub(crate) struct ChangeListener {
    pub(crate) published: Notify,
    /// The streams that readers wait for.
    streams: Mutex<HashMap<String, Arc<Notify>>>,
    is_connected: AtomicBool,
}

/// Receives the notifications of a stream.
pub(crate) struct StreamWatch<'a> {
    listener: &'a ChangeListener,
    name: String,
    pub(crate) changed: Arc<Notify>,
}

impl Drop for StreamWatch<'_> {
    fn drop(&mut self) {
        let mut streams = self.listener.streams();
        // Before the count, so that the last of several readers that end at once sees itself alone.
        drop(std::mem::take(&mut self.changed));
        let is_unused = |changed: &Arc<Notify>| Arc::strong_count(changed) == 1;
        if streams.get(&self.name).is_some_and(is_unused) {
            streams.remove(&self.name);
        }
    }
}

impl ChangeListener {
    fn streams(&self) -> MutexGuard<'_, HashMap<String, Arc<Notify>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts to receive the notifications of a stream.
    pub(crate) fn watch(&self, stream: StreamKey<'_>) -> StreamWatch<'_> {
        // What the function `append` sends: not the session, whose id may be a credential, because every
        // role of the database can listen. Names of streams that are equal only wake needlessly.
        let name = stream.stream.to_owned();
        let mut streams = self.streams();
        let changed = Arc::clone(streams.entry(name.clone()).or_default());
        StreamWatch {
            listener: self,
            name,
            changed,
        }
    }

    /// Waits until a reader should look for news. Returns `false` at the end of its time.
    pub(crate) async fn wait(&self, news: Pin<&mut Notified<'_>>, end: Instant) -> bool {
        let until = if self.is_connected.load(Ordering::Relaxed) {
            end
        } else {
            end.min(Instant::now() + POLL_TIME)
        };
        timeout_at(until, news).await.is_ok() || until < end
    }

    fn received(&self, notification: &Notification, bus: &str) {
        if notification.channel() == bus {
            self.published.notify_waiters();
        } else if let Some(changed) = self.streams().get(notification.payload()) {
            changed.notify_waiters();
        }
    }

    /// Notes whether there is a connection, and lets all readers look for what they missed.
    fn set_connected(&self, is_connected: bool) {
        self.is_connected.store(is_connected, Ordering::Relaxed);
        self.published.notify_waiters();
        for changed in self.streams().values() {
            changed.notify_waiters();
        }
    }

    /// Keeps the connection. Never finishes.
    pub(crate) async fn run(self: Arc<Self>, target: Target, names: Names) {
        let mut pause = FIRST_PAUSE;
        loop {
            let lost = Arc::clone(&self).listen(&target, &names).await;
            if self.is_connected.load(Ordering::Relaxed) {
                pause = FIRST_PAUSE;
                self.set_connected(false);
            }
            if pause == FIRST_PAUSE {
                tracing::warn!(
                    error = &lost as &(dyn Error + 'static),
                    "cannot listen to PostgreSQL; trying again"
                );
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Listens until the connection is lost.
    async fn listen(self: Arc<Self>, target: &Target, names: &Names) -> DatabaseError {
        let connecting = target.config.connect(target.tls.clone());
        let (client, mut connection) = match timeout(STATEMENT_TIME, connecting).await {
            Ok(Ok(connected)) => connected,
            Ok(Err(error)) => return error.into(),
            Err(_) => return DatabaseError::timed_out(),
        };
        let (bus, events) = (names.channel("bus"), names.channel("events"));
        let listen = format!("LISTEN \"{bus}\"; LISTEN \"{events}\"");
        let listener = Arc::clone(&self);
        // Closes the connection when this future is dropped.
        let mut receiving = JoinSet::new();
        receiving.spawn(async move {
            while let Some(Ok(message)) = poll_fn(|task| connection.poll_message(task)).await {
                if let AsyncMessage::Notification(notification) = message {
                    listener.received(&notification, &bus);
                }
            }
        });
        let mut statement = listen.as_str();
        loop {
            match timeout(STATEMENT_TIME, client.batch_execute(statement)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return error.into(),
                Err(_) => return DatabaseError::timed_out(),
            }
            if !std::mem::take(&mut statement).is_empty() {
                self.set_connected(true);
            }
            // Ends early if the connection is lost. The next statement then reports it.
            let _ = timeout(CHECK_TIME, receiving.join_next()).await;
        }
    }
}
