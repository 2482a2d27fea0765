//! What a kept result is found by: the params that matter.

use mcp_types::json::{self, Map, Object};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::protocol::params::META;

/// Members of params by which a call goes on that was answered with questions.
const ROUNDS: [&str; 2] = ["inputResponses", "requestState"];
/// Members of `_meta` that change no result.
const PASSING: [&str; 4] = ["progressToken", "traceparent", "tracestate", "baggage"];

/// Params as text, without what changes no result. `known` is what the client says of itself in
/// `_meta`, which is the same in all its calls; `more` is what the call adds there. `None` where
/// the result must not be kept.
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

/// The resource that params speak of.
pub(super) fn uri(params: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Uri {
        uri: String,
    }
    serde_json::from_str::<Uri>(params).ok().map(|it| it.uri)
}

/// The resource that params hold.
#[cfg(feature = "versioned-resources")]
pub(super) fn resource(params: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Changed {
        resource: mcp_types::Resource,
    }
    let changed = serde_json::from_str::<Changed>(params);
    changed.ok().map(|changed| changed.resource.uri)
}
