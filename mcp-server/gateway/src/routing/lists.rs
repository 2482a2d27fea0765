//! Lists of all upstreams.

use std::sync::Arc;
use std::time::Duration;

use mcp_internal::peer_text::PeerDisplay;
use mcp_server::types::Revision;
use mcp_server::types::json::{self, Map, Object, Value};
use mcp_server::{AnyRequest, Context, HandlerError};
use serde_json::value::RawValue;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::caller::{Caller, passed_params};
use super::sealed::Sealed;
use crate::error::failed;
use crate::names::Names;
use crate::shared::{Behind, Shared};
use crate::translate;
use crate::upstream::connection::Purpose;
use crate::upstream::list_cache::Items;
use crate::upstream::pool::Pool;
use crate::upstream::{Kind, Upstream};

/// The methods that list, each with the member of its result and the kind of its items.
const LISTS: [(&str, &str, Kind); 4] = [
    ("tools/list", "tools", Kind::Tool),
    ("prompts/list", "prompts", Kind::Prompt),
    ("resources/list", "resources", Kind::Resource),
    (
        "resources/templates/list",
        "resourceTemplates",
        Kind::ResourceTemplate,
    ),
];

/// The time for which a list is kept if its upstream announces changes.
const ANNOUNCED: Duration = Duration::from_secs(300);

/// The maximum size of the list of an upstream.
const LIST_BYTES: usize = 16 << 20;

/// A method that lists.
#[derive(Clone, Copy)]
pub(crate) struct ListMethod {
    method: &'static str,
    member: &'static str,
    kind: Kind,
}

impl ListMethod {
    pub(crate) fn of(method: &str) -> Option<Self> {
        let found = LISTS.iter().find(|(known, _, _)| *known == method);
        let &(method, member, kind) = found?;
        Some(Self {
            method,
            member,
            kind,
        })
    }
}

/// Lists the items of all upstreams. An upstream that fails is left out, unless it is the only one.
pub(crate) async fn list(
    shared: &Arc<Shared>,
    list: ListMethod,
    request: &AnyRequest,
    cx: &Context,
) -> Result<Box<RawValue>, HandlerError> {
    let to = cx.revision();
    if let Some(only) = shared.only() {
        let caller = Caller::of(cx)?;
        let upstream = &*only.pool.upstream.name;
        let (mut params, _) = passed_params(request)?;
        Sealed::Cursor.open_member(cx, upstream, &mut params, "cursor")?;
        let mut page = page(&only.pool, &caller, list, params, cx).await?;
        if page.get().contains("\"nextCursor\"") {
            let mut members: Map<Box<RawValue>> = decoded(&page)?;
            Sealed::Cursor.seal_member(cx, upstream, &mut members, "nextCursor")?;
            page = json::to_raw(&members)?;
        }
        if only.names.prefix().is_none() && only.pool.upstream.is_presented_as_it_is() {
            return Ok(page);
        }
        let mut page: Map<Box<RawValue>> = decoded(&page)?;
        let items: Vec<Box<RawValue>> = page.get(list.member).map_or(Ok(Vec::new()), decoded)?;
        let items = present(&only, &[], list, cx, &items)?;
        page.insert(list.member, json::to_raw(&items)?);
        return Ok(json::to_raw(&page)?);
    }
    if request
        .members()
        .is_ok_and(|members| members.contains_key("cursor"))
    {
        return Err(HandlerError::invalid_params(
            "$.cursor: this list has one page",
        ));
    }
    let mut tasks = JoinSet::new();
    let upstreams = shared.upstreams();
    for (at, upstream) in upstreams.iter().enumerate() {
        let (pool, cx) = (Arc::clone(&upstream.pool), cx.clone());
        let caller = Caller::of(&cx)?;
        tasks.spawn(async move { (at, all(&pool, &caller, list, &cx).await) });
    }
    let mut parts = Vec::new();
    let mut error = None;
    while let Some(part) = tasks.join_next().await {
        match part {
            Ok((at, Ok(part))) => parts.push((at, part)),
            Ok((at, Err(fault))) => {
                let upstream = upstreams.get(at).map(|known| &*known.pool.upstream.name);
                tracing::warn!(upstream, error = %PeerDisplay(&fault), "an upstream is left out of a list");
                error = Some(fault);
            }
            Err(fault) => tracing::error!(%fault, "listing an upstream failed"),
        }
    }
    if let (true, Some(error)) = (parts.is_empty(), error) {
        return Err(error);
    }
    parts.sort_by_key(|(at, _)| *at);
    let mut items = Vec::new();
    for (at, part) in parts {
        if let Some(upstream) = upstreams.get(at) {
            items.extend(present(upstream, &upstreams, list, cx, &part)?);
        }
    }
    let mut result: Map<Box<RawValue>> = Map::new();
    result.insert(list.member, json::to_raw(&items)?);
    if to.is_modern() {
        for (name, value) in [
            ("resultType", Value::from("complete")),
            ("ttlMs", Value::from(0)),
            ("cacheScope", Value::from("private")),
        ] {
            result.insert(name, json::to_raw(&value)?);
        }
    }
    Ok(json::to_raw(&result)?)
}

fn decoded<T: serde::de::DeserializeOwned>(text: impl AsRef<RawValue>) -> Result<T, HandlerError> {
    json::from_str(text.as_ref().get()).map_err(|error| HandlerError::internal(error.to_string()))
}

/// Requests a page, in the form of the client's revision.
async fn page(
    pool: &Pool,
    caller: &Caller,
    list: ListMethod,
    params: Map<Box<RawValue>>,
    cx: &Context,
) -> Result<Box<RawValue>, HandlerError> {
    let connected = pool
        .connect(&caller.wanted(cx, true), Purpose::List)
        .await?;
    let client = &connected.client;
    if has_none(pool, list) {
        let none = Object::from([(list.member, Value::Array(Vec::new()))]);
        let page = json::to_raw(&none)?;
        return Ok(translate::result(
            list.method,
            Revision::V2025_11_25,
            cx.revision(),
            page,
        ));
    }
    let time = pool.upstream.limits.connect_time;
    let call = client.request_json(list.method, &params).timeout(time);
    let page = call
        .await
        .map_err(|error| failed(&pool.upstream.name, error))?;
    if list.kind == Kind::Tool {
        pool.header_params.remember(&page);
    }
    Ok(translate::result(
        list.method,
        client.revision(),
        cx.revision(),
        page,
    ))
}

/// Returns `true` if the upstream is known not to have such items.
fn has_none(pool: &Pool, list: ListMethod) -> bool {
    let Some(capabilities) = pool.capabilities() else {
        return false;
    };
    match list.kind {
        Kind::Tool => capabilities.tools.is_none(),
        Kind::Prompt => capabilities.prompts.is_none(),
        Kind::Resource | Kind::ResourceTemplate => capabilities.resources.is_none(),
    }
}

/// Returns the items of all pages of an upstream, from the cache if they are still current.
async fn all(
    pool: &Pool,
    caller: &Caller,
    list: ListMethod,
    cx: &Context,
) -> Result<Items, HandlerError> {
    let key = (caller.cache_key().clone(), list.method, cx.revision());
    let generation = match pool.lists.get(&key) {
        Ok(cached) => return Ok(cached),
        Err(generation) => generation,
    };
    let time = pool.upstream.limits.connect_time;
    let pages = timeout(time, pages(pool, caller, list, cx)).await;
    let (pages, time_to_live) = pages.map_err(|_| {
        let name = &pool.upstream.name;
        HandlerError::internal(format!(
            "the server `{name}` behind the gateway lists too slowly"
        ))
    })??;
    let kept = Arc::clone(&pages);
    pool.lists
        .insert(key, cx.peer_key(), generation, kept, time_to_live);
    Ok(pages)
}

/// Requests the items of all pages. Also returns for how long they may be kept.
async fn pages(
    pool: &Pool,
    caller: &Caller,
    list: ListMethod,
    cx: &Context,
) -> Result<(Items, Duration), HandlerError> {
    let mut items: Vec<Box<RawValue>> = Vec::new();
    let mut params = Map::new();
    let mut bytes = 0_usize;
    let mut time_to_live = ANNOUNCED;
    loop {
        let page = page(pool, caller, list, params, cx).await?;
        bytes = bytes.saturating_add(page.get().len());
        let mut page: Map<Box<RawValue>> = decoded(&page)?;
        if let Some(of_page) = page.remove(list.member) {
            items.extend(decoded::<Vec<Box<RawValue>>>(&of_page)?);
        }
        let stated = page.get("ttlMs").and_then(|time| decoded::<u64>(time).ok());
        time_to_live = time_to_live.min(Duration::from_millis(stated.unwrap_or(u64::MAX)));
        let Some(cursor) = page.remove("nextCursor") else {
            break;
        };
        if items.len() >= pool.upstream.limits.items || bytes >= LIST_BYTES {
            let upstream = &*pool.upstream.name;
            tracing::warn!(upstream, list.method, "a list is cut off: it is too long");
            break;
        }
        params = Map::new();
        params.insert("cursor", cursor);
    }
    items.truncate(pool.upstream.limits.items);
    if !pool.announces(list.kind) && pool.revision().is_none_or(|revision| !revision.is_modern()) {
        time_to_live = Duration::ZERO;
    }
    Ok((items.into(), time_to_live))
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
