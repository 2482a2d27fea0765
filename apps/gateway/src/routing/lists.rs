//! Lists of all upstreams.

use std::sync::Arc;

use mcp_server::types::json::{self, Map, Object, Value};
use mcp_server::types::peer_text::PeerDisplay;
use mcp_server::{AnyRequest, Context, HandlerError};
use serde_json::value::RawValue;
use tokio::task::JoinSet;

use super::caller::{Caller, passed_params};
use super::find::resource;
use super::sealed::{CURSOR, NEXT_CURSOR, Sealed};
use crate::names::Names;
use crate::shared::{Behind, Shared};
use crate::upstream::list_cache::{Caching, digest, set_private};
use crate::upstream::lists::{ListMethod, Query, check_names, decoded};
use crate::upstream::refresh::{Listed, Wait};
use crate::upstream::{Kind, Upstream};

/// Lists the items of all upstreams. An upstream that fails, or does not answer in time, is left
/// out, unless it is the only one.
pub(crate) async fn list(
    shared: &Arc<Shared>,
    list: ListMethod,
    request: &AnyRequest,
    cx: &Context,
) -> Result<Box<RawValue>, HandlerError> {
    let caller = Caller::of(cx)?;
    let query = |behind: &Behind| caller.query(cx, &behind.pool, list);
    let (mut params, _) = passed_params(request)?;
    if list.method == "resources/list" && params.contains_key("uri") {
        // The members of a collection, of the proposal `sep-2093`.
        let behind = resource(shared, &mut params, cx)?;
        return page(&behind, &query(&behind), params, cx).await;
    }
    let upstreams = shared.upstreams_for(cx);
    if let [only] = &*upstreams {
        return page(only, &query(only), params, cx).await;
    }
    if params.contains_key(CURSOR) {
        return Err(HandlerError::invalid_params(
            "$.cursor: this list has one page",
        ));
    }
    let queries: Vec<Query> = upstreams.iter().map(|behind| query(behind)).collect();
    let mut parts = Vec::new();
    let mut failure = None;
    let mut is_whole = true;
    // If all are late, the client waits for the first one.
    for wait in [Wait::Short, Wait::Long] {
        let mut lists = requested(&upstreams, &queries, wait);
        while let Some(listed) = lists.join_next().await {
            is_whole &= matches!(listed, Ok((_, Listed::List(_))));
            match listed {
                Ok((at, Listed::List(list))) => parts.push((at, list)),
                Ok((_, Listed::Late)) => {}
                Ok((at, Listed::Failed(error))) => {
                    let upstream = upstreams.get(at).map(|known| &*known.pool.upstream.name);
                    tracing::warn!(upstream, error = %PeerDisplay(&error), "an upstream is left out of a list");
                    failure = Some(error);
                }
                Err(fault) => tracing::error!(%fault, "listing an upstream failed"),
            }
            if wait == Wait::Long && !parts.is_empty() {
                // The others may have answered meanwhile.
                lists.shutdown().await;
                for (at, (behind, query)) in upstreams.iter().zip(&queries).enumerate() {
                    if parts.iter().all(|(known, _)| *known != at) {
                        behind.lists.note_left_out(query);
                    }
                }
            }
        }
        if !parts.is_empty() {
            break;
        }
    }
    if let (true, Some(error)) = (parts.is_empty(), failure) {
        // It is that of all clients who wait for the list.
        return Err(HandlerError::internal(error.message()).temporary());
    }
    parts.sort_by_key(|(at, _)| *at);
    let mut items = Vec::new();
    let mut caching = Caching::known(is_whole);
    for (at, part) in parts {
        if let Some(upstream) = upstreams.get(at) {
            let is_public = !upstream.pool.upstream.differs_by_client();
            caching = caching.and(part.remaining()).for_all(is_public);
            items.extend(present(upstream, &upstreams, list, cx, &part.items)?);
        }
    }
    let mut result: Map<Box<RawValue>> = Map::new();
    result.insert(list.member, json::to_raw(&items)?);
    if cx.revision().is_modern() {
        let scope = if caching.is_public {
            "public"
        } else {
            "private"
        };
        for (name, value) in [
            ("resultType", Value::from("complete")),
            ("ttlMs", Value::from(caching.time)),
            ("cacheScope", Value::from(scope)),
        ] {
            result.insert(name, json::to_raw(&value)?);
        }
    }
    Ok(json::to_raw(&result)?)
}

/// Requests the lists of all upstreams, each with its position.
fn requested(upstreams: &[Arc<Behind>], queries: &[Query], wait: Wait) -> JoinSet<(usize, Listed)> {
    let mut lists = JoinSet::new();
    for (at, (behind, query)) in upstreams.iter().zip(queries).enumerate() {
        let (behind, query) = (Arc::clone(behind), query.clone());
        lists.spawn(async move { (at, behind.lists.list(&query, wait).await) });
    }
    lists
}

/// Passes a page of one upstream on.
async fn page(
    only: &Behind,
    query: &Query,
    mut params: Map<Box<RawValue>>,
    cx: &Context,
) -> Result<Box<RawValue>, HandlerError> {
    let (pool, list) = (&only.pool, query.list);
    let upstream = &*pool.upstream.name;
    Sealed::Cursor.open_member(cx, upstream, &mut params, CURSOR)?;
    let is_first = !params.contains_key(CURSOR);
    let is_collection = params.contains_key("uri");
    let connected = query.connect(pool).await?;
    let (page, _) = query.page(pool, &connected, &params).await?;
    drop(connected);
    let text = page;
    let mut page: Map<Box<RawValue>> = decoded(&text)?;
    let kind = page.get("resultType");
    if kind.is_some_and(|kind| kind.get() != "\"complete\"") {
        // Such as a question or a task, whose state or id would not be sealed for the client.
        return Err(HandlerError::internal(format!(
            "the server `{upstream}` behind the gateway answered `{}` with something else than a list",
            list.method
        )));
    }
    let items: Vec<Box<RawValue>> = page.get(list.member).map_or(Ok(Vec::new()), decoded)?;
    let is_whole = is_first && !page.contains_key(NEXT_CURSOR);
    if !is_collection {
        let sent = is_whole.then(|| digest(&items));
        if is_whole {
            check_names(pool, list, &items);
        }
        only.lists.note_sent(query, sent);
    }
    let is_presented = only.names.prefix().is_some() || !pool.upstream.is_presented_as_it_is();
    if is_whole && !is_presented {
        return Ok(text);
    }
    Sealed::Cursor.seal_member(cx, upstream, &mut page, NEXT_CURSOR)?;
    if pool.upstream.differs_by_client() {
        set_private(&mut page)?;
    }
    if is_presented {
        let items = present(only, &[], list, cx, &items)?;
        page.insert(list.member, json::to_raw(&items)?);
    }
    Ok(json::to_raw(&page)?)
}

/// Leaves out what the client does not see, and sets the names and URIs that it sees. Without a
/// prefix, an item could have the name of one of another upstream, which would be called instead.
fn present(
    behind: &Behind,
    all: &[Arc<Behind>],
    list: ListMethod,
    cx: &Context,
    items: &[Box<RawValue>],
) -> Result<Vec<Box<RawValue>>, HandlerError> {
    let (upstream, names) = (&behind.pool.upstream, &behind.names);
    let mut presented = Vec::with_capacity(items.len());
    for text in items {
        let Ok(mut item) = json::from_str::<Object>(text.get()) else {
            presented.push(text.clone());
            continue;
        };
        if present_item(upstream, names, list.kind, cx, &mut item)
            && (names.prefix().is_some() || !is_claimed(all, list.kind, &item))
        {
            names.uris.rewrite_item(&mut item);
            presented.push(json::to_raw(&item)?);
        }
    }
    Ok(presented)
}

/// Returns `true` if the name or URI of an item has the prefix of an upstream.
fn is_claimed(all: &[Arc<Behind>], kind: Kind, item: &Object) -> bool {
    let name = item.get(member(kind)).and_then(Value::as_str);
    name.is_some_and(|name| all.iter().any(|other| other.names.claims(kind, name)))
}

/// Returns the member of an item by which it is known.
fn member(kind: Kind) -> &'static str {
    match kind {
        Kind::Tool | Kind::Prompt => "name",
        Kind::Resource => "uri",
        Kind::ResourceTemplate => "uriTemplate",
    }
}

fn present_item(
    upstream: &Upstream,
    names: &Names,
    kind: Kind,
    cx: &Context,
    item: &mut Object,
) -> bool {
    let Some(Value::String(name)) = item.get_mut(member(kind)) else {
        return true;
    };
    if !upstream.is_visible(cx, kind, name) {
        return false;
    }
    if matches!(kind, Kind::Tool | Kind::Prompt) {
        let Some(presented) = upstream.presented(name) else {
            return false;
        };
        *name = names.presented(presented).into_owned();
    }
    true
}
