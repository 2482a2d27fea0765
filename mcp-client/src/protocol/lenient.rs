//! [`read`]: decodes results of servers that deviate from their revision.

use mcp_types::Revision;
use mcp_types::json::{self, Map, Number};
use mcp_types::revision::{VersionError, Versioned};
use serde_json::value::RawValue;

use super::caching::is_cacheable;

/// Decodes a result with `read`. If that fails, tries again with the members that the result
/// [lacks](complete), or in the form of a [newer](newer) revision.
pub(crate) fn read<T, E>(
    revision: Revision,
    method: &str,
    text: &str,
    read: impl Fn(Revision, &str) -> Result<T, E>,
) -> Result<T, E> {
    read(revision, text).or_else(|fault| {
        let other = match complete(revision, method, text) {
            Some(text) => read(revision, &text).ok(),
            None => newer(revision).find_map(|newer| read(newer, text).ok()),
        };
        other.ok_or(fault)
    })
}

/// Decodes a message in the form of a revision, or of one of the [newer](newer) ones.
pub(crate) fn decode<T: Versioned>(revision: Revision, text: &str) -> Result<T, VersionError> {
    revision.decode(text).or_else(|fault| {
        let other = newer(revision).find_map(|newer| newer.decode(text).ok());
        other.ok_or(fault)
    })
}

/// Returns the newer revisions with sessions: many servers use the form of their newest revision,
/// whichever was negotiated.
pub(crate) fn newer(revision: Revision) -> impl Iterator<Item = Revision> {
    let newer = move |&&other: &&Revision| other > revision && !other.is_modern();
    Revision::ALL.iter().filter(newer).copied()
}

/// Adds missing members whose meaning is clear: no `resultType` means `complete`; no `ttlMs`, or a
/// negative one, means 0, and then `cacheScope` does not matter. `None` if nothing is missing.
#[cold]
fn complete(revision: Revision, method: &str, text: &str) -> Option<String> {
    if !revision.is_modern() {
        return None;
    }
    let mut members: Map<Box<RawValue>> = serde_json::from_str(text).ok()?;
    let mut lacks = Vec::new();
    if !members.contains_key("resultType") {
        lacks.push(("resultType", json::to_raw("complete").ok()?));
    }
    if is_cacheable(method) {
        let ttl = members.get("ttlMs").map(|ttl| ttl.get());
        let ttl = ttl.map(json::from_str::<Number>).transpose().ok()?;
        if ttl.is_none_or(|ttl| ttl.to_i64().is_some_and(|ttl| ttl < 0)) {
            lacks.push(("ttlMs", json::to_raw(&0).ok()?));
        }
        if !members.contains_key("cacheScope") {
            lacks.push(("cacheScope", json::to_raw("private").ok()?));
        }
    }
    if lacks.is_empty() {
        return None;
    }
    members.extend(lacks);
    json::to_string(&members).ok()
}
