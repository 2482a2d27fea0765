//! [`Tracker`]: the open requests of a session, and its revision.

use std::collections::{BTreeMap, HashMap};

use super::message::Message;
use super::revision::revision_of;
use crate::id::RequestId;
use crate::message::Sender;
use crate::revisions::Revision;

/// The longest method that is kept. No revision has a longer one.
const METHOD_BYTES: usize = 256;

/// Pairs the responses of a session with their requests, in both directions, and knows which
/// revision each message follows.
///
/// For programs that read the messages of both sides: proxies, recorders and linters. One tracker
/// is for one connection or HTTP session. Without sessions, as over HTTP of modern revisions, each
/// HTTP request is one. `T` is what the program wants to keep with a request, for example the time.
///
/// ```
/// use mcp_types::rpc::{self, Tracker};
/// use mcp_types::{Revision, Sender};
///
/// let mut tracker = Tracker::default();
/// let request = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
/// tracker.track(Sender::Client, &rpc::parse_str(request)?, ());
///
/// let result = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}"#;
/// let tracked = tracker.track(Sender::Server, &rpc::parse_str(result)?, ());
/// assert_eq!(tracked.request.unwrap().method, "initialize");
/// assert_eq!(tracked.revision, Some(Revision::V2025_06_18));
///
/// // Later messages follow the revision of the session.
/// let ping = r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#;
/// let tracked = tracker.track(Sender::Server, &rpc::parse_str(ping)?, ());
/// assert_eq!(tracked.revision, Some(Revision::V2025_06_18));
/// # Ok::<(), rpc::EnvelopeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tracker<T = ()> {
    open: HashMap<(bool, RequestId), (u64, TrackedRequest<T>)>,
    /// The open requests in the order in which they were sent.
    order: BTreeMap<u64, (bool, RequestId)>,
    next: u64,
    limit: usize,
    revision: Option<Revision>,
}

/// A request that a [`Tracker`] knows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrackedRequest<T = ()> {
    /// The method, without what exceeds 256 bytes.
    pub method: String,
    /// The revision that the request follows, if it is known. The response follows it, too.
    pub revision: Option<Revision>,
    /// What the program keeps with the request.
    pub data: T,
}

/// What a [`Tracker`] knows of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tracked<T = ()> {
    /// The revision that the message follows. `None` if neither the message, nor its request, nor
    /// the session has stated a revision that this crate knows.
    pub revision: Option<Revision>,
    /// The request that a response answers. `None` for other messages, and for a response to no
    /// open request.
    pub request: Option<TrackedRequest<T>>,
    /// A request that is not open any more, although it was not answered: the oldest one if there
    /// are too many, or one whose id the sender has used again.
    pub forgotten: Option<TrackedRequest<T>>,
}

impl<T> Default for Tracker<T> {
    /// Creates a tracker for up to [`Tracker::DEFAULT_LIMIT`] open requests.
    fn default() -> Self {
        Self::new(Self::DEFAULT_LIMIT)
    }
}

impl<T> Tracker<T> {
    /// The largest number of open requests of both sides by default.
    pub const DEFAULT_LIMIT: usize = 1024;

    /// Creates a tracker for up to `limit` open requests of both sides together. With more, the
    /// oldest one is forgotten.
    ///
    /// A peer chooses how long its ids are, up to the length of a message.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            open: HashMap::new(),
            order: BTreeMap::new(),
            next: 0,
            limit,
            revision: None,
        }
    }

    /// Returns the revision of the session: the one that the last message has stated, or that the
    /// server has chosen in the handshake.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        self.revision
    }

    /// Sets the revision of the session, for example that of the header
    /// [`MCP-Protocol-Version`](crate::headers::PROTOCOL_VERSION).
    pub fn set_revision(&mut self, revision: Revision) {
        self.revision = Some(revision);
    }

    /// Returns the number of open requests of both sides.
    #[must_use]
    pub fn open_requests(&self) -> usize {
        self.open.len()
    }

    /// Adds a message that `sender`, the client or the server, sends. `data` is kept with a request
    /// until it is answered, and is dropped otherwise.
    pub fn track(&mut self, sender: Sender, message: &Message<'_>, data: T) -> Tracked<T> {
        let is_client = sender == Sender::Client;
        let is_response = matches!(message, Message::Result { .. } | Message::Error { .. });
        let answered = message.id().filter(|_| is_response);
        let request = answered.and_then(|id| self.close(!is_client, id));
        let method = request.as_ref().map(|request| request.method.as_str());
        let stated = revision_of(message, method).and_then(Result::ok);
        if stated.is_some() {
            self.revision = stated;
        }
        let inherited = request.as_ref().and_then(|request| request.revision);
        let revision = stated.or(inherited).or(self.revision);
        let mut forgotten = None;
        if let Message::Request { id, method, .. } = message {
            let ends = (0..=METHOD_BYTES.min(method.len())).rev();
            let kept = ends.into_iter().find_map(|end| method.get(..end));
            let request = TrackedRequest {
                method: kept.unwrap_or_default().to_owned(),
                revision,
                data,
            };
            forgotten = self.open((is_client, id.clone()), request);
        }
        Tracked {
            revision,
            request,
            forgotten,
        }
    }

    fn open(
        &mut self,
        key: (bool, RequestId),
        request: TrackedRequest<T>,
    ) -> Option<TrackedRequest<T>> {
        let mut forgotten = self.close(key.0, &key.1);
        if self.open.len() >= self.limit
            && let Some((_, (is_client, id))) = self.order.pop_first()
        {
            forgotten = self.close(is_client, &id);
        }
        if self.limit > 0 {
            self.order.insert(self.next, key.clone());
            self.open.insert(key, (self.next, request));
            self.next += 1;
            return forgotten;
        }
        Some(request)
    }

    fn close(&mut self, is_client: bool, id: &RequestId) -> Option<TrackedRequest<T>> {
        let (number, request) = self.open.remove(&(is_client, id.clone()))?;
        self.order.remove(&number);
        Some(request)
    }
}
