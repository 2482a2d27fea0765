//! Routes each request to its upstream.

use std::sync::Arc;

use mcp_server::types::error::DecodeError;
use mcp_server::types::json::{self, Map};
use mcp_server::types::rpc::ErrorObject;
use mcp_server::{AnyNotification, AnyRequest, AnyResult, Context, HandlerError};
use serde_json::value::RawValue;

use super::caller::{Caller, passed_params};
use super::calls::{Outgoing, call};
use super::find::{found, learn_name, named, of_app, resource};
use super::lists;
use super::params::{text, unknown_method};
use super::sealed::{CURSOR, NEXT_CURSOR, Sealed};
use super::tasks;
use crate::shared::{Behind, Shared};
use crate::upstream::Kind;
use crate::upstream::list_cache::set_private;
use crate::upstream::lists::ListMethod;
use crate::uris::may_have;

/// The methods of a connection, which an upstream must not see: they would change that of the gateway.
/// They arrive here if the client's revision does not have them, or if no upstream supports them.
const OF_CONNECTION: [&str; 7] = [
    "initialize",
    "logging/setLevel",
    "ping",
    "resources/subscribe",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
];

/// The methods for a resource, which the member `uri` of their params names: those of the protocol, of
/// the proposals for resources, and of the extension for skills.
const OF_RESOURCE: [&str; 5] = [
    "resources/read",
    "resources/get",
    "resources/metadata",
    "resources/directory/read",
    "skills/get",
];

/// Handles a request of a client.
pub(crate) async fn handle(
    shared: Arc<Shared>,
    request: AnyRequest,
    cx: Context,
) -> Result<AnyResult, HandlerError> {
    if let Some(list) = ListMethod::of(cx.method()) {
        let result = lists::list(&shared, list, &request, &cx).await?;
        return AnyResult::from_json(&result);
    }
    if OF_CONNECTION.contains(&cx.method()) {
        return Err(unknown_method(cx.method()));
    }
    let (mut params, log_level) = passed_params(&request)?;
    let mut caller = Caller::of(&cx)?;
    let is_task = cx.revision().is_modern() && tasks::METHODS.contains(&cx.method());
    let mut task = None;
    let behind = match cx.method() {
        _ if is_task && !caller.accepts_tasks() && tasks::are_offered(&shared) => {
            return Err(HandlerError::missing_capability(tasks::capability()));
        }
        _ if is_task => {
            let (behind, id) = tasks::located(&shared, &cx, &mut params)?;
            task = Some(id);
            behind
        }
        "tools/call" => {
            learn_name(&shared, "tools/list", &params, &caller, &cx).await;
            match named(&shared, Kind::Tool, &mut params, &cx) {
                Ok(behind) => behind,
                Err(unknown) => of_app(&shared, &params, &caller, &cx)
                    .await
                    .ok_or(unknown)?,
            }
        }
        "prompts/get" => {
            learn_name(&shared, "prompts/list", &params, &caller, &cx).await;
            named(&shared, Kind::Prompt, &mut params, &cx)?
        }
        method if OF_RESOURCE.contains(&method) => {
            let behind = resource(&shared, &mut params, &cx)?;
            let upstream = &*behind.pool.upstream.name;
            Sealed::Cursor.open_member(&cx, upstream, &mut params, CURSOR)?;
            behind
        }
        "completion/complete" => completed(&shared, &mut params, &cx)?,
        // Those of older revisions: nothing says to which client a task belongs.
        method if method.starts_with("tasks/") => return Err(unknown_method(method)),
        // With several upstreams, the method says nothing of which one is meant. Its result may have
        // what is hidden.
        method => {
            let only = shared.only().filter(|only| !only.pool.upstream.hides());
            only.ok_or_else(|| unknown_method(method))?
        }
    };
    caller.log_level = match cx.session() {
        Some(session) => shared.sessions.log_level(&session),
        None => log_level,
    };
    let outgoing = Outgoing {
        method: cx.method().to_owned(),
        params,
        task,
    };
    let result = call(&cx, &behind, caller, outgoing).await?;
    let result = match cx.method() {
        "tools/call" | "prompts/get" => behind.names.uris.rewrite(result)?,
        method if OF_RESOURCE.contains(&method) => {
            let result = behind.names.uris.rewrite(result)?;
            for_client(&cx, &behind, result)?
        }
        _ => result,
    };
    AnyResult::from_json(&result)
}

/// Seals the cursor of a page for the client. A result that other clients may not see is for this one
/// only, whatever the upstream says, which sees one client.
fn for_client(
    cx: &Context,
    behind: &Behind,
    result: Box<RawValue>,
) -> Result<Box<RawValue>, HandlerError> {
    let differs = behind.pool.upstream.differs_by_client();
    if !differs && !may_have(&result, NEXT_CURSOR) {
        return Ok(result);
    }
    let invalid = |error: DecodeError| HandlerError::internal(error.to_string());
    let mut members: Map<Box<RawValue>> = json::from_str(result.get()).map_err(invalid)?;
    let upstream = &*behind.pool.upstream.name;
    Sealed::Cursor.seal_member(cx, upstream, &mut members, NEXT_CURSOR)?;
    if differs {
        set_private(&mut members)?;
    }
    Ok(json::to_raw(&members)?)
}

/// Passes a notification on, where it is clear for whom it is.
pub(crate) async fn notify(shared: Arc<Shared>, notification: AnyNotification, cx: Context) {
    let Some(session) = cx.session() else {
        return;
    };
    let upstreams = shared.upstreams();
    if cx.method() != "notifications/roots/list_changed" && upstreams.len() > 1 {
        return;
    }
    for behind in upstreams.iter() {
        for link in behind.pool.of_session(session.key()) {
            let Some(client) = link.connected() else {
                continue;
            };
            if let Err(error) = client.notify_json(cx.method(), notification.params()).await {
                let upstream = &*behind.pool.upstream.name;
                tracing::debug!(upstream, %error, "a notification cannot be passed on");
            }
        }
    }
}

/// Finds the upstream of the prompt or template whose argument is completed.
fn completed(
    shared: &Shared,
    params: &mut Map<Box<RawValue>>,
    cx: &Context,
) -> Result<Arc<Behind>, HandlerError> {
    let reference = params.remove("ref");
    let reference = reference.ok_or_else(|| HandlerError::invalid_params("$.ref is missing"))?;
    let mut reference: Map<Box<RawValue>> = json::from_str(reference.get())
        .map_err(|error| HandlerError::invalid_params(format!("$.ref: {error}")))?;
    let behind = match &*text(&reference, "type")? {
        "ref/resource" => {
            let uri = text(&reference, "uri")?;
            let kind = if uri.contains('{') {
                Kind::ResourceTemplate
            } else {
                Kind::Resource
            };
            let unknown = || HandlerError::invalid_params("$.ref.uri: unknown resource template");
            let (behind, original) = found(shared, kind, &uri, cx).ok_or_else(unknown)?;
            reference.insert("uri", json::to_raw(&original)?);
            // What was not checked is not passed on.
            reference.remove("name");
            behind
        }
        "ref/prompt" => {
            reference.remove("uri");
            named(shared, Kind::Prompt, &mut reference, cx)?
        }
        _ => return Err(HandlerError::invalid_params("$.ref.type: unknown type")),
    };
    params.insert("ref", json::to_raw(&reference)?);
    if behind
        .pool
        .capabilities()
        .is_some_and(|known| known.completions.is_none())
    {
        let text = "the server behind the gateway completes no arguments";
        return Err(HandlerError::from(ErrorObject::method_not_found(text)));
    }
    Ok(behind)
}
