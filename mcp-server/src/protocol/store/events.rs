//! [`EventStore`]: the events of legacy streams.

use std::time::Duration;

use bytes::Bytes;

use crate::protocol::store::StoreFuture;

/// Stores the events of legacy streams for a while, so that a client can resume a stream after its
/// connection failed, at any process.
///
/// The numbers of a stream start at 1 and have no gaps. A store bounds what it keeps of a stream,
/// of a session and in total, and removes the oldest events first.
pub trait EventStore: Send + Sync + 'static {
    /// Creates a stream, unless it exists. It is kept for this time after the last call of `open`
    /// or [`append`](Self::append). `about` says what the stream is for, in at most 64 KiB.
    fn open<'a>(
        &'a self,
        stream: StreamKey<'a>,
        about: &'a [u8],
        kept: Duration,
    ) -> StoreFuture<'a, ()>;

    /// Returns what [`open`](Self::open) was told about a stream; `None` if the stream is unknown.
    fn about<'a>(&'a self, stream: StreamKey<'a>) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Appends an event to a stream. `None` ends the stream. If the number exists already, nothing
    /// is changed: the caller was interrupted and retries.
    fn append<'a>(
        &'a self,
        stream: StreamKey<'a>,
        number: u64,
        message: Option<Bytes>,
        kept: Duration,
    ) -> StoreFuture<'a, ()>;

    /// Returns the events after a number, in order; `None` if the stream is unknown. If the stream
    /// has no such event yet and has not ended, waits for one. After some seconds without one,
    /// returns a page without events.
    fn read<'a>(&'a self, stream: StreamKey<'a>, after: u64) -> StoreFuture<'a, Option<EventPage>>;

    /// Removes all streams of a session.
    fn remove_session<'a>(&'a self, session: &'a str) -> StoreFuture<'a, ()>;
}

/// Names a stream of an [`EventStore`].
#[derive(Clone, Copy)]
pub struct StreamKey<'a> {
    /// The id of the session.
    pub session: &'a str,
    /// The id of the stream in the session.
    pub stream: &'a str,
}

/// Events of a stream, as [`EventStore::read`] returns them.
#[derive(Clone, Default)]
pub struct EventPage {
    /// Numbers and messages, in order.
    pub events: Vec<(u64, Bytes)>,
    /// Whether the stream has ended after these events.
    pub ended: bool,
}

impl std::fmt::Debug for EventPage {
    /// Does not show the messages, which may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventPage")
            .field("events", &self.events.len())
            .field("ended", &self.ended)
            .finish()
    }
}
