//! [`StreamReader`]: a connection that reads a legacy stream, at work or kept.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_types::peer_text::PeerText;
use tokio::time::{Instant, Sleep, sleep};

use super::event_store::{EventStore, StoreError};
use super::sse_event::write_numbered;
use super::stream::{Next, Stream};
use crate::protocol::core::Core;
use crate::protocol::error_text::Chain;
use crate::transport::http::session::event_store::EventPage;
use crate::transport::http::session::handle::ConnectionGuard;
use crate::transport::http::sse_comment::comment;
use crate::util::select::{Either, select};

/// A connection that reads a stream.
pub(crate) struct StreamReader {
    from: From,
    /// The number of the last event that was read.
    after: u64,
    prime: bool,
    over: bool,
    keep_alive: Duration,
    /// Runs from when there was nothing to read.
    timer: Option<Pin<Box<Sleep>>>,
    /// Events on their way from the store.
    stored: Option<Pin<Box<dyn Future<Output = StoreRead> + Send>>>,
    /// What lives as long as the connection.
    _held: ConnectionGuard,
}

type StoreRead = Result<Option<EventPage>, StoreError>;

enum From {
    /// A stream whose request is served by this process, and the kick that we came with.
    Live(Arc<Stream>, u64),
    /// A stream whose request is over, or served by another process.
    Store {
        server: Arc<Core>,
        store: Arc<dyn EventStore>,
        session: Arc<str>,
        stream: Arc<str>,
    },
}

impl StreamReader {
    /// Reads a stream of this process from its beginning.
    pub(crate) fn from_start(
        stream: Arc<Stream>,
        keep_alive: Duration,
        held: ConnectionGuard,
    ) -> Self {
        let prime = stream.primes;
        let mut reader = Self::live(stream, 0, Some(0), keep_alive, held);
        reader.prime = prime;
        reader
    }

    /// Reads a stream of this process after an event or, by default, what is said from now on.
    pub(crate) fn live(
        stream: Arc<Stream>,
        kick: u64,
        after: Option<u64>,
        keep_alive: Duration,
        held: ConnectionGuard,
    ) -> Self {
        let prime = stream.primes && after.is_none();
        let after = stream.attach(kick, after);
        let from = From::Live(stream, kick);
        let mut reader = Self::new(from, after, keep_alive, held);
        reader.prime = prime;
        reader
    }

    /// Reads a stream whose request is over, or served by another process. It ends when the server
    /// shuts down and the store has no more events for now: the client may go on elsewhere.
    pub(crate) fn stored(
        server: &Arc<Core>,
        store: Arc<dyn EventStore>,
        session: &str,
        stream: &str,
        after: u64,
        keep_alive: Duration,
        held: ConnectionGuard,
    ) -> Self {
        let from = From::Store {
            server: server.clone(),
            store,
            session: session.into(),
            stream: stream.into(),
        };
        Self::new(from, after, keep_alive, held)
    }

    fn new(from: From, after: u64, keep_alive: Duration, held: ConnectionGuard) -> Self {
        Self {
            from,
            after,
            prime: false,
            over: false,
            keep_alive,
            timer: None,
            stored: None,
            _held: held,
        }
    }

    /// Whether nothing follows.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// The next bytes; `None` at the end.
    pub(crate) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        if self.over {
            return Poll::Ready(None);
        }
        let read = match self.poll_read(task) {
            Poll::Ready(read) => read,
            Poll::Pending if self.poll_silence(task).is_ready() => Some(comment()),
            Poll::Pending => return Poll::Pending,
        };
        if let Some(timer) = &mut self.timer
            && !self.over
        {
            timer.as_mut().reset(Instant::now() + self.keep_alive);
        }
        Poll::Ready(read)
    }

    /// Waits as long as a connection may be silent.
    fn poll_silence(&mut self, task: &mut Context<'_>) -> Poll<()> {
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
                return Poll::Ready(self.page(read));
            }
            let From::Live(stream, kick) = &self.from else {
                self.stored = Some(self.from.read(self.after));
                continue;
            };
            let mut out = Vec::new();
            if std::mem::take(&mut self.prime) {
                // An event often follows.
                out.reserve(512);
                stream.prime(&mut out, self.after);
            }
            match stream.poll_next(&mut out, *kick, self.after, task) {
                Poll::Pending if out.is_empty() => return Poll::Pending,
                Poll::Pending => {}
                Poll::Ready(Next::Events(last, over)) => {
                    self.after = last;
                    self.over = over;
                }
                Poll::Ready(Next::Stored) => {
                    self.stored = Some(self.from.read(self.after));
                    if out.is_empty() {
                        continue;
                    }
                }
                Poll::Ready(Next::Kicked) => {
                    self.over = true;
                    if stream.primes && out.is_empty() {
                        stream.prime(&mut out, self.after);
                    }
                }
                Poll::Ready(Next::Over) => self.over = true,
            }
            return Poll::Ready((!out.is_empty()).then_some(out));
        }
    }

    /// Writes what the store has.
    fn page(&mut self, read: StoreRead) -> Option<Vec<u8>> {
        let page = match read {
            Ok(page) => page?,
            Err(error) => {
                tracing::error!(error = %Chain(&error), "a stream cannot be read");
                return None;
            }
        };
        let mut out = Vec::new();
        for (number, message) in &page.events {
            if *number != self.after + 1 {
                tracing::warn!(stream = %PeerText(self.id()), "events are gone that were not read");
            }
            self.after = *number;
            write_numbered(&mut out, self.id(), *number, message);
        }
        match &self.from {
            From::Live(stream, kick) => stream.read(*kick, self.after),
            From::Store { .. } => self.over = page.ended,
        }
        (!out.is_empty()).then_some(out)
    }

    fn id(&self) -> &str {
        match &self.from {
            From::Live(stream, _) => stream.id(),
            From::Store { stream, .. } => stream,
        }
    }
}

impl From {
    /// Reads the store, by what the future itself owns.
    fn read(&self, after: u64) -> Pin<Box<dyn Future<Output = StoreRead> + Send>> {
        match self {
            Self::Live(stream, _) => {
                let stream = Arc::clone(stream);
                Box::pin(async move {
                    let store = &stream.store;
                    store.read(stream.session_id(), stream.id(), after).await
                })
            }
            Self::Store {
                server,
                store,
                session,
                stream,
            } => {
                let (session, stream) = (Arc::clone(session), Arc::clone(stream));
                let (store, server) = (Arc::clone(store), server.clone());
                Box::pin(async move {
                    let read = store.read(&session, &stream, after);
                    match select(read, server.stopping()).await {
                        Either::First(read) => read,
                        Either::Second(()) => Ok(None),
                    }
                })
            }
        }
    }
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        if let From::Live(stream, kick) = &self.from {
            stream.detach(*kick);
        }
    }
}
