//! The handshake of the revisions before 2026-07-28, and the requests that went with it.

use std::sync::Arc;

use mcp_types::error::DecodeError;
use mcp_types::rpc::{self, ErrorObject};
use mcp_types::v2025_11_25::{
    InitializeResult, PingRequest, SetLevelRequest, SubscribeRequest, UnsubscribeRequest,
};
use mcp_types::{
    ClientCapabilities, Implementation, LoggingLevel, Request, RequestId, Revision, json,
};
use serde::Deserialize;

use super::{INITIALIZE, empty};
use crate::builder::ServerBuilder;
use crate::context::Context;
use crate::engine::{Answer, Head, Via};
use crate::error::{HandlerError, short};
use crate::limits::SUBSCRIBED_BYTES;
#[cfg(feature = "versioned-resources")]
use crate::listen::subscribed;
use crate::route::{Route, Running, common};
use crate::server::Server;
use crate::session::Session;

pub(super) fn routes(builder: &mut ServerBuilder) {
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
            modern: subscribed::subscribe,
            ..subscribe
        },
        Quiet {
            modern: subscribed::unsubscribe,
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
            let message = (self.modern)(cx, head.params())?;
            return Ok(Box::pin(std::future::ready(Ok(message))));
        }
        let done = (self.legacy)(cx, head);
        let message = cx.request_id().map(empty).unwrap_or_default();
        Ok(Box::pin(std::future::ready(done.map(|()| message))))
    }
}

/// What is asked for in `logging/setLevel`.
#[derive(Deserialize)]
struct Level {
    level: LoggingLevel,
}

/// What is asked for in `resources/subscribe` and `resources/unsubscribe`.
#[derive(Deserialize)]
struct Subscription {
    uri: String,
}

fn set_level(cx: &Context, head: &Head<'_>) -> Result<(), HandlerError> {
    let params: Level = common(head, cx)?;
    if let Some(session) = cx.peer().session() {
        session.set_level(params.level);
    }
    Ok(())
}

fn subscribe(cx: &Context, head: &Head<'_>) -> Result<(), HandlerError> {
    let params: Subscription = common(head, cx)?;
    let limit = cx.server().limits().subscribed_resources;
    match cx.peer().session() {
        Some(session) if !session.subscribe(&params.uri, limit) => {
            Err(HandlerError::invalid_params(format!(
                "more than {limit} subscriptions, or {SUBSCRIBED_BYTES} bytes of URIs"
            )))
        }
        _ => Ok(()),
    }
}

fn unsubscribe(cx: &Context, head: &Head<'_>) -> Result<(), HandlerError> {
    let params: Subscription = common(head, cx)?;
    if let Some(session) = cx.peer().session() {
        session.unsubscribe(&params.uri);
    }
    Ok(())
}

/// What is asked for in `initialize`. What the newest revision says of a client is what all older
/// ones do, and more: it is kept as that from the beginning.
#[derive(Deserialize)]
struct Initialize {
    #[serde(rename = "protocolVersion")]
    version: String,
    capabilities: ClientCapabilities,
    #[serde(rename = "clientInfo")]
    client_info: Implementation,
}

/// Answers `initialize`: the revision asked for if it is one with a handshake, else the
/// newest of those.
pub(crate) fn initialize(
    server: &Server,
    id: &RequestId,
    head: &Head<'_>,
    via: &Via,
) -> Result<(Arc<Session>, Answer), ErrorObject> {
    let fault = |error: DecodeError| {
        ErrorObject::invalid_params(format!("params of `{INITIALIZE}`: {error}"))
    };
    head.check_meta(Revision::V2025_11_25).map_err(fault)?;
    let params: Initialize = json::from_str(head.params()).map_err(fault)?;
    let revision = params.version.parse().ok();
    let revision = revision
        .filter(|&revision| revision < Revision::LATEST)
        .unwrap_or(Revision::V2025_11_25);
    let session = Arc::new(Session::new(
        via.session_id.clone(),
        revision,
        params.client_info,
        params.capabilities,
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
        client = %short(&session.client_info.name),
        "session begins"
    );
    let answer = Answer {
        message,
        refused: None,
    };
    Ok((session, answer))
}
