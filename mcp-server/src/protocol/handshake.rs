//! The handshake of the revisions before 2026-07-28, and the requests that went with it.

use std::error::Error;
use std::sync::Arc;

use mcp_types::convert::ConvertError;
use mcp_types::error::DecodeError;
use mcp_types::peer_text::PeerText;
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::v2025_11_25::{
    InitializeRequestParams, InitializeResult, PingRequest, SetLevelRequest, SubscribeRequest,
    UnsubscribeRequest,
};
use mcp_types::{LoggingLevel, Request, RequestId, Revision};

use super::lifecycle::{INITIALIZE, empty};
use crate::features::resources::OfResource;
#[cfg(feature = "versioned-resources")]
use crate::features::subscriptions::connection;
use crate::protocol::context::Context;
use crate::protocol::core::Server;
use crate::protocol::dispatch::{Answer, Via};
use crate::protocol::error::{HandlerError, invalid_params};
use crate::protocol::limits::SUBSCRIBED_BYTES;
use crate::protocol::params_view::Head;
use crate::protocol::raw_object::{FromMembers, Members};
use crate::protocol::route::{Route, Running, common};
use crate::protocol::session::Session;
use crate::protocol::sizes;
use crate::protocol::uri_limit::check_uri;
use crate::server::builder::ServerBuilder;

pub(crate) fn routes(builder: &mut ServerBuilder) {
    let quiet = |legacy| Quiet {
        legacy,
        modern: |cx, _| Err(HandlerError::method_not_found(cx.method())),
    };
    builder.route(PingRequest::METHOD, Box::new(quiet(|_, _| Ok(()))));
    builder.route(SetLevelRequest::METHOD, Box::new(quiet(set_level)));
    let (subscribe, unsubscribe) = (quiet(subscribe), quiet(unsubscribe));
    // The proposal gives these names a second meaning.
    #[cfg(feature = "versioned-resources")]
    let (subscribe, unsubscribe) = (
        Quiet {
            modern: connection::subscribe,
            ..subscribe
        },
        Quiet {
            modern: connection::unsubscribe,
            ..unsubscribe
        },
    );
    builder.route(SubscribeRequest::METHOD, Box::new(subscribe));
    builder.route(UnsubscribeRequest::METHOD, Box::new(unsubscribe));
}

/// A request of the session itself, which is answered with an empty result.
struct Quiet {
    legacy: fn(&Context, &Head<'_>) -> Result<(), HandlerError>,
    /// The answer to a peer that has no session.
    modern: fn(&Context, &str) -> Result<Vec<u8>, HandlerError>,
}

impl Route for Quiet {
    fn start(&self, head: &Head<'_>, cx: &Context) -> Result<Running, HandlerError> {
        if cx.peer().session().is_none() {
            let message = (self.modern)(cx, head.text())?;
            return Ok(Box::pin(std::future::ready(Ok(message))));
        }
        let done = (self.legacy)(cx, head);
        let message = cx.request_id().map(empty).unwrap_or_default();
        Ok(Box::pin(std::future::ready(done.map(|()| message))))
    }
}

/// What is asked for in `logging/setLevel`.
struct Level(LoggingLevel);

impl FromMembers for Level {
    fn from_members(members: &Members<'_>) -> Result<Self, DecodeError> {
        members.required("level").map(Self)
    }
}

fn set_level(cx: &Context, head: &Head<'_>) -> Result<(), HandlerError> {
    let Level(level) = common(head, cx)?;
    if let Some(session) = cx.peer().session() {
        session.set_level(level);
    }
    Ok(())
}

fn subscribe(cx: &Context, head: &Head<'_>) -> Result<(), HandlerError> {
    let OfResource(uri) = common(head, cx)?;
    check_uri(cx.server(), "$.uri", &uri)?;
    let limit = cx.server().limits().subscribed_resources;
    match cx.peer().session() {
        Some(session) if !session.subscribe(&uri, limit) => Err(HandlerError::invalid_params(
            format!("more than {limit} subscriptions, or {SUBSCRIBED_BYTES} bytes of URIs"),
        )),
        _ => Ok(()),
    }
}

fn unsubscribe(cx: &Context, head: &Head<'_>) -> Result<(), HandlerError> {
    let OfResource(uri) = common(head, cx)?;
    check_uri(cx.server(), "$.uri", &uri)?;
    if let Some(session) = cx.peer().session() {
        session.unsubscribe(&uri);
    }
    Ok(())
}

/// Answers `initialize`: the revision asked for if it is one with a handshake, else the
/// newest of those.
pub(crate) fn initialize(
    server: &Server,
    id: &RequestId,
    head: &Head<'_>,
    via: &Via,
) -> Result<(Arc<Session>, Answer), ErrorObject> {
    let fault = |error: &dyn Error| invalid_params(INITIALIZE, error);
    // Before it is decoded: a session keeps it.
    let peer_bytes = sizes::peer(
        head.params(),
        ["clientInfo", "capabilities"],
        server.limits(),
    )
    .map_err(|error| fault(&error))?;
    let version = head.params().required::<String>("protocolVersion");
    let revision = version.map_err(|error| fault(&error))?.parse().ok();
    let revision = revision
        .filter(|&revision| revision < Revision::LATEST)
        .unwrap_or(Revision::V2025_11_25);
    // What the revision does not know is no member of its, whatever a newer one makes of the name.
    let params: InitializeRequestParams = revision
        .decode(head.text())
        .map_err(|error| fault(&error))?;
    let capabilities = params.capabilities.try_into();
    let capabilities = capabilities.map_err(|error: ConvertError| fault(&error))?;
    let session = Arc::new(Session::new(
        via.session_id.clone(),
        via.extensions.principal().map(Into::into),
        revision,
        peer_bytes,
        params.client_info,
        capabilities,
    ));
    let inner = &server.inner;
    let mut capabilities = inner.capabilities.clone();
    for proposal in &inner.proposals {
        proposal.withdraw(&mut capabilities.experimental);
    }
    let mut result =
        InitializeResult::new(revision.as_str(), capabilities.into(), inner.info.clone());
    result.instructions.clone_from(&inner.instructions);
    let mut message = Vec::with_capacity(512);
    rpc::write_result_at(&mut message, id, result, revision, None)
        .map_err(|error| ErrorObject::internal_error(error.to_string()))?;
    tracing::info!(
        revision = revision.as_str(),
        client = %PeerText(&session.client_info.name),
        "session begins"
    );
    let answer = Answer {
        message,
        refused: None,
    };
    Ok((session, answer))
}
