//! [`Connection`]: the state that a client, its features and its transport share, and the
//! [`MessageSender`] by which it reaches the server.

pub(crate) mod connection_state;
pub(crate) mod timeout_pause;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::revision::VersionError;
use mcp_types::rpc::{self, EnvelopeError, ErrorObject, Incoming, Message};
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, ClientCapabilities, Implementation,
    LoggingLevel, Notification, ProgressNotification, ProgressNotificationParams, ProgressToken,
    Proposal, RequestId, Revision, ServerCapabilities, Tool,
};
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::time::Instant;

use super::error::server_output::LastOutput;
use super::error::{DroppedMember, TransportError};
use super::lenient;
use super::limits::Limits;
use super::middleware::Layers;
use super::request_meta::RequestMeta;
use connection_state::ConnectionState;
use timeout_pause::TimeoutPause;

/// The maximum number of messages in a batch.
const BATCH: usize = 1_000;

/// The maximum number of bytes of a malformed message that are logged.
const EXCERPT: usize = 1_000;

/// The state of a connection to a server.
pub(crate) struct Connection {
    pub(crate) id: ConnectionId,
    pub(crate) info: Implementation,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) proposals: BTreeSet<Proposal>,
    /// Whether the client answers `roots/list`.
    pub(crate) has_roots: bool,
    /// The members of `_meta` by which requests of modern revisions describe the client.
    pub(crate) request_meta: RequestMeta,
    pub(crate) limits: Limits,
    pub(crate) layers: Layers,
    pub(crate) pending: Arc<PendingRequests>,
    pub(crate) sender: Arc<dyn MessageSender>,
    pub(crate) inbound: Arc<dyn Inbound>,
    /// The lowest level of log messages that the client requests.
    pub(crate) log_level: Option<LoggingLevel>,
    /// Counts the negotiations, so that subscriptions notice a new session.
    pub(crate) negotiations: watch::Sender<u64>,
    /// Absent until the first negotiation has succeeded.
    pub(crate) negotiated: RwLock<Option<Arc<NegotiationResult>>>,
    /// The only revision that the program accepts, if it chose one.
    pub(crate) pinned: Option<Revision>,
    pub(crate) state: ConnectionState,
    /// What the server wrote beside its messages.
    pub(crate) last_output: LastOutput,
}

/// The identity of a connection, see [`Client::connection_id`](crate::Client::connection_id).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConnectionId(u64);

impl ConnectionId {
    /// Returns one that no other connection of this process has.
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Connection {
    /// Returns the negotiated revision, or the newest one before the negotiation.
    pub(crate) fn revision(&self) -> Revision {
        let negotiated = self
            .negotiated
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let revision = negotiated.as_ref().map(|negotiated| negotiated.revision);
        revision.unwrap_or(Revision::LATEST)
    }

    /// Returns the result of the last negotiation.
    pub(crate) fn negotiated(&self) -> Option<Arc<NegotiationResult>> {
        let negotiated = self.negotiated.read();
        negotiated.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns `true` if both sides announced a proposal, and it extends the negotiated revision.
    pub(crate) fn has_negotiated(&self, proposal: Proposal) -> bool {
        self.proposals.contains(&proposal)
            && self.negotiated().is_some_and(|server| {
                proposal.extends(server.revision)
                    && proposal.is_announced(&server.capabilities.experimental)
            })
    }

    /// Stores the result of a negotiation. All later messages follow it.
    pub(crate) fn set_negotiated(&self, result: NegotiationResult) {
        let negotiated = self.negotiated.write();
        *negotiated.unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(result));
        self.negotiations.send_modify(|count| *count += 1);
    }

    /// Sends `notifications/cancelled` for a request.
    pub(crate) fn cancel(&self, id: i64, reason: Option<String>) {
        let mut params = CancelledNotificationParams::new(id);
        params.reason = reason;
        let mut message = Vec::new();
        let method = CancelledNotification::METHOD;
        let written = rpc::write_notification_at(&mut message, method, params, self.revision());
        if written.is_ok()
            && let Some(message) = self.layers.sent(message)
        {
            self.sender.send_now(message);
        }
    }

    /// Parses a message, or a batch if the revision has batches.
    fn parse<'a>(&self, text: &'a [u8]) -> Result<Incoming<'a>, EnvelopeError> {
        if self.revision() == Revision::V2025_03_26 {
            rpc::parse_batch(text, BATCH)
        } else {
            rpc::parse(text).map(Incoming::Single)
        }
    }

    /// Handles a message from a server without sessions.
    pub(crate) fn receive(&self, text: &[u8]) {
        // Malformed messages are logged.
        let _ = self.receive_in(0, text);
    }

    /// Handles a message that belongs to the session with this number. Some malformed messages are
    /// [repaired](lenient::repair), each at most once for each fault.
    ///
    /// # Errors
    ///
    /// The message, or the first such message of a batch, is malformed and is the response to no
    /// pending request.
    pub(crate) fn receive_in(&self, session: u64, text: &[u8]) -> Result<(), EnvelopeError> {
        let mut received = Ok(());
        match self.parse(text) {
            Ok(Incoming::Single(message)) => self.handle(session, message),
            Ok(Incoming::Batch(messages)) => {
                for message in messages {
                    match message {
                        Ok(message) => self.handle(session, message),
                        Err(fault) => received = received.and(self.malformed(fault, text)),
                    }
                }
            }
            Err(fault) => match lenient::repair(&fault, text) {
                Some(repaired) => {
                    let fault = PeerDisplay(&fault);
                    tracing::warn!(%fault, "a malformed message of the server is repaired");
                    return self.receive_in(session, &repaired);
                }
                None => received = self.malformed(fault, text),
            },
        }
        received
    }

    /// Logs a malformed message, and fails the request that it responds to. Returns the fault if
    /// there is no such request.
    fn malformed(&self, fault: EnvelopeError, text: &[u8]) -> Result<(), EnvelopeError> {
        tracing::warn!(
            fault = %PeerDisplay(&fault),
            excerpt = %PeerText(&excerpt(text)),
            "the server sent a malformed message"
        );
        self.last_output.other.add(excerpt(text).into_owned());
        match fault.id().filter(|_| fault.is_response()).and_then(number) {
            Some(id) if self.pending.is_pending(id) => {
                self.pending.complete(id, Reply::Malformed(fault));
                Ok(())
            }
            _ => Err(fault),
        }
    }

    /// Handles a parsed message.
    fn handle(&self, session: u64, message: Message<'_>) {
        match message {
            Message::Result { id, result, .. } => {
                self.reply(&id, Reply::Result(result.to_owned()));
            }
            Message::Error { id, error, .. } => {
                let error = lenient::error_object(error.get());
                if let Some(id) = id {
                    self.reply(&id, Reply::Error(error));
                } else {
                    let error = PeerDisplay(&error);
                    tracing::warn!(%error, "the server could not read a message of this client");
                    self.last_output.other.add(error.to_string());
                }
            }
            Message::Notification { method, params, .. } if self.layers.is_empty() => {
                self.notification(&method, params);
            }
            Message::Notification { method, params, .. } => {
                if let Some(passed) = self.layers.received(&method, params) {
                    self.notification(passed.method(), passed.sent_params());
                }
            }
            Message::Request {
                id, method, params, ..
            } => self.inbound.request(&InboundRequest {
                session,
                revision: self.revision(),
                id: &id,
                method: &method,
                params,
            }),
        }
    }

    fn reply(&self, id: &RequestId, reply: Reply) {
        if !number(id).is_some_and(|id| self.pending.complete(id, reply)) {
            tracing::debug!(id = %PeerDisplay(id), "response without a pending request");
        }
    }

    fn notification(&self, method: &str, params: Option<&RawValue>) {
        let revision = self.revision();
        let mut handled = false;
        if method == ProgressNotification::METHOD {
            let text = params.map_or("null", RawValue::get);
            handled = self.progress(revision, text).unwrap_or_else(|error| {
                log_malformed(method, &error);
                true
            });
        }
        handled |= self.inbound.notification(revision, method, params);
        if !handled {
            tracing::debug!(method = %PeerText(method), "notification without a handler");
        }
    }

    fn progress(&self, revision: Revision, text: &str) -> Result<bool, VersionError> {
        let params: ProgressNotificationParams = revision.decode(text)?;
        let progress = match params.progress_token {
            ProgressToken::Number(id) => self.pending.data(id).flatten(),
            ProgressToken::String(_) => None,
        };
        let Some(progress) = progress else {
            return Ok(false);
        };
        progress.report(params);
        Ok(true)
    }
}

/// Returns the beginning of a text whose length the server chose.
fn excerpt(text: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(text.get(..EXCERPT).unwrap_or(text))
}

/// The response to a request.
#[derive(Debug)]
pub(crate) enum Reply {
    Result(Box<RawValue>),
    Error(ErrorObject),
    /// The message has the id of the request, but is malformed.
    Malformed(EnvelopeError),
}

/// A callback for reports of progress.
pub(crate) type OnProgress = Box<dyn Fn(ProgressNotificationParams) + Send + Sync>;

/// Passes reports of progress to a callback, and remembers the time of the last one.
pub(crate) struct Progress {
    callback: OnProgress,
    last: Mutex<Instant>,
}

impl Progress {
    pub(crate) fn new(callback: OnProgress) -> Arc<Self> {
        Arc::new(Self {
            callback,
            last: Mutex::new(Instant::now()),
        })
    }

    /// Returns the time of the last report.
    pub(crate) fn last(&self) -> Instant {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn report(&self, params: ProgressNotificationParams) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        (self.callback)(params);
    }
}

/// The requests of a connection that wait for a response, each with the callback for its progress.
pub(crate) type PendingRequests =
    mcp_wire::PendingRequests<Reply, Arc<TransportError>, Option<Arc<Progress>>>;

/// A registered request. Dropping this removes it from the table.
pub(crate) type PendingRequest =
    mcp_wire::PendingRequest<Reply, Arc<TransportError>, Option<Arc<Progress>>>;

/// Returns the number of an id of this client. Some servers and gateways turn it into text.
pub(crate) fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(text) => text.parse().ok(),
    }
}

/// Handles the messages that a server sends on its own: notifications and requests.
///
/// The connection itself handles responses to the client's requests and reports of their progress.
pub(crate) trait Inbound: Send + Sync {
    /// Handles a notification. Returns `false` if no feature has use for it.
    fn notification(&self, revision: Revision, method: &str, params: Option<&RawValue>) -> bool;

    /// Starts to answer a request without waiting for the answer. Servers of revisions with
    /// sessions send requests.
    fn request(&self, request: &InboundRequest<'_>);

    /// Stops the work on all requests of the server. They are not answered.
    fn abort_requests(&self);

    /// Lists the tools until `has_changed` returns `true`, because the server rejected the headers
    /// that repeat arguments of a tool. Returns `false` if it never does.
    #[cfg(feature = "http")]
    fn refresh_tools<'a>(
        &'a self,
        connection: &'a Arc<Connection>,
        revision: Revision,
        has_changed: &'a (dyn Fn() -> bool + Send + Sync),
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>>;
}

/// A request of a server.
pub(crate) struct InboundRequest<'a> {
    /// The number of the session in which it was sent; 0 for transports without sessions.
    pub(crate) session: u64,
    /// The revision in which the answer has to be written.
    pub(crate) revision: Revision,
    pub(crate) id: &'a RequestId,
    pub(crate) method: &'a str,
    pub(crate) params: Option<&'a RawValue>,
}

/// Logs that a notification of the server is malformed.
#[cold]
pub(crate) fn log_malformed(method: &str, error: &VersionError) {
    let (method, error) = (PeerText(method), PeerDisplay(error));
    tracing::warn!(%method, %error, "malformed notification");
}

/// A boxed future, so that senders can be trait objects.
pub(crate) type SendFuture<'a> =
    Pin<Box<dyn Future<Output = Result<(), TransportError>> + Send + 'a>>;

/// Sends messages to a server. Received messages go to the [`Connection`].
pub(crate) trait MessageSender: Send + Sync {
    /// Sends a request.
    ///
    /// Over HTTP the response to the request carries the answer; the future then hands all received
    /// messages to the connection and ends after the answer. Other transports end when the request
    /// is queued for the server. Dropping the future cancels the sending.
    ///
    /// # Errors
    ///
    /// The reason why the answer cannot arrive.
    fn send_request<'a>(
        &'a self,
        connection: &'a Arc<Connection>,
        request: OutgoingRequest<'a>,
    ) -> SendFuture<'a>;

    /// Sends a notification. Waits while the server does not read.
    fn send_notification<'a>(
        &'a self,
        connection: &'a Arc<Connection>,
        method: &'a str,
        message: Vec<u8>,
    ) -> SendFuture<'a>;

    /// Queues a message without waiting, such as the cancellation of a request. Their number is
    /// bounded by the number of requests.
    fn send_now(&self, message: Vec<u8>);

    /// Queues the response to a request of the server without waiting. It is dropped if the session
    /// of the request has ended: the next session reuses ids.
    fn send_response(&self, message: Vec<u8>, session: u64) {
        let _ = session;
        self.send_now(message);
    }

    /// Returns `true` if dropping the future of [`send_request`](Self::send_request) already
    /// cancels the request on the server.
    fn cancels_on_drop(&self, connection: &Connection) -> bool;

    /// Returns the revision that an earlier connection negotiated with the server.
    fn remembered_revision(&self) -> Option<Revision> {
        None
    }

    /// Returns what pauses the timeouts of calls, if there is anything.
    fn timeout_pause(&self) -> Option<&TimeoutPause> {
        None
    }

    /// Returns the URL of the server, if it has one.
    fn url(&self) -> Option<String> {
        None
    }

    /// Remembers which arguments of listed tools are repeated in HTTP headers. Removes tools whose
    /// schemas have invalid annotations for that.
    fn learn_tools(&self, tools: &mut Vec<Tool>) {
        let _ = tools;
    }

    /// Remembers the revision of the server for the next connection; `None` forgets it.
    fn remember_revision(&self, revision: Option<Revision>) {
        let _ = revision;
    }
}

/// A request as it is sent.
pub(crate) struct OutgoingRequest<'a> {
    #[cfg(feature = "http")]
    pub(crate) id: i64,
    #[cfg(feature = "http")]
    pub(crate) method: &'a str,
    #[cfg(feature = "http")]
    pub(crate) header_source: HeaderSource<'a>,
    /// The whole message.
    pub(crate) message: Vec<u8>,
    /// Set by the sender as soon as the server may have received the request.
    pub(crate) sent: &'a AtomicBool,
}

/// The parts of the params of a request that HTTP headers repeat.
#[derive(Clone, Copy, Default)]
#[cfg_attr(
    not(feature = "http"),
    expect(dead_code, reason = "only HTTP has headers")
)]
pub(crate) struct HeaderSource<'a> {
    /// The revision that `_meta` declares; that of the connection if absent.
    pub(crate) revision: Option<Revision>,
    /// The name of the tool or prompt, or the URI of the resource.
    pub(crate) name: Option<&'a str>,
    /// The arguments of the tool, as JSON.
    pub(crate) arguments: Option<&'a str>,
}

/// The revision that both sides use, and the server's description of itself.
#[derive(Clone, Debug)]
pub(crate) struct NegotiationResult {
    pub(crate) revision: Revision,
    pub(crate) info: Option<Implementation>,
    pub(crate) capabilities: ServerCapabilities,
    pub(crate) instructions: Option<String>,
    /// The malformed members that were left out of the result.
    pub(crate) dropped: Vec<DroppedMember>,
}
