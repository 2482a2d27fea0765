//! The events of legacy streams.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use mcp_server::{EventPage, StoreError, StreamKey};
use redis::Script;
use tokio::time::{Instant, timeout_at};

use super::RedisParts;
use super::values::millis;

static OPEN: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/open.lua")));
static ABOUT: LazyLock<Script> =
    LazyLock::new(|| Script::new("return redis.call('HGET', KEYS[1], 'about')"));
static APPEND: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/append.lua")));
static READ: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("scripts/read.lua")));
static REMOVE_SESSION: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("scripts/remove_session.lua")));

/// The maximum number of streams of a session.
const STREAMS: usize = 64;
/// The maximum number of events of a stream.
const EVENTS: usize = 256;
/// The maximum size of the events of a stream in bytes. The newest is kept even if it is larger.
const STREAM_BYTES: usize = 1 << 20;
/// The time after which a read without events returns.
const READ_TIME: Duration = Duration::from_secs(5);
/// The time after which a read looks for events that it was not notified of.
const POLL_TIME: Duration = Duration::from_secs(2);
/// The time after which a read that failed is tried again.
const RETRY_TIME: Duration = Duration::from_millis(200);

impl RedisParts {
    /// Returns the key of a stream, which is also the channel of its notifications. Sessions may
    /// contain the separator, so their length is a part of it.
    fn stream_key(&self, key: StreamKey<'_>) -> String {
        let StreamKey { session, stream } = key;
        format!("{}stream:{}:{session}:{stream}", self.prefix, session.len())
    }

    fn session_key(&self, session: &str) -> String {
        format!("{}streams:{session}", self.prefix)
    }

    pub(super) async fn open(
        &self,
        key: StreamKey<'_>,
        about: &[u8],
        kept: Duration,
    ) -> Result<(), StoreError> {
        let mut script = OPEN.key(self.stream_key(key));
        script.key(self.session_key(key.session));
        script.arg(millis(kept)).arg(STREAMS).arg(about);
        self.connections.run(&script).await
    }

    pub(super) async fn about(&self, key: StreamKey<'_>) -> Result<Option<Vec<u8>>, StoreError> {
        let script = ABOUT.key(self.stream_key(key));
        self.connections.run(&script).await
    }

    pub(super) async fn append(
        &self,
        key: StreamKey<'_>,
        number: u64,
        message: Option<Bytes>,
        kept: Duration,
    ) -> Result<(), StoreError> {
        let mut script = APPEND.key(self.stream_key(key));
        script.key(self.session_key(key.session));
        script.arg(number);
        script.arg(if message.is_some() { "event" } else { "end" });
        script.arg(message.as_deref().unwrap_or_default());
        script.arg(millis(kept)).arg(EVENTS).arg(STREAM_BYTES);
        self.connections.run(&script).await
    }

    /// Reads events. If the stream has no new event, waits for one. While the server cannot be
    /// reached, tries again, so that a client does not lose its connection when the server is
    /// restarted.
    pub(super) async fn read(
        &self,
        key: StreamKey<'_>,
        after: u64,
    ) -> Result<Option<EventPage>, StoreError> {
        let stream = self.stream_key(key);
        let end = Instant::now() + READ_TIME;
        if let Ok(done) = self.try_read(&stream, after, end).await {
            return done;
        }
        let listener = self.notifications.listen(&stream);
        loop {
            let notified = listener.notified();
            let mut notified = std::pin::pin!(notified);
            // Enabled before the stream is read, so that no notification is missed in between.
            notified.as_mut().enable();
            match self.try_read(&stream, after, end).await {
                Ok(done) => return done,
                Err(pause) => {
                    let _ = timeout_at(end.min(Instant::now() + pause), notified).await;
                }
            }
        }
    }

    /// Reads a stream, and returns what the caller has to know. Otherwise fails with the time after
    /// which to try again at the latest.
    async fn try_read(
        &self,
        stream: &str,
        after: u64,
        end: Instant,
    ) -> Result<Result<Option<EventPage>, StoreError>, Duration> {
        let read = self.read_now(stream, after).await;
        if Instant::now() >= end {
            return Ok(read);
        }
        match read {
            Err(_) => Err(RETRY_TIME),
            Ok(Some(page)) if page.events.is_empty() && !page.ended => Err(POLL_TIME),
            done => Ok(done),
        }
    }

    /// Returns the events that there are.
    async fn read_now(&self, stream: &str, after: u64) -> Result<Option<EventPage>, StoreError> {
        let mut script = READ.key(stream);
        let page: Option<Vec<Bytes>> = self.connections.run(script.arg(after)).await?;
        let Some(page) = page else {
            return Ok(None);
        };
        let (ended, events) = page.split_first().ok_or_else(malformed)?;
        let events = events.chunks_exact(2).map(|event| {
            let number = str::from_utf8(&event[0]).map_err(StoreError::unreadable)?;
            let number = number.parse().map_err(StoreError::unreadable)?;
            Ok((number, event[1].clone()))
        });
        Ok(Some(EventPage {
            events: events.collect::<Result<_, StoreError>>()?,
            ended: **ended == *b"1",
        }))
    }

    pub(super) async fn remove_session(&self, session: &str) -> Result<(), StoreError> {
        let script = REMOVE_SESSION.key(self.session_key(session));
        self.connections.run(&script).await
    }
}

fn malformed() -> StoreError {
    StoreError::unreadable("the script returned no page")
}
