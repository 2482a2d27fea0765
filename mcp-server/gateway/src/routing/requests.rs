//! Routes each request to its upstream.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_server::types::error::DecodeError;
use mcp_server::types::json::{self, Map};
use mcp_server::types::rpc::ErrorObject;
use mcp_server::types::uri::canonical;
use mcp_server::{AnyNotification, AnyRequest, AnyResult, Context, HandlerError};
use serde_json::value::RawValue;

use super::apps;
use super::caller::{Caller, passed_params};
use super::calls::{Outgoing, call};
use super::lists;
use super::params::{text, unknown_method};
use super::sealed::{CURSOR, NEXT_CURSOR, Sealed};
use super::tasks;
use crate::error::short;
use crate::shared::{Behind, Shared};
use crate::upstream::Kind;
use crate::upstream::lists::{ListMethod, Query};
use crate::upstream::refresh::{Listed, Wait};

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
        // With several upstreams, the method says nothing of which one is meant.
        method => shared.only().ok_or_else(|| unknown_method(method))?,
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
            with_sealed_cursor(&cx, &behind, result)?
        }
        _ => result,
    };
    AnyResult::from_json(&result)
}

/// Seals the cursor of a page for the client.
fn with_sealed_cursor(
    cx: &Context,
    behind: &Behind,
    page: Box<RawValue>,
) -> Result<Box<RawValue>, HandlerError> {
    if !page.get().contains("\"nextCursor\"") {
        return Ok(page);
    }
    let invalid = |error: DecodeError| HandlerError::internal(error.to_string());
    let mut members: Map<Box<RawValue>> = json::from_str(page.get()).map_err(invalid)?;
    let upstream = &*behind.pool.upstream.name;
    Sealed::Cursor.seal_member(cx, upstream, &mut members, NEXT_CURSOR)?;
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

/// Lists the tools or prompts of an upstream if a name may be a shortened one of it that is not known.
async fn learn_name(
    shared: &Shared,
    method: &str,
    params: &Map<Box<RawValue>>,
    caller: &Caller,
    cx: &Context,
) {
    let (Ok(name), Some(list)) = (text(params, "name"), ListMethod::of(method)) else {
        return;
    };
    let searched = shared.searched();
    let mut unknown = searched.iter();
    let Some(behind) = unknown.find(|behind| behind.names.may_be_short(&name)) else {
        return;
    };
    let query = Query {
        wanted: caller.wanted(cx, true),
        list,
        to: cx.revision(),
    };
    if let Listed::List(list) = behind.lists.list(&query, Wait::Long).await {
        lists::learn_names(behind, &list);
    }
}

/// Finds the upstream of a tool that an app calls by the name that its server uses.
async fn of_app(
    shared: &Shared,
    params: &Map<Box<RawValue>>,
    caller: &Caller,
    cx: &Context,
) -> Option<Arc<Behind>> {
    let name = text(params, "name").ok()?;
    let behind = apps::owner(shared, &name, caller, cx).await?;
    let upstream = &behind.pool.upstream;
    // A tool that has another name is called by that one.
    let is_visible =
        upstream.presented(&name).is_some() && upstream.is_visible(cx, Kind::Tool, &name);
    behind.pool.header_params.check(&name, params, cx).ok()?;
    is_visible.then_some(behind)
}

/// Finds the upstream of a tool or prompt, and sets its own name.
fn named(
    shared: &Shared,
    kind: Kind,
    params: &mut Map<Box<RawValue>>,
    cx: &Context,
) -> Result<Arc<Behind>, HandlerError> {
    let name = text(params, "name")?;
    for behind in shared.searched().iter() {
        let upstream = &behind.pool.upstream;
        let Some(own) = behind.names.original(&name) else {
            continue;
        };
        let Some(original) = upstream.original(&own) else {
            continue;
        };
        if !upstream.is_visible(cx, kind, original) {
            break;
        }
        if kind == Kind::Tool {
            behind.pool.header_params.check(original, params, cx)?;
        }
        if original != name {
            params.insert("name", json::to_raw(original)?);
        }
        return Ok(Arc::clone(behind));
    }
    let what = if kind == Kind::Tool { "tool" } else { "prompt" };
    Err(HandlerError::invalid_params(format!(
        "unknown {what} `{}`",
        short(&name)
    )))
}

/// Finds the upstream of a resource, and sets its own URI.
pub(super) fn resource(
    shared: &Shared,
    params: &mut Map<Box<RawValue>>,
    cx: &Context,
) -> Result<Arc<Behind>, HandlerError> {
    let uri = text(params, "uri")?;
    let (behind, original) =
        located(shared, &uri, cx).ok_or_else(|| HandlerError::resource_not_found(uri.clone()))?;
    if original != uri {
        params.insert("uri", json::to_raw(&original)?);
    }
    Ok(behind)
}

/// Returns the upstream of a resource that the client sees, and the URI there.
pub(crate) fn located<'u>(
    shared: &Shared,
    uri: &'u str,
    cx: &Context,
) -> Option<(Arc<Behind>, Cow<'u, str>)> {
    found(shared, Kind::Resource, uri, cx)
}

fn found<'u>(
    shared: &Shared,
    kind: Kind,
    uri: &'u str,
    cx: &Context,
) -> Option<(Arc<Behind>, Cow<'u, str>)> {
    let searched = shared.searched();
    let found = searched.iter().find_map(|behind| {
        let original = behind.names.uris.original(uri)?;
        Some((Arc::clone(behind), original))
    });
    found.filter(|(behind, uri)| {
        // An upstream may know the resource by any spelling.
        let is_visible = |uri: &str| behind.pool.upstream.is_visible(cx, kind, uri);
        is_visible(uri) && (kind != Kind::Resource || is_visible(&canonical(uri)))
    })
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
