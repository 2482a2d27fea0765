//! Tasks of upstreams (extension `io.modelcontextprotocol/tasks`), with ids that work only for the
//! user who called the tool.
//!
//! The id that a client gets consists of the prefix of the upstream, and of the sealed id of the
//! upstream. Every gateway with the same keys knows it.

use std::sync::Arc;
use std::time::Duration;

use mcp_client::Client;
use mcp_server::types::json::{self, Map, Object};
use mcp_server::types::rpc::INVALID_PARAMS;
use mcp_server::types::{ClientCapabilities, JsonObject, ServerCapabilities};
use mcp_server::{Context, HandlerError};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::task::JoinSet;

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

/// The final states.
const ENDED: [&str; 3] = ["cancelled", "completed", "failed"];

/// When a user with too many tasks should try again.
const LATER: Duration = Duration::from_secs(10);

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

/// Counts a new task. If the user has too many, those that have ended are not counted any more; if it
/// still has too many, the new one is cancelled.
pub(crate) async fn count(
    cx: &Context,
    behind: &Behind,
    client: &Client,
    id: &str,
) -> Result<(), HandlerError> {
    let (pool, peer) = (&behind.pool, cx.peer_key());
    if pool.open_tasks.add(&peer, id) {
        return Ok(());
    }
    let mut asking = JoinSet::new();
    for known in pool.open_tasks.some_of(&peer) {
        let params = Object::from([("taskId", &*known)]);
        let asked = client
            .request_json("tasks/get", &params)
            .capabilities(capability())
            .timeout(pool.upstream.limits.connect_time);
        let asked = asked.into_future();
        asking.spawn(async move {
            let has_ended = match asked.await {
                Ok(state) => has_ended(&state),
                // The upstream has forgotten it.
                Err(error) => error.code() == Some(INVALID_PARAMS),
            };
            has_ended.then_some(known)
        });
    }
    for ended in asking.join_all().await.into_iter().flatten() {
        pool.open_tasks.remove(&ended);
    }
    if pool.open_tasks.add(&peer, id) {
        return Ok(());
    }
    cancel(&pool.upstream, client, id).await;
    Err(HandlerError::busy(LATER))
}

/// Returns `true` if a state is a final one.
pub(crate) fn has_ended(state: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct State {
        status: String,
    }
    let state = serde_json::from_str::<State>(state.get());
    state.is_ok_and(|state| ENDED.contains(&&*state.status))
}

async fn cancel(upstream: &Upstream, client: &Client, id: &str) {
    let params = Object::from([("taskId", id)]);
    let cancelling = client
        .request_json("tasks/cancel", &params)
        .capabilities(capability())
        .timeout(upstream.limits.connect_time);
    if let Err(error) = cancelling.await {
        tracing::debug!(%error, "a task of an upstream cannot be cancelled");
    }
}

/// Cancels a task that the client cannot follow. Returns the error for the client.
pub(crate) async fn refused(upstream: &Upstream, client: &Client, id: &str) -> HandlerError {
    cancel(upstream, client, id).await;
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
    let upstreams = shared.upstreams_for(cx);
    let mut upstreams = upstreams.iter();
    let behind = upstreams.find(|behind| behind.names.prefix().unwrap_or_default() == prefix)?;
    let id = Sealed::Task.open(cx, &behind.pool.upstream.name, sealed);
    Some((Arc::clone(behind), id.ok()?))
}
