//! The small requests of the protocol itself: `server/discover`, `ping` and
//! `notifications/cancelled`, and what the requests of a session have in common.

use mcp_types::error::DecodeError;
use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::v2025_11_25::PingRequest;
use mcp_types::{
    CacheScope, DiscoverRequest, DiscoverResult, Request, RequestId, Revision,
    UnsupportedProtocolVersionErrorData, json,
};
use serde_json::value::RawValue;

use crate::protocol::answer::Answer;
use crate::protocol::core::{Context, ResponseFuture, Route};
use crate::protocol::error::{HandlerError, short};
use crate::protocol::methods::INITIALIZED;
use crate::protocol::params_view::ParamsView;
use crate::protocol::raw_object::{FromMembers, RawObject};
use crate::protocol::registry::Registry;
use crate::protocol::session::Session;

pub(crate) fn register(registry: &mut Registry) {
    registry.serve(DiscoverRequest::METHOD, discover);
    let ping = SessionRequest::new(|_, _| Ok(()));
    registry.route(PingRequest::METHOD, Box::new(ping));
}

/// The revisions that the server speaks, newest first.
pub(crate) fn supported() -> Vec<String> {
    let all = Revision::ALL.iter().rev();
    all.map(|revision| revision.as_str().to_owned()).collect()
}

/// -32022 with what the client can choose from.
pub(crate) fn unsupported(requested: &str) -> ErrorObject {
    let data = UnsupportedProtocolVersionErrorData::new(supported(), requested);
    let error = ErrorObject::new(
        mcp_types::UNSUPPORTED_PROTOCOL_VERSION,
        format!(
            "protocol version `{}` is not supported: expected one of {}",
            short(requested),
            data.supported.join(", ")
        ),
    );
    match json::to_value(&data) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}

/// What is asked for in `server/discover`: nothing.
struct Discover;

impl FromMembers for Discover {
    fn from_members(_: &RawObject<'_>) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}

async fn discover(_: Discover, cx: Context) -> Result<DiscoverResult, HandlerError> {
    let core = cx.core();
    let mut result = DiscoverResult::new(
        supported(),
        core.capabilities.clone(),
        3_600_000,
        CacheScope::Public,
    );
    result.instructions.clone_from(&core.instructions);
    Ok(result)
}

/// The answer to a ping that comes before the handshake.
pub(crate) fn pong(id: &RequestId) -> Answer {
    Answer {
        message: empty(id),
        refused: None,
    }
}

/// A response that says nothing, in the form of the legacy revisions.
pub(crate) fn empty(id: &RequestId) -> Vec<u8> {
    let mut message = Vec::with_capacity(48);
    // An id and an empty object can always be written.
    let _ = rpc::write_result(&mut message, id, &json::Object::new());
    message
}

/// What is told in `notifications/cancelled`.
struct Cancelled {
    id: RequestId,
    reason: Option<String>,
}

impl FromMembers for Cancelled {
    fn from_members(members: &RawObject<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            id: members.required("requestId")?,
            reason: members.optional("reason")?,
        })
    }
}

/// The request that a peer gives up. One that does not fit is ignored, as the specification asks.
pub(crate) fn cancelled(params: Option<&RawValue>) -> Option<RequestId> {
    let read = RawObject::read(params?);
    match read.and_then(|members| Cancelled::from_members(&members)) {
        Ok(Cancelled { id, reason }) => {
            let reason = reason.as_deref().map(PeerText);
            let reason = reason.map(tracing::field::display);
            tracing::debug!(id = %PeerDisplay(&id), reason, "cancelled by the peer");
            Some(id)
        }
        Err(error) => {
            tracing::warn!(error = %PeerDisplay(error), "cancellation that cannot be read");
            None
        }
    }
}

/// Marks the session as initialized if the notification says so.
pub(crate) fn mark_initialized(session: &Session, method: &str) {
    if method == INITIALIZED {
        let order = std::sync::atomic::Ordering::Relaxed;
        session.initialized.store(true, order);
    }
}

/// Answers a peer without a session, given the text of the params.
pub(crate) type ModernHandler =
    Box<dyn Fn(&Context, &str) -> Result<Vec<u8>, HandlerError> + Send + Sync>;

/// A request of a session, which is answered with an empty result.
pub(crate) struct SessionRequest {
    pub(crate) legacy: fn(&Context, &ParamsView<'_>) -> Result<(), HandlerError>,
    /// The answer to a peer of the newest revision, which has no session.
    pub(crate) modern: ModernHandler,
}

impl SessionRequest {
    /// A request that the newest revision does not have.
    pub(crate) fn new(legacy: fn(&Context, &ParamsView<'_>) -> Result<(), HandlerError>) -> Self {
        Self {
            legacy,
            modern: Box::new(|cx, _| Err(HandlerError::method_not_found(cx.method()))),
        }
    }
}

impl Route for SessionRequest {
    fn start(&self, head: &ParamsView<'_>, cx: &Context) -> Result<ResponseFuture, HandlerError> {
        if cx.peer().session().is_none() {
            let message = (self.modern)(cx, head.text())?;
            return Ok(Box::pin(std::future::ready(Ok(message))));
        }
        let done = (self.legacy)(cx, head);
        let message = cx.request_id().map(empty).unwrap_or_default();
        Ok(Box::pin(std::future::ready(done.map(|()| message))))
    }
}
