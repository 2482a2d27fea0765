//! [`lacking`]: results of the newest revision that leave out what goes without saying.

use mcp_types::Revision;
use mcp_types::json::{self, Map, Number};
use mcp_types::revision::{VersionError, Versioned};
use serde_json::value::{RawValue, to_raw_value};

use crate::cache::is_cacheable;

/// Reads a result; one that leaves out what goes without saying, too.
pub(crate) fn decode<T: Versioned>(
    revision: Revision,
    method: &str,
    text: &str,
) -> Result<T, VersionError> {
    revision
        .decode(text)
        .or_else(|fault| match lacking(revision, method, text) {
            Some(text) => revision.decode(&text),
            None => Err(fault),
        })
}

/// A result with what it lacks, where the specification says what to take for it: no `resultType`
/// means `complete`; no `ttlMs`, or a negative one, means 0. What is not kept is shared with
/// nobody, so that `cacheScope` may be lacking, too. `None` where nothing does.
#[cold]
pub(crate) fn lacking(revision: Revision, method: &str, text: &str) -> Option<String> {
    if revision != Revision::LATEST {
        return None;
    }
    let mut members: Map<Box<RawValue>> = serde_json::from_str(text).ok()?;
    let mut lacks = Vec::new();
    if !members.contains_key("resultType") {
        lacks.push(("resultType", to_raw_value("complete").ok()?));
    }
    if is_cacheable(method) {
        let ttl = members.get("ttlMs").map(|ttl| ttl.get());
        let ttl = ttl.map(json::from_str::<Number>).transpose().ok()?;
        if ttl.is_none_or(|ttl| ttl.to_i64().is_some_and(|ttl| ttl < 0)) {
            lacks.push(("ttlMs", to_raw_value(&0).ok()?));
        }
        if !members.contains_key("cacheScope") {
            lacks.push(("cacheScope", to_raw_value("private").ok()?));
        }
    }
    if lacks.is_empty() {
        return None;
    }
    members.extend(lacks);
    serde_json::to_string(&members).ok()
}
