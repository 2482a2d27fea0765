//! Finds the upstream of a tool, a prompt or a resource.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_server::types::json::{self, Map};
use mcp_server::types::uri::canonical;
use mcp_server::{Context, HandlerError};
use serde_json::value::RawValue;

use super::apps;
use super::caller::Caller;
use super::params::text;
use crate::error::short;
use crate::shared::{Behind, Shared};
use crate::upstream::Kind;
use crate::upstream::list_cache::List;
use crate::upstream::lists::ListMethod;
use crate::upstream::refresh::{Listed, Wait};

/// Lists the tools or prompts of an upstream if a name may be a shortened one of it that is not known.
pub(super) async fn learn_name(
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
    let named = unknown.find(|behind| behind.names.may_be_short(&name));
    let Some(behind) = named.filter(|behind| behind.pool.upstream.is_presented_to(cx)) else {
        return;
    };
    let query = caller.query(cx, &behind.pool, list);
    if let Listed::List(list) = behind.lists.list(&query, Wait::Long).await {
        learn_names(behind, &list);
    }
}

/// Finds the upstream of a tool that an app calls by the name that its server uses.
pub(super) async fn of_app(
    shared: &Shared,
    params: &Map<Box<RawValue>>,
    caller: &Caller,
    cx: &Context,
) -> Option<Arc<Behind>> {
    #[cfg(feature = "search")]
    if cx.extension::<crate::search::ByModel>().is_some() {
        return None;
    }
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
pub(super) fn named(
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
        // A name with this prefix is never one of another upstream.
        let Some(original) = upstream.original(&own) else {
            break;
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

pub(super) fn found<'u>(
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

/// Remembers the names of a list that are too long with their prefix.
fn learn_names(behind: &Behind, list: &List) {
    #[derive(serde::Deserialize)]
    struct Named {
        name: String,
    }
    for item in list.items.iter() {
        let named: Option<Named> = serde_json::from_str(item.get()).ok();
        let upstream = &behind.pool.upstream;
        if let Some(name) = named
            .as_ref()
            .and_then(|item| upstream.presented(&item.name))
        {
            behind.names.presented(name);
        }
    }
}
