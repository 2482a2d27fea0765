//! [`Store`]: what the processes that serve one endpoint share.
//!
//! Three traits, because each needs another kind of database: [`ValueStore`] for values by key,
//! [`EventStore`] for the events of streams, [`Bus`] for messages between processes.

pub(crate) mod access;
pub(crate) mod link;
pub(crate) mod message;

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

#[cfg(feature = "http")]
use bytes::Bytes;

use crate::util::partial_debug::partial_debug;

/// A store for everything that processes share, for
/// [`ServerBuilder::store`](crate::ServerBuilder::store). Implemented by every type that implements
/// its parts.
#[cfg(feature = "http")]
pub trait Store: ValueStore + EventStore + Bus {}

#[cfg(feature = "http")]
impl<T: ValueStore + EventStore + Bus> Store for T {}

/// A store for everything that processes share, for
/// [`ServerBuilder::store`](crate::ServerBuilder::store). Implemented by every type that implements
/// its parts.
#[cfg(not(feature = "http"))]
pub trait Store: ValueStore + Bus {}

#[cfg(not(feature = "http"))]
impl<T: ValueStore + Bus> Store for T {}

/// The member that every format of this crate has: its version, which is read first.
#[derive(serde::Deserialize)]
pub(crate) struct FormatVersion {
    pub(crate) version: u32,
}

/// Stores values by key: sessions of older clients, revoked URLs, proofs that were used, and the
/// values of [`Stored`](crate::Stored).
///
/// Every method is atomic: processes that call them at the same time see them one after the other,
/// and a read sees all writes that were acknowledged before. Keys are at most 1,024 bytes of
/// printable ASCII, values at most 1 MiB.
pub trait ValueStore: Send + Sync + 'static {
    /// Returns the value of a key, or `None` if the key has no value or its value has expired.
    fn get<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<VersionedValue>>;

    /// Writes a value, if its condition and its group allow it.
    fn put<'a>(&'a self, put: Put<'a>) -> StoreFuture<'a, PutOutcome>;

    /// Removes a value, and its key from its group. Returns `false` if there was none.
    fn remove<'a>(&'a self, key: &'a str) -> StoreFuture<'a, bool>;

    /// Returns at most `most` keys of a group, those that expire first in front. Expired ones are
    /// not in the group any more.
    fn keys<'a>(&'a self, group: &'a str, most: usize) -> StoreFuture<'a, Vec<String>>;
}

/// A value of a [`ValueStore`].
#[derive(Clone, PartialEq, Eq)]
pub struct VersionedValue {
    /// The value.
    pub value: Vec<u8>,
    /// The version of the value. Every write gives its key another version, also if the value was
    /// removed in between.
    pub version: u64,
}

partial_debug!(
    /// The value may be secret.
    VersionedValue, |it| bytes: it.value.len(), version: it.version
);

/// A write to a [`ValueStore`].
#[derive(Clone, Copy)]
pub struct Put<'a> {
    /// The key.
    pub key: &'a str,
    /// The new value.
    pub value: &'a [u8],
    /// The time after which the value is removed, in whole milliseconds. The server sets at least a
    /// second; the checks of `mcp-stores` set less.
    pub time_to_live: Duration,
    /// What the key must have for the value to be written.
    pub condition: Condition,
    /// The group that the key belongs to. A key always has the same group.
    pub group: Option<KeyGroup<'a>>,
}

/// What a key must have for a [`Put`] to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Any value or none.
    Any,
    /// No value, or an expired one.
    Absent,
    /// A value with this version.
    Version(u64),
}

/// A group of keys, which limits their number.
#[derive(Clone, Copy, Debug)]
pub struct KeyGroup<'a> {
    /// The name of the group: the same kind of text as a key.
    pub name: &'a str,
    /// The maximum number of keys that have a value.
    pub most: usize,
}

/// The outcome of a [`Put`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// The value was written and has this version.
    Written(u64),
    /// The condition does not hold. Nothing was written.
    Conflict,
    /// The key is new, and its group is full. Nothing was written.
    GroupFull,
}

#[cfg(feature = "http")]
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

#[cfg(feature = "http")]
/// Names a stream of an [`EventStore`].
#[derive(Clone, Copy)]
pub struct StreamKey<'a> {
    /// The id of the session.
    pub session: &'a str,
    /// The id of the stream in the session.
    pub stream: &'a str,
}

#[cfg(feature = "http")]
/// Events of a stream, as [`EventStore::read`] returns them.
#[derive(Clone, Default)]
pub struct EventPage {
    /// Numbers and messages, in order.
    pub events: Vec<(u64, Bytes)>,
    /// Whether the stream has ended after these events.
    pub ended: bool,
}

#[cfg(feature = "http")]
partial_debug!(
    /// The messages may be secret.
    EventPage, |it| events: it.events.len(), ended: it.ended
);

/// Sends messages between the processes that serve one endpoint: changes that their clients
/// subscribed to, responses and cancellations of clients whose request another process serves, ends
/// of sessions, and revoked URLs.
///
/// A bus is a log: every process reads all messages, in the order in which they were published. It
/// keeps messages for at least a minute, so that a process whose connection was cut misses none,
/// and bounds how many it keeps.
pub trait Bus: Send + Sync + 'static {
    /// Appends a message. Once the future is ready, every process that reads will receive it.
    fn publish<'a>(&'a self, message: &'a [u8]) -> StoreFuture<'a, ()>;

    /// Waits for messages after a position, and returns them. Without a position, returns the end
    /// of the log at once.
    ///
    /// An implementation that has waited for some seconds returns a page without messages. A page
    /// has at most some hundred messages, and ends with the message with which it has
    /// [`BusPage::BYTES`], so that a reader who is far behind needs little memory, and gets it in
    /// time.
    fn receive<'a>(&'a self, after: Option<&'a str>) -> StoreFuture<'a, BusPage>;
}

/// Messages of a [`Bus`].
#[derive(Clone, Default)]
pub struct BusPage {
    /// The messages, in order.
    pub messages: Vec<Vec<u8>>,
    /// The position after these messages, in a form that only the bus knows.
    pub position: String,
    /// Whether messages between the requested position and these were removed before they were
    /// read.
    pub missed: bool,
}

impl BusPage {
    /// The size in bytes at which a page ends: the sum of its messages, of which the last one may be
    /// larger.
    pub const BYTES: usize = 4 << 20;
}

partial_debug!(
    /// The messages contain ids of sessions and answers of users.
    BusPage, |it|
    messages: it.messages.len(), position: it.position, missed: it.missed
);

/// The future that a store's methods return. Boxed, so that a store can be a trait object.
///
/// It may be dropped at any time: the store then has made the change or not, but not half of it.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// The error of a store. No operation that a request waits for takes longer than
/// [`Limits::store_time`](field@crate::Limits::store_time).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store cannot be reached, or reports an error. The cause must contain neither passwords
    /// nor values, because it is logged.
    #[error("the store failed")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
    /// The store did not answer in time. Whether it made the change is unknown.
    #[error("the store did not answer within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// A stored value cannot be read: it is malformed, or a newer release of this crate wrote it in
    /// a form that this one does not know.
    #[error("a stored value cannot be read")]
    Unreadable(#[source] Box<dyn Error + Send + Sync>),
}

impl StoreError {
    /// Creates the error of a store that cannot be reached, or that reports an error.
    pub fn failed(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(cause.into())
    }

    /// Creates the error of a value that cannot be read.
    pub fn unreadable(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unreadable(cause.into())
    }
}

/// Why a stored value cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredError {
    /// The store failed. The cause is not part of the text, which a client may read.
    #[error("{CANNOT_BE_REACHED}")]
    Store(#[from] StoreError),
    /// The value is too large.
    #[error("the value has {bytes} bytes: expected at most {limit}")]
    TooLarge {
        /// The size of the value as JSON.
        bytes: usize,
        /// The maximum size.
        limit: usize,
    },
    /// The user has too many values.
    #[error("the user has {0} stored values already")]
    TooMany(usize),
    /// Other requests of the user change the value all the time.
    #[error("the value changes too often: retry later")]
    Contended,
    /// The value cannot be encoded, or a stored one cannot be decoded.
    #[error("the value does not have the expected form")]
    Json(#[from] serde_json::Error),
}

/// Returns the text for a client if an error, or one of its sources, is that of a store which may work
/// again soon. It says nothing of the program.
pub(crate) fn retry_text(error: &(dyn Error + 'static)) -> Option<String> {
    let mut chain = std::iter::successors(Some(error), |&error| error.source());
    chain.find_map(|error| {
        if let Some(stored @ (StoredError::Store(_) | StoredError::Contended)) =
            error.downcast_ref()
        {
            return Some(stored.to_string());
        }
        match error.downcast_ref()? {
            StoreError::Failed(_) | StoreError::TimedOut(_) => Some(CANNOT_BE_REACHED.to_owned()),
            StoreError::Unreadable(_) => None,
        }
    })
}

/// What clients read of the error of a store.
pub(crate) const CANNOT_BE_REACHED: &str = "the store of the server cannot be reached: retry later";
