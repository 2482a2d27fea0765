//! [`StreamReader`]: a connection that reads a legacy stream, live or from the event store.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_types::peer_text::{Chain, PeerText};
use tokio::time::{Instant, Sleep, sleep, timeout};

use super::stream::{NextEvents, Stream};
use crate::protocol::core::Core;
use crate::protocol::store::StoreError;
use crate::protocol::store::{EventPage, StreamKey};
use crate::transport::http::response::answer::comment;
use crate::transport::http::response::body::EventBytes;
use crate::transport::http::session::handle::ConnectionGuard;
use crate::transport::http::session::stream::write_sse_event;
use crate::transport::http::session::stream_record::StreamRecord;

/// A connection that reads a stream.
pub(crate) struct StreamReader {
    from: EventSource,
    /// The number of the last event that was sent.
    after: u64,
    /// Whether a priming event has to be sent next.
    needs_priming: bool,
    ended: bool,
    keep_alive: Duration,
    /// The timer for comments. Created when there is nothing to read.
    timer: Option<Pin<Box<Sleep>>>,
    /// A pending read of the store.
    stored: Option<Pin<Box<dyn Future<Output = StoreRead> + Send>>>,
    /// Counts the connection while it is open.
    _guard: ConnectionGuard,
}

type StoreRead = Result<Option<EventPage>, StoreError>;

/// The source of a stream's events.
enum EventSource {
    /// A stream whose request this process serves, and the generation of the connection.
    Live(Arc<Stream>, u64),
    /// A stream whose request has ended, or that another process serves.
    Store(Arc<DetachedStream>),
}

/// The number of reads in a row that do not find the process recorded before it is taken to have
/// ended.
const ABSENCES: u32 = 3;

/// How long a resumed stream waits for the store to tell whether it has ended.
const END_TIME: Duration = Duration::from_millis(200);

/// A stream in the event store that no request of this process belongs to.
pub(crate) struct DetachedStream {
    pub(crate) server: Arc<Core>,
    pub(crate) session: Box<str>,
    pub(crate) stream: Box<str>,
    pub(crate) about: StreamRecord,
}

impl DetachedStream {
    fn key(&self) -> StreamKey<'_> {
        StreamKey {
            session: &self.session,
            stream: &self.stream,
        }
    }

    /// Returns `true` if the stream has ended, without an event after this one.
    pub(crate) async fn has_ended(&self, after: u64) -> Result<bool, StoreError> {
        // While it goes on, the read waits for the next event.
        let read = self.server.stores.read_events(self.key(), after);
        match timeout(END_TIME, read).await {
            Ok(page) => Ok(page?.is_some_and(|page| page.ended && page.events.is_empty())),
            Err(_) => Ok(false),
        }
    }

    /// Reads the next events. If the process that served the requests of the stream has ended, they
    /// are answered with an error.
    async fn read(&self, after: u64) -> StoreRead {
        let stores = &self.server.stores;
        let mut absences = 0;
        loop {
            let page = stores.read_events(self.key(), after).await?;
            let is_empty = |page: &EventPage| page.events.is_empty() && !page.ended;
            if !page.as_ref().is_some_and(is_empty) {
                return Ok(page);
            }
            // Several times, because a process is recorded a moment after it has begun to serve, and
            // again a moment after the store was unreachable.
            absences = if stores.is_running(&self.stream).await? {
                0
            } else {
                absences + 1
            };
            if absences >= ABSENCES {
                self.answer_lost(after).await?;
            }
        }
    }

    /// Ends the stream with an error for its requests. Any number of readers may do so at once.
    async fn answer_lost(&self, after: u64) -> Result<(), StoreError> {
        let stores = &self.server.stores;
        let kept = self.server.limits.session_idle_time;
        let mut last = after;
        if let Some(message) = self.about.lost() {
            last += 1;
            let message = Some(message.into());
            stores.append_event(self.key(), last, message, kept).await?;
        }
        stores.append_event(self.key(), last + 1, None, kept).await
    }
}

impl EventBytes for StreamReader {
    fn has_ended(&self) -> bool {
        self.ended
    }

    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let read = match self.poll_read(task) {
            Poll::Ready(read) => read,
            Poll::Pending if self.poll_keep_alive(task).is_ready() => Some(comment()),
            Poll::Pending => return Poll::Pending,
        };
        if let Some(timer) = &mut self.timer
            && !self.ended
        {
            timer.as_mut().reset(Instant::now() + self.keep_alive);
        }
        Poll::Ready(read)
    }
}

impl StreamReader {
    /// Reads a stream of this process from its beginning.
    pub(crate) fn from_start(
        stream: Arc<Stream>,
        keep_alive: Duration,
        guard: ConnectionGuard,
    ) -> Self {
        let needs_priming = stream.has_priming;
        let mut reader = Self::live(stream, 0, Some(0), keep_alive, guard);
        reader.needs_priming = needs_priming;
        reader
    }

    /// Reads a stream of this process after an event, or by default new events only.
    pub(crate) fn live(
        stream: Arc<Stream>,
        generation: u64,
        after: Option<u64>,
        keep_alive: Duration,
        guard: ConnectionGuard,
    ) -> Self {
        let needs_priming = stream.has_priming && after.is_none();
        let after = stream.attach(generation, after);
        let from = EventSource::Live(stream, generation);
        let mut reader = Self::new(from, after, keep_alive, guard);
        reader.needs_priming = needs_priming;
        reader
    }

    /// Reads a stream whose request has ended, or that another process serves. The response ends
    /// when the server shuts down and the store has no more events: the client can resume it later.
    pub(crate) fn stored(
        stream: DetachedStream,
        after: u64,
        keep_alive: Duration,
        guard: ConnectionGuard,
    ) -> Self {
        let from = EventSource::Store(Arc::new(stream));
        Self::new(from, after, keep_alive, guard)
    }

    fn new(from: EventSource, after: u64, keep_alive: Duration, guard: ConnectionGuard) -> Self {
        Self {
            from,
            after,
            needs_priming: false,
            ended: false,
            keep_alive,
            timer: None,
            stored: None,
            _guard: guard,
        }
    }

    /// Waits until a comment is due.
    fn poll_keep_alive(&mut self, task: &mut Context<'_>) -> Poll<()> {
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep(self.keep_alive)));
        timer.as_mut().poll(task)
    }

    fn poll_read(&mut self, task: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        loop {
            if let Some(stored) = &mut self.stored {
                let Poll::Ready(read) = stored.as_mut().poll(task) else {
                    return Poll::Pending;
                };
                self.stored = None;
                return Poll::Ready(self.write_page(read));
            }
            let EventSource::Live(stream, generation) = &self.from else {
                self.stored = Some(self.from.read(self.after));
                continue;
            };
            let mut out = Vec::new();
            if std::mem::take(&mut self.needs_priming) {
                // Reserves capacity for an event, which often follows.
                out.reserve(512);
                stream.write_priming(&mut out, self.after);
            }
            match stream.poll_next(&mut out, *generation, self.after, task) {
                Poll::Pending if out.is_empty() => return Poll::Pending,
                Poll::Pending => {}
                Poll::Ready(NextEvents::Events(last, ended)) => {
                    self.after = last;
                    self.ended = ended;
                }
                Poll::Ready(NextEvents::Stored) => {
                    self.stored = Some(self.from.read(self.after));
                    if out.is_empty() {
                        continue;
                    }
                }
                Poll::Ready(NextEvents::Disconnected) => {
                    self.ended = true;
                    if stream.has_priming && out.is_empty() {
                        stream.write_priming(&mut out, self.after);
                    }
                }
                Poll::Ready(NextEvents::Ended) => self.ended = true,
            }
            return Poll::Ready((!out.is_empty()).then_some(out));
        }
    }

    /// Writes the events of a page.
    fn write_page(&mut self, read: StoreRead) -> Option<Vec<u8>> {
        let page = match read {
            Ok(page) => page?,
            Err(error) => {
                tracing::error!(error = %Chain(&error), "cannot read from the event store");
                return None;
            }
        };
        let mut out = Vec::new();
        for (number, message) in &page.events {
            if *number != self.after + 1 {
                tracing::warn!(
                    stream = %PeerText(self.id()),
                    "the event store has removed events that the client has not read"
                );
            }
            self.after = *number;
            write_sse_event(&mut out, self.id(), *number, message);
        }
        match &self.from {
            EventSource::Live(stream, generation) => stream.read(*generation, self.after),
            EventSource::Store(_) => self.ended = page.ended,
        }
        (!out.is_empty()).then_some(out)
    }

    fn id(&self) -> &str {
        match &self.from {
            EventSource::Live(stream, _) => stream.id(),
            EventSource::Store(stream) => &stream.stream,
        }
    }
}

impl EventSource {
    /// Reads the next events from the store. The future owns what it needs.
    fn read(&self, after: u64) -> Pin<Box<dyn Future<Output = StoreRead> + Send>> {
        match self {
            Self::Live(stream, _) => {
                let stream = Arc::clone(stream);
                Box::pin(async move {
                    let stores = &stream.server.stores;
                    stores.read_events(stream.key(), after).await
                })
            }
            Self::Store(stream) => {
                let stream = Arc::clone(stream);
                Box::pin(async move {
                    tokio::select! {
                        biased;
                        read = stream.read(after) => read,
                        () = stream.server.stopping() => Ok(None),
                    }
                })
            }
        }
    }
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        if let EventSource::Live(stream, generation) = &self.from {
            stream.detach(*generation);
        }
    }
}
