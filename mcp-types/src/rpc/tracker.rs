//! [`Tracker`]: the open requests of a session, and its revision.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::message::Message;
use super::revision::{is_handshake, revision_of};
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
/// A program that answers a request in place of the other side tracks this response, too.
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
    client: Requests<T>,
    server: Requests<T>,
    limit: usize,
    revision: Option<Revision>,
}

/// The open requests of one side.
#[derive(Clone, Debug)]
struct Requests<T> {
    open: HashMap<Arc<RequestId>, (u64, TrackedRequest<T>)>,
    /// The ids in the order in which the requests were sent.
    order: BTreeMap<u64, Arc<RequestId>>,
    next: u64,
    /// The bytes of all ids that are strings.
    bytes: usize,
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
    /// Requests of the sender that are not open any more, although they were not answered: one
    /// whose id the sender has used again, the oldest ones if there are too many or their ids are
    /// too long, and the request itself if it exceeds a limit alone.
    pub forgotten: Vec<TrackedRequest<T>>,
}

impl<T> Default for Tracker<T> {
    /// Creates a tracker for up to [`Tracker::DEFAULT_LIMIT`] open requests of each side.
    fn default() -> Self {
        Self::new(Self::DEFAULT_LIMIT)
    }
}

impl<T> Tracker<T> {
    /// The largest number of open requests of each side by default.
    pub const DEFAULT_LIMIT: usize = 1024;

    /// The largest number of bytes in the ids of the open requests of each side, 1 MiB. Only ids
    /// that are strings count.
    pub const ID_BYTES: usize = 1 << 20;

    /// Creates a tracker for up to `limit` open requests of each side, whose ids have up to
    /// [`ID_BYTES`](Self::ID_BYTES) together. If a side exceeds one of the limits, its oldest
    /// requests are forgotten; the requests of the other side are not affected.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            client: Requests::default(),
            server: Requests::default(),
            limit,
            revision: None,
        }
    }

    /// Returns the revision of the session: the one that the server has chosen in the handshake, or
    /// that the last request of a modern client has stated. Until the server has answered the
    /// handshake, it is the one that the client wants to use.
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
        self.client.open.len() + self.server.open.len()
    }

    /// Adds a message that `sender`, the client or the server, sends. `data` is kept with a request
    /// until it is answered, and is dropped otherwise.
    ///
    /// A revision counts only if the message states it as [`revision_of`] describes: what a server
    /// writes into `_meta` does not change the revision of the session. [`Sender::Both`] is treated
    /// as the server.
    pub fn track(&mut self, sender: Sender, message: &Message<'_>, data: T) -> Tracked<T> {
        let (own, other) = match sender {
            Sender::Client => (&mut self.client, &mut self.server),
            Sender::Server | Sender::Both => (&mut self.server, &mut self.client),
        };
        let is_response = matches!(message, Message::Result { .. } | Message::Error { .. });
        let answered = message.id().filter(|_| is_response);
        let request = answered.and_then(|id| other.close(id));
        let method = request.as_ref().map(|request| request.method.as_str());
        let stated = revision_of(sender, message, method).and_then(Result::ok);
        // The server may reject a second handshake, and then the session keeps its revision.
        if stated.is_some() && (self.revision.is_none() || !is_handshake(message)) {
            self.revision = stated;
        }
        let inherited = request.as_ref().and_then(|request| request.revision);
        let revision = stated.or(inherited).or(self.revision);
        let mut forgotten = Vec::new();
        if let Message::Request { id, method, .. } = message {
            let ends = (0..=METHOD_BYTES.min(method.len())).rev();
            let kept = ends.into_iter().find_map(|end| method.get(..end));
            let request = TrackedRequest {
                method: kept.unwrap_or_default().to_owned(),
                revision,
                data,
            };
            forgotten = own.open(id, request, self.limit, Self::ID_BYTES);
        }
        Tracked {
            revision,
            request,
            forgotten,
        }
    }
}

impl<T> Default for Requests<T> {
    fn default() -> Self {
        Self {
            open: HashMap::new(),
            order: BTreeMap::new(),
            next: 0,
            bytes: 0,
        }
    }
}

impl<T> Requests<T> {
    /// Adds a request, and returns those that are forgotten for it.
    fn open(
        &mut self,
        id: &RequestId,
        request: TrackedRequest<T>,
        limit: usize,
        limit_bytes: usize,
    ) -> Vec<TrackedRequest<T>> {
        let mut forgotten: Vec<_> = self.close(id).into_iter().collect();
        let bytes = id_bytes(id);
        if limit == 0 || bytes > limit_bytes {
            forgotten.push(request);
            return forgotten;
        }
        while self.open.len() >= limit || self.bytes > limit_bytes - bytes {
            let Some((_, oldest)) = self.order.pop_first() else {
                break;
            };
            forgotten.extend(self.close(&oldest));
        }
        let id = Arc::new(id.clone());
        self.order.insert(self.next, Arc::clone(&id));
        self.open.insert(id, (self.next, request));
        self.bytes += bytes;
        self.next += 1;
        forgotten
    }

    fn close(&mut self, id: &RequestId) -> Option<TrackedRequest<T>> {
        let (number, request) = self.open.remove(id)?;
        self.order.remove(&number);
        self.bytes -= id_bytes(id);
        Some(request)
    }
}

fn id_bytes(id: &RequestId) -> usize {
    match id {
        RequestId::Number(_) => 0,
        RequestId::String(text) => text.len(),
    }
}
