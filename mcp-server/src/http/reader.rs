//! [`Reader`]: a connection that reads a legacy stream, at work or kept.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::answer::{Piece, Source, comment};
use super::events::{EventStore, Page, StoreError};
use super::stream::{Next, Stream, write_numbered};
use crate::error::Chain;
use crate::race::{Either, race};

/// A connection that reads a stream.
pub(super) struct Reader {
    from: From,
    /// The number of the last event that was read.
    after: u64,
    prime: bool,
    over: bool,
    keep_alive: Duration,
    /// What lives as long as the connection.
    _held: Box<dyn Send>,
}

enum From {
    /// A stream whose request is served by this process, and the kick that we came with.
    Live(Arc<Stream>, u64),
    /// A stream whose request is over, or served by another process.
    Store {
        store: Arc<dyn EventStore>,
        session: Box<str>,
        stream: Box<str>,
    },
}

impl Reader {
    /// Reads a stream of this process from its beginning.
    pub(super) fn from_start(
        stream: Arc<Stream>,
        keep_alive: Duration,
        held: Box<dyn Send>,
    ) -> Self {
        let prime = stream.primes;
        let mut reader = Self::live(stream, 0, Some(0), keep_alive, held);
        reader.prime = prime;
        reader
    }

    /// Reads a stream of this process after an event or, by default, what is said from now on.
    pub(super) fn live(
        stream: Arc<Stream>,
        kick: u64,
        after: Option<u64>,
        keep_alive: Duration,
        held: Box<dyn Send>,
    ) -> Self {
        let prime = stream.primes && after.is_none();
        let after = stream.attach(kick, after);
        Self {
            from: From::Live(stream, kick),
            after,
            prime,
            over: false,
            keep_alive,
            _held: held,
        }
    }

    /// Reads a stream whose request is over, or served by another process.
    pub(super) fn stored(
        store: Arc<dyn EventStore>,
        session: &str,
        stream: &str,
        after: u64,
        keep_alive: Duration,
        held: Box<dyn Send>,
    ) -> Self {
        Self {
            from: From::Store {
                store,
                session: session.into(),
                stream: stream.into(),
            },
            after,
            prime: false,
            over: false,
            keep_alive,
            _held: held,
        }
    }

    /// The next bytes; `None` at the end.
    async fn read(&mut self) -> Option<Vec<u8>> {
        let read = match &self.from {
            From::Live(stream, kick) => {
                let mut out = Vec::new();
                if std::mem::take(&mut self.prime) {
                    stream.prime(&mut out, self.after);
                    return Some(out);
                }
                let next = race(stream.next(*kick, self.after), sleep(self.keep_alive));
                match next.await {
                    Either::First(Next::Events(events)) => {
                        stream.write(&mut out, self.after, &events);
                        self.after += events.len() as u64;
                        stream.read(*kick, self.after);
                        return Some(out);
                    }
                    Either::First(Next::Stored) => {
                        let read = stream.store.read(&stream.session, stream.id(), self.after);
                        race(read, sleep(self.keep_alive)).await
                    }
                    Either::First(Next::Kicked) => {
                        if !stream.primes {
                            return None;
                        }
                        self.over = true;
                        stream.prime(&mut out, self.after);
                        return Some(out);
                    }
                    Either::First(Next::Over) => return None,
                    Either::Second(()) => Either::Second(()),
                }
            }
            From::Store {
                store,
                session,
                stream,
            } => {
                let read = store.read(session, stream, self.after);
                race(read, sleep(self.keep_alive)).await
            }
        };
        match read {
            Either::First(page) => self.page(page),
            Either::Second(()) => Some(comment()),
        }
    }

    /// Writes what the store has.
    fn page(&mut self, read: Result<Option<Page>, StoreError>) -> Option<Vec<u8>> {
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
                tracing::warn!(stream = self.id(), "events are gone that were not read");
            }
            self.after = *number;
            write_numbered(&mut out, self.id(), *number, message, None);
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

impl Source for Reader {
    fn next(mut self: Box<Self>) -> Pin<Box<dyn Future<Output = Piece> + Send>> {
        Box::pin(async move {
            let text = self.read().await?;
            let rest: Option<Box<dyn Source>> = if self.over { None } else { Some(self) };
            Some((text, rest))
        })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let From::Live(stream, kick) = &self.from {
            stream.detach(*kick);
        }
    }
}
