//! Questions of modern upstreams for clients with a session, and the level of log messages of
//! upstreams with a session.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::Client;
use mcp_server::types::json::{self, Map};
use mcp_server::types::revision::VersionError;
use mcp_server::types::{
    CreateMessageRequest, ElicitRequest, ListRootsRequest, LoggingLevel, Request as _, Revision,
};
use mcp_server::{Context, HandlerError};
use mcp_wire::capability::{LOGGING, is_declared};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::sealed::{RESPONSES, STATE, Sealed};
use crate::error::short;
use crate::upstream::connection::Link;

/// The questions in a result.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Questions {
    result_type: String,
    input_requests: Option<Map<Box<RawValue>>>,
    request_state: Option<Box<RawValue>>,
}

/// Returns the questions, if a result consists of them.
pub(crate) fn asked(result: &RawValue) -> Option<Questions> {
    let asked: Questions = serde_json::from_str(result.get()).ok()?;
    (asked.result_type == "input_required").then_some(asked)
}

/// Seals the state in a result that consists of questions, for the user who is asked.
pub(crate) fn sealed(
    cx: &Context,
    upstream: &str,
    result: &RawValue,
) -> Result<Box<RawValue>, HandlerError> {
    let mut result: Map<Box<RawValue>> = json::from_str(result.get())?;
    Sealed::State.seal_member(cx, upstream, &mut result, STATE)?;
    Ok(json::to_raw(&result)?)
}

/// Asks the client, and adds the answers to the params of the next round.
pub(crate) async fn answer(
    cx: &Context,
    revision: Revision,
    asked: Questions,
    params: &mut Map<Box<RawValue>>,
) -> Result<(), HandlerError> {
    let mut answers: Map<Box<RawValue>> = Map::new();
    for (key, request) in asked.input_requests.iter().flat_map(Map::iter) {
        answers.insert(key, one(cx, revision, request).await?);
    }
    params.remove(RESPONSES);
    if !answers.is_empty() {
        params.insert(RESPONSES, json::to_raw(&answers)?);
    }
    params.remove(STATE);
    if let Some(state) = asked.request_state {
        params.insert(STATE, state);
    }
    Ok(())
}

async fn one(
    cx: &Context,
    revision: Revision,
    request: &RawValue,
) -> Result<Box<RawValue>, HandlerError> {
    #[derive(Deserialize)]
    struct Method {
        method: String,
    }
    let invalid = |error: VersionError| {
        let text = format!("a question of a server behind the gateway is invalid: {error}");
        HandlerError::internal(text)
    };
    let Method { method } = serde_json::from_str(request.get())?;
    let text = request.get();
    match &*method {
        ElicitRequest::METHOD => {
            let request: ElicitRequest = revision.decode(text).map_err(invalid)?;
            Ok(revision.encode(cx.ask(request).await?)?)
        }
        CreateMessageRequest::METHOD => {
            let request: CreateMessageRequest = revision.decode(text).map_err(invalid)?;
            Ok(revision.encode(cx.ask(request).await?)?)
        }
        ListRootsRequest::METHOD => {
            let request: ListRootsRequest = revision.decode(text).map_err(invalid)?;
            Ok(revision.encode(cx.ask(request).await?)?)
        }
        method => {
            let text = format!("the gateway does not pass on `{}`", short(method));
            Err(HandlerError::internal(text))
        }
    }
}

/// Sets the level of log messages of a connection for one call, if it is another one. An upstream
/// that refuses, or does not answer within `time`, is used with its own level. Does not wait while
/// another level is being set: this one is set afterwards.
pub(crate) async fn set_log_level(
    client: &Client,
    link: &Arc<Link>,
    level: Option<LoggingLevel>,
    time: Duration,
) {
    let Some(mut level) = level else {
        return;
    };
    if !is_declared(&client.server_capabilities(), LOGGING) {
        return;
    }
    {
        // Noted before the upstream answers, so that other calls do not wait for it. One task for
        // each connection: a client may ask for many levels before the upstream answers once.
        let mut noted = link.log_level();
        let is_same = noted.newest.replace(level) == Some(level);
        if is_same || std::mem::replace(&mut noted.is_being_set, true) {
            return;
        }
    }
    let (client, link) = (client.clone(), Arc::clone(link));
    // A task, so that the level is also set if the call is cancelled.
    let setting = tokio::spawn(async move {
        loop {
            let params = json::Object::from([("level", level.as_str())]);
            let setting = client.request_json("logging/setLevel", &params);
            if let Err(error) = setting.timeout(time).await {
                tracing::debug!(%error, "the level of log messages cannot be set");
            }
            let mut noted = link.log_level();
            let Some(newest) = noted.newest.filter(|newest| *newest != level) else {
                noted.is_being_set = false;
                return;
            };
            level = newest;
        }
    });
    // Fails only if the runtime shuts down.
    let _ = setting.await;
}
