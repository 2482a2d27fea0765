//! `server/discover`, `ping` and `notifications/cancelled`, and requests that exist only in
//! sessions.

use std::future::{Future, ready};

use mcp_types::error::DecodeError;
use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::rpc::ErrorObject;
use mcp_types::v2025_11_25::PingRequest;
use mcp_types::{
    CacheScope, DiscoverRequest, DiscoverResult, Item, Request, RequestId, Revision,
    UnsupportedProtocolVersionErrorData, json, rpc,
};
use mcp_wire::capability;
use serde_json::value::RawValue;

use crate::protocol::core::{Context, ResponseFuture, Route};
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::{method_not_found, short};
use crate::protocol::handler::HandlerFuture;
use crate::protocol::message::Answer;
use crate::protocol::message::methods::INITIALIZED;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::message::raw_object::{FromMembers, RawObject};
use crate::protocol::session::Session;
use crate::util::and_then::and_then;

pub(crate) fn register(registry: &mut Registry) {
    registry.serve(DiscoverRequest::METHOD, discover);
    let ping = SessionRequest::new(|_, _| Ok(()));
    registry.route(PingRequest::METHOD, Box::new(ping));
}

/// Returns the names of revisions, newest first.
fn newest_first(revisions: &[Revision]) -> Vec<String> {
    let names = revisions.iter().rev();
    names.map(|revision| revision.as_str().to_owned()).collect()
}

/// Creates the error -32022, which lists the supported revisions.
pub(crate) fn unsupported(requested: &str, supported: &[Revision]) -> ErrorObject {
    let data = UnsupportedProtocolVersionErrorData::new(newest_first(supported), requested);
    let error = ErrorObject::new(
        mcp_types::UNSUPPORTED_PROTOCOL_VERSION,
        format!(
            "protocol version `{}` is not supported: expected one of {}",
            short(requested),
            data.supported.join(", ")
        ),
    );
    match json::to_value(&data) {
        Ok(data) => error.data(data),
        Err(_) => error,
    }
}

/// The member of the capabilities with the name [`capability::LOGGING`].
const LOGGING: Item = Item::named("ServerCapabilities.logging");

/// The params of `server/discover`, which are ignored.
struct Discover;

impl FromMembers for Discover {
    fn from_members(_: &RawObject<'_>) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}

async fn discover(_: Discover, cx: Context) -> Result<DiscoverResult, HandlerError> {
    let core = cx.core();
    let mut capabilities = core.about.capabilities.clone();
    if !cx.revision().has(LOGGING) {
        // Where the types have no such member either, it is an unknown one.
        capabilities.extra.remove(capability::LOGGING);
    }
    let supported = newest_first(core.about.revisions);
    let mut result = DiscoverResult::new(supported, capabilities, 3_600_000, CacheScope::Public);
    result.instructions = core.instructions();
    Ok(result)
}

/// Creates the response to a `ping` before the handshake.
pub(crate) fn pong(id: &RequestId) -> Answer {
    Answer {
        message: empty(id),
        refused: None,
    }
}

/// Encodes a response with an empty result, as legacy revisions define it.
pub(crate) fn empty(id: &RequestId) -> Vec<u8> {
    let mut message = Vec::with_capacity(48);
    // Encoding an id and an empty object does not fail.
    let _ = rpc::write_result(&mut message, id, &json::Object::new());
    message
}

/// Returns what a peer cancels. Malformed params are ignored, as the specification requires.
pub(crate) fn cancelled(params: Option<&RawValue>) -> Option<Cancellation> {
    let read = RawObject::read(params?);
    match read.and_then(|members| Cancellation::from_members(&members)) {
        Ok(cancellation) => {
            let reason = cancellation.reason.as_deref().map(PeerText);
            let reason = reason.map(tracing::field::display);
            let id = PeerDisplay(&cancellation.id);
            tracing::debug!(%id, reason, "the peer cancelled a request");
            Some(cancellation)
        }
        Err(error) => {
            tracing::warn!(
                error = %PeerDisplay(error),
                "ignored `notifications/cancelled` with malformed params"
            );
            None
        }
    }
}

/// Marks the session as initialized if the notification is `notifications/initialized`.
pub(crate) fn mark_initialized(session: &Session, method: &str) {
    if method == INITIALIZED {
        let order = std::sync::atomic::Ordering::Relaxed;
        session.initialized.store(true, order);
    }
}

/// Handles a request of a peer with a session.
pub(crate) type LegacyHandler =
    Box<dyn Fn(&Context, &ParamsView<'_>) -> Result<HandlerFuture<()>, HandlerError> + Send + Sync>;

/// Handles a request of a peer without a session. The second argument is the JSON text of the
/// params.
pub(crate) type ModernHandler =
    Box<dyn Fn(&Context, &str) -> Result<ResponseFuture, HandlerError> + Send + Sync>;

/// A route for a request whose result is empty in sessions.
pub(crate) struct SessionRequest {
    pub(crate) legacy: LegacyHandler,
    /// Handles the request of a peer of the newest revision, which has no session.
    pub(crate) modern: ModernHandler,
}

impl SessionRequest {
    /// Creates a route for a request that the newest revision does not have, and that is served at
    /// once.
    pub(crate) fn new(legacy: fn(&Context, &ParamsView<'_>) -> Result<(), HandlerError>) -> Self {
        Self::of_future(move |cx, params| legacy(cx, params).map(|()| ready(Ok(()))))
    }

    /// Creates a route for a request that the newest revision does not have. The function decodes
    /// the params and returns a future that serves the request.
    pub(crate) fn of_future<F>(
        legacy: impl Fn(&Context, &ParamsView<'_>) -> Result<F, HandlerError> + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        Self {
            legacy: Box::new(move |cx, params| {
                let serving: HandlerFuture<()> = Box::pin(legacy(cx, params)?);
                Ok(serving)
            }),
            modern: Box::new(|cx, _| Err(HandlerError::from(method_not_found(cx.method())))),
        }
    }
}

impl Route for SessionRequest {
    fn start(&self, params: &ParamsView<'_>, cx: &Context) -> Result<ResponseFuture, HandlerError> {
        if cx.peer().session().is_none() {
            return (self.modern)(cx, params.text());
        }
        let serving = (self.legacy)(cx, params)?;
        let mut message = cx.request_id().map(empty).unwrap_or_default();
        Ok(Box::pin(and_then(serving, move |()| {
            Ok(std::mem::take(&mut message))
        })))
    }
}

/// The maximum size of the reason of a cancellation in bytes. The rest is cut off.
const REASON_BYTES: usize = 1024;

/// The cancellation of a request by the client.
#[derive(Clone)]
pub(crate) struct Cancellation {
    pub(crate) id: RequestId,
    /// The reason that the client gave, of at most [`REASON_BYTES`].
    pub(crate) reason: Option<String>,
}

impl FromMembers for Cancellation {
    fn from_members(members: &RawObject<'_>) -> Result<Self, DecodeError> {
        let mut reason: Option<String> = members.optional("reason")?;
        if let Some(reason) = &mut reason {
            let mut ends = (0..=REASON_BYTES.min(reason.len())).rev();
            let end = ends.find(|end| reason.is_char_boundary(*end));
            reason.truncate(end.unwrap_or_default());
            reason.shrink_to_fit();
        }
        Ok(Self {
            id: members.required("requestId")?,
            reason,
        })
    }
}
