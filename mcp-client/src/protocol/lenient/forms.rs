//! The forms in which a result of a server may be meant.

use std::borrow::Cow;

use mcp_types::Revision;
use mcp_types::json::{self, Map, Number};
use serde_json::value::RawValue;

use crate::protocol::caching::is_cacheable;

/// Returns the forms in which a result may be meant: with the members that it [lacks](complete) at
/// its revision, as it is at a [newer](newer) revision with sessions, and in the newest form,
/// unless it is of another type there.
pub(crate) fn forms<'a>(
    revision: Revision,
    method: &'a str,
    text: &'a str,
) -> impl Iterator<Item = (Revision, Cow<'a, str>)> {
    let complete = move |form| {
        let text = complete(form, method, text).map_or(Cow::Borrowed(text), Cow::Owned);
        (form, text)
    };
    let is_other = !revision.is_modern() && text.contains(r#""resultType""#);
    let newest = (revision != Revision::LATEST && !is_other).then_some(Revision::LATEST);
    let forms = std::iter::once(revision)
        .chain(newer(revision))
        .chain(newest);
    forms.map(complete)
}

/// Returns the newer revisions with sessions: many servers of these use the form of their newest
/// revision, whichever was negotiated.
pub(crate) fn newer(revision: Revision) -> impl Iterator<Item = Revision> {
    let newer = move |&&other: &&Revision| other > revision && !other.is_modern();
    Revision::ALL.iter().filter(newer).copied()
}

/// Adds missing members whose meaning is clear: no `resultType` means `complete`; no `ttlMs`, or a
/// negative one, means 0, and then `cacheScope` does not matter. `None` if nothing is missing, or
/// if the revision requires none of them.
#[cold]
pub(crate) fn complete(revision: Revision, method: &str, text: &str) -> Option<String> {
    if !revision.is_modern() {
        return None;
    }
    let mut members: Map<Box<RawValue>> = serde_json::from_str(text).ok()?;
    let mut lacks = Vec::new();
    if !members.contains_key("resultType") {
        lacks.push(("resultType", json::to_raw("complete").ok()?));
    }
    if is_cacheable(method) {
        let ttl = members
            .get("ttlMs")
            .map(|ttl| ttl.get())
            .map(json::from_str::<Number>)
            .transpose()
            .ok()?;
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
