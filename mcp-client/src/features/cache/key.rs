//! The key of a cached result: the params that affect it.

use mcp_types::json::{self, Map, Object};
use mcp_types::uri::canonical;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::protocol::params::Params;

/// Members of params that answer questions of the server.
const ANSWERS: [&str; 2] = ["inputResponses", "requestState"];
/// The version that the program has, in params of `resources/get`. It is not a part of the key.
pub(crate) const VERSION: &str = "version";
/// Members of `_meta` that do not affect a result.
const IGNORED: [&str; 4] = ["progressToken", "traceparent", "tracestate", "baggage"];

/// Returns the params as text, without members that do not affect the result. `client` are the
/// members of `_meta` that describe the client, the same in all its calls; `call` are those of the
/// call. `None` if the result must not be cached.
pub(super) fn params(
    params: &Params<'_>,
    client: &Map<Box<RawValue>>,
    call: &Object,
) -> Option<String> {
    if ANSWERS.iter().any(|name| params.contains(name)) {
        return None;
    }
    let params = params
        .clone()
        .without(VERSION)
        .retain_meta(|name| !client.contains_key(name));
    let members = call.iter();
    let params = members.fold(params, |params, (name, value)| params.meta(name, value));
    json::to_string(&params.retain_meta(|name| !IGNORED.contains(&name))).ok()
}

/// Returns the canonical URI in params.
pub(crate) fn uri(params: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Uri {
        uri: String,
    }
    let params = serde_json::from_str::<Uri>(params).ok()?;
    Some(canonical(&params.uri).into_owned())
}
