//! How the two eras begin, and the small requests that belong to neither tools, resources nor
//! prompts: `initialize`, `server/discover`, `ping`, `logging/setLevel`, `resources/subscribe`,
//! `notifications/cancelled`.

use mcp_types::error::DecodeError;
use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::{
    CacheScope, DiscoverRequest, DiscoverResult, Request, RequestId, Revision,
    UnsupportedProtocolVersionErrorData, json,
};
use serde_json::value::RawValue;

use crate::protocol::context::Context;
use crate::protocol::dispatch::Answer;
use crate::protocol::error::{HandlerError, short};
use crate::protocol::raw_object::{FromMembers, Members};
use crate::protocol::session::Session;
use crate::server::builder::ServerBuilder;

pub(crate) const INITIALIZE: &str = "initialize";
pub(crate) const INITIALIZED: &str = "notifications/initialized";
pub(crate) const PING: &str = "ping";
pub(crate) const CANCELLED: &str = "notifications/cancelled";
pub(crate) const LISTEN: &str = "subscriptions/listen";

pub(crate) fn routes(builder: &mut ServerBuilder) {
    builder.serve(DiscoverRequest::METHOD, discover);
    super::handshake::routes(builder);
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
        format!("protocol version `{}` is not supported", short(requested)),
    );
    match json::to_value(&data) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}

/// What is asked for in `server/discover`: nothing.
struct Discover;

impl FromMembers for Discover {
    fn from_members(_: &Members<'_>) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}

async fn discover(_: Discover, cx: Context) -> Result<DiscoverResult, HandlerError> {
    let inner = &cx.server().inner;
    let mut result = DiscoverResult::new(
        supported(),
        inner.capabilities.clone(),
        3_600_000,
        CacheScope::Public,
    );
    result.instructions.clone_from(&inner.instructions);
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
    fn from_members(members: &Members<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            id: members.required("requestId")?,
            reason: members.optional("reason")?,
        })
    }
}

/// The request that a peer gives up. One that does not fit is ignored, as the specification asks.
pub(crate) fn cancelled(params: Option<&RawValue>) -> Option<RequestId> {
    let read = Members::read(params?);
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

/// Notes what a legacy peer tells of itself.
pub(crate) fn told(session: &Session, method: &str) {
    if method == INITIALIZED {
        let order = std::sync::atomic::Ordering::Relaxed;
        session.initialized.store(true, order);
    }
}
