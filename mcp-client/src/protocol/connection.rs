//! [`Core`]: what the handles of a client and its transport share.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

#[cfg(feature = "json-schema")]
use mcp_types::ToolListChangedNotification;
use mcp_types::json::{self, Map};
use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::revision::VersionError;
use mcp_types::rpc::{self, ErrorObject, Incoming, Message};
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, ClientCapabilities, Implementation,
    LoggingLevel, Notification, ProgressNotification, ProgressNotificationParams, ProgressToken,
    Proposal, RequestId, Revision,
};
use serde_json::value::RawValue;
use tokio::sync::{Semaphore, watch};

use crate::features::cache::Cached;
use crate::features::notifications::Notifications;
#[cfg(feature = "json-schema")]
use crate::features::output_schemas::Schemas;
use crate::features::server_requests::inputs::Inputs;
use crate::features::server_requests::{Answering, Requests};
use crate::features::subscriptions::{Inboxes, Watched, notice};
use crate::protocol::connection_state::Life;
#[cfg(feature = "tls")]
use crate::protocol::fetch::FetchPolicy;
use crate::protocol::limits::Limits;
use crate::protocol::link::Link;
use crate::protocol::negotiated::Era;
use crate::protocol::pending::{Calls, Reply};

/// As many messages of a batch are taken.
const BATCH: usize = 1_000;

/// Bytes of what is no message that are read for a log, which shows at most 200 characters.
const EXCERPT: usize = 1_000;

/// The state of a connection.
pub(crate) struct Core {
    pub(crate) info: Implementation,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) proposals: BTreeSet<Proposal>,
    /// What requests of the newest revision say of the client in `_meta`.
    pub(crate) described: Map<Box<RawValue>>,
    pub(crate) limits: Limits,
    pub(crate) inputs: Inputs,
    pub(crate) calls: Arc<Calls>,
    pub(crate) link: Arc<dyn Link>,
    /// What need not be asked for again, where that was wished for.
    pub(crate) cache: Option<Cached>,
    /// What tools promise of their results.
    #[cfg(feature = "json-schema")]
    pub(crate) schemas: Schemas,
    pub(crate) notifications: Notifications,
    /// A permit for each question of a server of the newest revision that may be worked on.
    pub(crate) questions: Arc<Semaphore>,
    pub(crate) requests: Arc<Requests>,
    pub(crate) inboxes: Inboxes,
    pub(crate) watched: Watched,
    /// What servers are asked to log.
    pub(crate) log_level: Option<LoggingLevel>,
    /// Counts how often a revision was agreed on.
    pub(crate) agreed: watch::Sender<u64>,
    /// Known once the server has said who it is.
    pub(crate) era: RwLock<Option<Arc<Era>>>,
    /// The one revision that the program wants to speak.
    pub(crate) pinned: Option<Revision>,
    pub(crate) life: Life,
    /// How URLs that the server names are loaded.
    #[cfg(feature = "tls")]
    pub(crate) fetch: FetchPolicy,
}

impl Core {
    /// The revision that is spoken; before that is known, the newest.
    pub(crate) fn revision(&self) -> Revision {
        let era = self.era.read().unwrap_or_else(PoisonError::into_inner);
        era.as_ref().map_or(Revision::LATEST, |era| era.revision)
    }

    /// What the server said of itself.
    pub(crate) fn era(&self) -> Option<Arc<Era>> {
        let era = self.era.read().unwrap_or_else(PoisonError::into_inner);
        era.clone()
    }

    /// From now on the server is spoken to like this.
    pub(crate) fn agree(&self, era: Era) {
        let mut agreed = self.era.write().unwrap_or_else(PoisonError::into_inner);
        *agreed = Some(Arc::new(era));
        self.agreed.send_modify(|times| *times += 1);
    }

    /// Tells the server that nobody waits for an answer any more.
    pub(crate) fn cancel(&self, id: i64) {
        let params = CancelledNotificationParams::new(id);
        let mut message = Vec::new();
        let written =
            rpc::write_notification(&mut message, CancelledNotification::METHOD, Some(&params));
        if written.is_ok() {
            self.link.send_now(message);
        }
    }

    /// Tells what one text from the server is.
    pub(crate) fn parse<'a>(&self, text: &'a [u8]) -> Result<Incoming<'a>, rpc::EnvelopeError> {
        if self.revision() == Revision::V2025_03_26 {
            rpc::parse_batch(text, BATCH)
        } else {
            rpc::parse(text).map(Incoming::Single)
        }
    }

    /// Takes one text from a server without sessions.
    pub(crate) fn receive(self: &Arc<Self>, text: &[u8]) {
        self.receive_in(0, text);
    }

    /// Takes one text from the server, which belongs to the session with this number.
    pub(crate) fn receive_in(self: &Arc<Self>, session: u64, text: &[u8]) {
        match self.parse(text) {
            Ok(Incoming::Single(message)) => self.message(session, message),
            Ok(Incoming::Batch(messages)) => {
                for message in messages {
                    match message {
                        Ok(message) => self.message(session, message),
                        Err(fault) => self.malformed(fault, text),
                    }
                }
            }
            Err(fault) => self.malformed(fault, text),
        }
    }

    fn malformed(&self, fault: rpc::EnvelopeError, text: &[u8]) {
        tracing::warn!(
            fault = %PeerDisplay(&fault),
            excerpt = %PeerText(&excerpt(text)),
            "the server sent what is no message"
        );
        if let Some(id) = fault.id().filter(|_| fault.is_response()).cloned() {
            self.calls.reply(&id, Reply::Malformed(fault));
        }
    }

    fn message(&self, session: u64, message: Message<'_>) {
        match message {
            Message::Result { id, result, .. } => {
                self.reply(&id, Reply::Result(result.to_owned()));
            }
            Message::Error { id, error, .. } => {
                let error = json::from_str(error.get()).unwrap_or_else(|fault| {
                    ErrorObject::internal_error(format!("the server's error is none: {fault}"))
                });
                if let Some(id) = id {
                    self.reply(&id, Reply::Error(error));
                } else {
                    let error = PeerDisplay(&error);
                    tracing::warn!(%error, "the server could not read a message");
                }
            }
            Message::Notification { method, params, .. } => self.notification(&method, params),
            Message::Request {
                id, method, params, ..
            } => self.request(session, &id, &method, params),
        }
    }

    fn reply(&self, id: &RequestId, reply: Reply) {
        if !self.calls.reply(id, reply) {
            tracing::debug!(id = %PeerDisplay(id), "an answer that nobody waits for");
        }
    }

    fn notification(&self, method: &str, params: Option<&RawValue>) {
        let revision = self.revision();
        let text = params.map_or("null", RawValue::get);
        if let Some(cache) = &self.cache {
            cache.notice(method, text);
        }
        #[cfg(feature = "json-schema")]
        if method == ToolListChangedNotification::METHOD {
            self.schemas.forget();
        }
        let heard = match method {
            ProgressNotification::METHOD => self.progress(revision, text),
            CancelledNotification::METHOD => self.cancelled(revision, text),
            _ => notice(&self.inboxes, revision, method, params),
        };
        let heard = heard.unwrap_or_else(|error| {
            unreadable(method, &error);
            true
        });
        let handled = self.notifications.hear(revision, method, text);
        if !heard && !handled {
            tracing::debug!(method = %PeerText(method), "notification without a handler");
        }
    }

    fn progress(&self, revision: Revision, text: &str) -> Result<bool, VersionError> {
        let params: ProgressNotificationParams = revision.decode(text)?;
        Ok(match params.progress_token {
            ProgressToken::Number(id) => self.calls.progress(id, params),
            ProgressToken::String(_) => false,
        })
    }

    fn cancelled(&self, revision: Revision, text: &str) -> Result<bool, VersionError> {
        let params: CancelledNotificationParams = revision.decode(text)?;
        Ok(self.requests.cancel(&params.request_id))
    }

    /// Servers of older revisions send requests, too.
    fn request(&self, session: u64, id: &RequestId, method: &str, params: Option<&RawValue>) {
        let with = Answering {
            session,
            inputs: self.inputs.clone(),
            link: Arc::clone(&self.link),
            revision: self.revision(),
            limit: self.limits.server_requests,
            byte_limit: self.limits.server_request_bytes,
        };
        self.requests.take(with, id, method, params);
    }
}

/// Logs that a notification of the server is malformed.
#[cold]
pub(crate) fn unreadable(method: &str, error: &VersionError) {
    let (method, error) = (PeerText(method), PeerDisplay(error));
    tracing::warn!(%method, %error, "a notification that cannot be read");
}

/// The beginning of a text; the rest is as long as the server likes.
fn excerpt(text: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(text.get(..EXCERPT).unwrap_or(text))
}
