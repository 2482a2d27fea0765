//! Tasks of upstreams (extension `io.modelcontextprotocol/tasks`), with ids that work only for the
//! caller of the tool.
//!
//! An upstream sees one client, the gateway, so it cannot tell the callers apart. The id that a client
//! gets consists of the prefix of the upstream, a signature that covers the caller, and the id of the
//! upstream. The key is that of this process: a gateway that is started again knows none of the ids.

use std::fmt::{Display, Write as _};
use std::sync::{Arc, OnceLock};

use hmac::{Hmac, KeyInit as _, Mac as _};
use mcp_client::Client;
use mcp_server::HandlerError;
use mcp_server::types::json::{self, Map, Object};
use mcp_server::types::{ClientCapabilities, JsonObject, ServerCapabilities};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::Sha256;

use super::params::text;
use crate::error::short;
use crate::shared::{Behind, Shared};
use crate::upstream::Upstream;
use crate::upstream::owner::Owner;

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
    if !result.get().contains("\"taskId\"") {
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

/// Sets the id that the client sees in the state of a task, and the URIs in its result.
pub(crate) fn presented(
    behind: &Behind,
    owner: &Owner,
    state: &RawValue,
) -> Result<Map<Box<RawValue>>, HandlerError> {
    let invalid = |error: &dyn Display| {
        let upstream = &*behind.pool.upstream.name;
        let text = format!("the server `{upstream}` behind the gateway sent an invalid task");
        HandlerError::internal(text).logged_as(format!("invalid task of `{upstream}`: {error}"))
    };
    let mut state: Map<Box<RawValue>> =
        json::from_str(state.get()).map_err(|error| invalid(&error))?;
    let id = state.get("taskId").ok_or_else(|| invalid(&"no `taskId`"))?;
    let id: String = serde_json::from_str(id.get()).map_err(|error| invalid(&error))?;
    let signature = signature(behind, owner, &id)?;
    let prefix = behind.names.prefix().unwrap_or_default();
    state.insert(
        "taskId",
        json::to_raw(&format!("{prefix}.{signature}.{id}"))?,
    );
    if let Some(result) = state.get("result") {
        let result = behind.names.uris.rewrite(result.clone())?;
        state.insert("result", result);
    }
    Ok(state)
}

/// Finds the upstream of a task of this caller, and sets its own id.
pub(crate) fn located(
    shared: &Shared,
    owner: &Owner,
    params: &mut Map<Box<RawValue>>,
) -> Result<Arc<Behind>, HandlerError> {
    let presented = text(params, "taskId")?;
    let Some((behind, id)) = found(shared, owner, &presented)? else {
        let text = format!("$.taskId: unknown task `{}`", short(&presented));
        return Err(HandlerError::invalid_params(text));
    };
    params.insert("taskId", json::to_raw(id)?);
    Ok(behind)
}

/// Returns the upstream of a task of this caller, and its own id.
pub(crate) fn found<'t>(
    shared: &Shared,
    owner: &Owner,
    presented: &'t str,
) -> Result<Option<(Arc<Behind>, &'t str)>, HandlerError> {
    let parts = presented.split_once('.');
    let parts = parts.and_then(|(prefix, rest)| Some((prefix, rest.split_once('.')?)));
    if let Some((prefix, (signed, id))) = parts
        && let Some(behind) = with_prefix(shared, prefix)
        && is_equal(&signature(&behind, owner, id)?, signed)
    {
        return Ok(Some((behind, id)));
    }
    Ok(None)
}

/// Returns what shows that a task of an upstream belongs to a caller.
fn signature(behind: &Behind, owner: &Owner, id: &str) -> Result<String, HandlerError> {
    static KEY: OnceLock<[u8; 32]> = OnceLock::new();

    // Sessions have no tasks.
    let caller = match owner {
        Owner::Principal(name) => Some(name),
        Owner::Anonymous | Owner::Session(_) => None,
    };
    let signed = json::to_string(&(caller, &behind.pool.upstream.name, id))?;
    let failed = |error: &dyn Display| HandlerError::internal(error.to_string());
    let key = if let Some(key) = KEY.get() {
        key
    } else {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| failed(&error))?;
        KEY.get_or_init(|| key)
    };
    let mut signing = Hmac::<Sha256>::new_from_slice(key).map_err(|error| failed(&error))?;
    signing.update(signed.as_bytes());
    let mut text = String::with_capacity(64);
    for byte in signing.finalize().into_bytes() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

fn with_prefix(shared: &Shared, prefix: &str) -> Option<Arc<Behind>> {
    let upstreams = shared.upstreams();
    let mut upstreams = upstreams.iter();
    let found = upstreams.find(|behind| behind.names.prefix().unwrap_or_default() == prefix);
    found.cloned()
}

/// Compares signatures in a time that does not depend on where they differ.
fn is_equal(a: &str, b: &str) -> bool {
    let differences = a.bytes().zip(b.bytes());
    let differences = differences.fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && differences == 0
}
