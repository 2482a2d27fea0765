//! The key of a cached result: the params that affect it.

use mcp_types::json::{self, Map, Object};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::protocol::params::META;

/// Members of params that answer questions of the server.
const ROUNDS: [&str; 2] = ["inputResponses", "requestState"];
/// Members of `_meta` that do not affect a result.
const PASSING: [&str; 4] = ["progressToken", "traceparent", "tracestate", "baggage"];

/// Returns the params as text, without what does not affect the result. `known` are the members of
/// `_meta` that describe the client, the same in all its calls; `more` are those of the call. `None`
/// if the result must not be cached.
pub(super) fn params(text: &str, known: &Map<Box<RawValue>>, more: &Object) -> Option<String> {
    let members: Option<Map<&RawValue>> = serde_json::from_str(text).ok()?;
    let mut members = members.unwrap_or_default();
    if ROUNDS.iter().any(|name| members.contains_key(name)) {
        return None;
    }
    let meta: Map<&RawValue> = match members.remove(META) {
        Some(meta) => serde_json::from_str(meta.get()).ok()?,
        None => Map::new(),
    };
    let mut matters: Map<Box<RawValue>> = Map::new();
    for (name, value) in &meta {
        if !known.contains_key(name) {
            matters.insert(name, (*value).to_owned());
        }
    }
    for (name, value) in more {
        matters.insert(name, json::to_raw(value).ok()?);
    }
    matters.retain(|name, _| !PASSING.contains(&name));
    let matters = (!matters.is_empty()).then(|| json::to_raw(&matters));
    let matters = matters.transpose().ok()?;
    if let Some(matters) = &matters {
        members.insert(META, &**matters);
    }
    json::to_string(&members).ok()
}

/// Returns the URI in params.
pub(super) fn uri(params: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Uri {
        uri: String,
    }
    serde_json::from_str::<Uri>(params).ok().map(|it| it.uri)
}

/// Returns the URI of the resource in params.
#[cfg(feature = "versioned-resources")]
pub(super) fn resource(params: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Changed {
        resource: mcp_types::Resource,
    }
    let changed = serde_json::from_str::<Changed>(params);
    changed.ok().map(|changed| changed.resource.uri)
}
