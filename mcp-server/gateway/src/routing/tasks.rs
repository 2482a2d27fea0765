//! Tasks of upstreams (extension `io.modelcontextprotocol/tasks`), with ids that work only for the
//! user who called the tool.
//!
//! The id that a client gets consists of the prefix of the upstream, and of the sealed id of the
//! upstream. Every gateway with the same keys knows it.

use std::sync::Arc;

use mcp_client::Client;
use mcp_server::types::json::{self, Map, Object};
use mcp_server::types::{ClientCapabilities, JsonObject, ServerCapabilities};
use mcp_server::{Context, HandlerError};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::params::text;
use super::sealed::Sealed;
use crate::error::short;
use crate::shared::{Behind, Shared};
use crate::upstream::Upstream;
use crate::uris::may_have;

/// The name of the extension.
pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";

/// The methods of the extension.
pub(crate) const METHODS: [&str; 3] = ["tasks/get", "tasks/update", "tasks/cancel"];

/// Returns the upstream's id of a task, if a result announces one.
pub(crate) fn announced(result: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Announced {
        result_type: String,
        task_id: String,
    }
    // Most results announce no task, and a long one is not decoded for nothing.
    if !may_have(result, "taskId") {
        return None;
    }
    let announced: Announced = serde_json::from_str(result.get()).ok()?;
    (announced.result_type == "task").then_some(announced.task_id)
}

/// Returns what a client declares that follows tasks.
pub(crate) fn capability() -> ClientCapabilities {
    let mut capabilities = ClientCapabilities::new();
    capabilities.extensions = Some([(TASKS, JsonObject::default())].into_iter().collect());
    capabilities
}

/// Returns `true` if an upstream may answer with tasks: one that is not known yet may, too.
pub(crate) fn are_offered(shared: &Shared) -> bool {
    let upstreams = shared.upstreams();
    let mut known = upstreams.iter().map(|behind| behind.pool.capabilities());
    known.any(|known| known.is_none_or(|known| offers(&known)))
}

/// Returns `true` if a server declares the extension.
pub(crate) fn offers(capabilities: &ServerCapabilities) -> bool {
    let extensions = capabilities.extensions.as_ref();
    extensions.is_some_and(|all| all.contains_key(TASKS))
}

/// Cancels a task that the client cannot follow. Returns the error for the client.
pub(crate) async fn refused(upstream: &Upstream, client: &Client, id: &str) -> HandlerError {
    let params = Object::from([("taskId", id)]);
    let cancelling = client
        .request_json("tasks/cancel", &params)
        .capabilities(capability())
        .timeout(upstream.limits.connect_time);
    if let Err(error) = cancelling.await {
        tracing::debug!(%error, "a task of an upstream cannot be cancelled");
    }
    HandlerError::internal(format!(
        "the server `{}` behind the gateway answered with a task, which this client does not support",
        upstream.name
    ))
}

/// Returns the id that the client sees of a task that an upstream announced.
pub(crate) fn presented_id(
    cx: &Context,
    behind: &Behind,
    id: &str,
) -> Result<String, HandlerError> {
    let prefix = behind.names.prefix().unwrap_or_default();
    let sealed = Sealed::Task.seal(cx, &behind.pool.upstream.name, id)?;
    Ok(format!("{prefix}.{sealed}"))
}

/// Sets the id that the client sees in the state of a task, and the URIs in its result.
pub(crate) fn presented(
    behind: &Behind,
    presented_id: &str,
    state: &RawValue,
) -> Result<Map<Box<RawValue>>, HandlerError> {
    let mut state = decoded(behind, state)?;
    state.insert("taskId", json::to_raw(presented_id)?);
    if let Some(result) = state.get("result") {
        let result = behind.names.uris.rewrite(result.clone())?;
        state.insert("result", result);
    }
    Ok(state)
}

/// Returns the upstream's id in the state of a task.
pub(crate) fn id_of(behind: &Behind, state: &RawValue) -> Result<String, HandlerError> {
    text(&decoded(behind, state)?, "taskId")
}

fn decoded(behind: &Behind, state: &RawValue) -> Result<Map<Box<RawValue>>, HandlerError> {
    json::from_str(state.get()).map_err(|error| {
        let upstream = &*behind.pool.upstream.name;
        let text = format!("the server `{upstream}` behind the gateway sent an invalid task");
        HandlerError::internal(text).logged_as(format!("invalid task of `{upstream}`: {error}"))
    })
}

/// Finds the upstream of a task of this user, and sets its own id. Also returns the id that the client
/// knows.
pub(crate) fn located(
    shared: &Shared,
    cx: &Context,
    params: &mut Map<Box<RawValue>>,
) -> Result<(Arc<Behind>, String), HandlerError> {
    let presented = text(params, "taskId")?;
    let Some((behind, id)) = found(shared, cx, &presented) else {
        let text = format!("$.taskId: unknown task `{}`", short(&presented));
        return Err(HandlerError::invalid_params(text));
    };
    params.insert("taskId", json::to_raw(&id)?);
    Ok((behind, presented))
}

/// Returns the upstream of a task of this user, and its own id.
pub(crate) fn found(
    shared: &Shared,
    cx: &Context,
    presented: &str,
) -> Option<(Arc<Behind>, String)> {
    let (prefix, sealed) = presented.split_once('.')?;
    let upstreams = shared.upstreams();
    let mut upstreams = upstreams.iter();
    let behind = upstreams.find(|behind| behind.names.prefix().unwrap_or_default() == prefix)?;
    let id = Sealed::Task.open(cx, &behind.pool.upstream.name, sealed);
    Some((Arc::clone(behind), id.ok()?))
}
