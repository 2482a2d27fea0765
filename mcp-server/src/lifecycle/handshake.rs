//! The handshake of the revisions before 2026-07-28, and the requests that went with it.

use std::sync::Arc;

use mcp_types::rpc::{self, ErrorObject};
use mcp_types::v2025_11_25::{
    InitializeRequestParams, InitializeResult, PingRequest, SetLevelRequest, SetLevelRequestParams,
    SubscribeRequest, SubscribeRequestParams, UnsubscribeRequest, UnsubscribeRequestParams,
};
use mcp_types::{Request, RequestId, Revision};
use serde_json::value::RawValue;

use super::{INITIALIZE, empty};
use crate::builder::ServerBuilder;
use crate::context::Context;
use crate::engine::{Answer, Via};
use crate::error::{HandlerError, short};
use crate::limits::SUBSCRIBED_BYTES;
#[cfg(feature = "versioned-resources")]
use crate::listen::subscribed;
use crate::route::{Route, Running};
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
    legacy: fn(&Context, &str) -> Result<(), HandlerError>,
    /// The answer to a peer that has no session.
    modern: fn(&Context, &str) -> Result<Vec<u8>, HandlerError>,
}

impl Route for Quiet {
    fn start(&self, params: Option<&RawValue>, cx: &Context) -> Result<Running, HandlerError> {
        let params = params.map_or("{}", RawValue::get);
        if cx.peer().session().is_none() {
            let message = (self.modern)(cx, params)?;
            return Ok(Box::pin(std::future::ready(Ok(message))));
        }
        let done = (self.legacy)(cx, params);
        let message = cx.request_id().map(empty).unwrap_or_default();
        Ok(Box::pin(std::future::ready(done.map(|()| message))))
    }
}

fn set_level(cx: &Context, params: &str) -> Result<(), HandlerError> {
    let params: SetLevelRequestParams = read(cx, params)?;
    if let Some(session) = cx.peer().session() {
        session.set_level(params.level);
    }
    Ok(())
}

fn subscribe(cx: &Context, params: &str) -> Result<(), HandlerError> {
    let params: SubscribeRequestParams = read(cx, params)?;
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

fn unsubscribe(cx: &Context, params: &str) -> Result<(), HandlerError> {
    let params: UnsubscribeRequestParams = read(cx, params)?;
    if let Some(session) = cx.peer().session() {
        session.unsubscribe(&params.uri);
    }
    Ok(())
}

fn read<T: mcp_types::revision::Versioned>(cx: &Context, params: &str) -> Result<T, HandlerError> {
    cx.revision()
        .decode(params)
        .map_err(|error| crate::error::bad_params(cx.method(), &error))
}

/// Answers `initialize`: the revision asked for if it is one with a handshake, else the
/// newest of those.
pub(crate) fn initialize(
    server: &Server,
    id: &RequestId,
    params: Option<&RawValue>,
    via: &Via,
) -> Result<(Arc<Session>, Answer), ErrorObject> {
    let revision = requested(params)
        .parse()
        .ok()
        .filter(|&revision| revision < Revision::LATEST)
        .unwrap_or(Revision::V2025_11_25);
    let text = params.map_or("{}", RawValue::get);
    let fault = |error: &dyn std::fmt::Display| {
        ErrorObject::invalid_params(format!("params of `{INITIALIZE}`: {error}"))
    };
    let params: InitializeRequestParams = revision.decode(text).map_err(|error| fault(&error))?;
    let capabilities = params
        .capabilities
        .try_into()
        .map_err(|error| fault(&error))?;
    let session = Arc::new(Session::new(
        via.session_id.clone(),
        revision,
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
        client = %short(&session.client_info.name),
        "session begins"
    );
    let answer = Answer {
        message,
        refused: None,
    };
    Ok((session, answer))
}

/// The revision that an `initialize` asks for.
fn requested(params: Option<&RawValue>) -> String {
    #[derive(serde::Deserialize)]
    struct Requested {
        #[serde(rename = "protocolVersion")]
        version: String,
    }
    params
        .and_then(|params| serde_json::from_str::<Requested>(params.get()).ok())
        .map_or_else(String::new, |requested| requested.version)
}
