//! [`trim`]: leaves out malformed members that only describe or decorate something.

use mcp_types::error::{Path, Segment};
use mcp_types::json::{self, Map, Object, Value};
use mcp_types::meta;
use mcp_types::peer_text::PeerDisplay;
use mcp_types::revision::VersionError;
use serde_json::value::RawValue;

use crate::protocol::error::DroppedMember;

/// The member of `_meta` that names the members that were left out of a result.
const DROPPED: &str = "mcp-client/dropped";

/// Optional members that only describe or decorate the object that has them. Without them, the
/// object means the same. Members of other names may change what a request does.
const DECORATIVE: &[&str] = &[
    "annotations",
    "description",
    "hasMore",
    "httpUrl",
    "httpUrlExpiresAt",
    "icons",
    "instructions",
    meta::SERVER_INFO,
    "kind",
    "metadata",
    "mimeType",
    "name",
    "resourceType",
    "size",
    "title",
    "total",
    "version",
    "websiteUrl",
];

/// Members that contain objects with such members. What other members contain, such as schemas and
/// arguments, is never changed.
const CONTAINERS: &[&str] = &[
    "_meta",
    "arguments",
    "completion",
    "content",
    "contents",
    "messages",
    "prompts",
    "resource",
    "resourceTemplates",
    "resources",
    "serverInfo",
    "tools",
];

/// The maximum number of members that are left out of one value.
const MEMBERS: usize = 16;

/// After so many of them, a list of icons is left out as a whole.
const SINGLE: usize = 8;

/// The maximum number of bytes that are decoded again for one value, unless it is larger itself.
const BYTES: usize = 8 << 20;

/// A value without its malformed decoration.
pub(crate) struct TrimmedValue {
    pub(crate) value: Box<RawValue>,
    /// What was left out, by its path in the value as the server sent it.
    pub(crate) dropped: Vec<DroppedMember>,
}

/// Leaves out malformed members that only decorate, until `check` fails because of another one or
/// succeeds. Returns `None` if nothing was left out.
///
/// Of `icons`, only the malformed elements are left out; of `annotations`, only the malformed
/// members.
#[cold]
pub(crate) fn trim(
    value: &RawValue,
    check: impl Fn(&RawValue) -> Result<(), VersionError>,
) -> Option<TrimmedValue> {
    let rounds = (BYTES / value.get().len().max(1)).clamp(1, MEMBERS);
    let mut trimmed: Option<TrimmedValue> = None;
    for round in 0..rounds {
        let current = trimmed.as_ref().map_or(value, |trimmed| &*trimmed.value);
        let Err(VersionError::Decode(source)) = check(current) else {
            break;
        };
        let Some(path) = decoration(source.path().segments(), round < SINGLE) else {
            break;
        };
        let Some((rest, value)) = without(current, path) else {
            break;
        };
        let mut dropped = trimmed.map_or_else(Vec::new, |trimmed| trimmed.dropped);
        let path = original(path, &dropped);
        dropped.push(DroppedMember {
            path,
            source,
            value,
        });
        trimmed = Some(TrimmedValue {
            value: rest,
            dropped,
        });
    }
    trimmed
}

/// Decodes a text after [`trim`]. The text is given to `read` with a list of what was left out in
/// its `_meta`.
#[cold]
pub(crate) fn read_trimmed<T>(
    text: &str,
    read: impl Fn(&str) -> Result<T, VersionError>,
) -> Option<(T, Vec<DroppedMember>)> {
    let value: &RawValue = serde_json::from_str(text).ok()?;
    let TrimmedValue { value, dropped } = trim(value, |value| read(value.get()).map(drop))?;
    let result = read(&marked(&value, &dropped)?).ok()?;
    let (first, count) = (dropped.first()?, dropped.len());
    tracing::warn!(
        count,
        first = %PeerDisplay(first),
        "malformed members that only decorate were left out"
    );
    Some((result, dropped))
}

/// Returns the part of the path of an invalid value that ends with the innermost decoration.
fn decoration(path: &[Segment], single: bool) -> Option<&[Segment]> {
    let mut found = None;
    let mut parent = "";
    for (at, segment) in path.iter().enumerate() {
        let this = path.get(..=at);
        match segment {
            // An icon without one of its members would be another icon.
            Segment::Index(_) if parent == "icons" => return if single { this } else { found },
            Segment::Index(_) => {}
            Segment::Member(_) if parent == "annotations" => return this,
            Segment::Member(name) => {
                let is_last = at + 1 == path.len();
                if DECORATIVE.contains(&&**name) || (name == "_meta" && is_last) {
                    found = this;
                } else if !CONTAINERS.contains(&&**name) {
                    return found;
                }
                parent = name;
            }
        }
    }
    found
}

/// Returns a value without the part at a path, and that part.
fn without(value: &RawValue, path: &[Segment]) -> Option<(Box<RawValue>, Box<RawValue>)> {
    let (first, rest) = path.split_first()?;
    match first {
        Segment::Member(name) => {
            let mut members: Map<Box<RawValue>> = serde_json::from_str(value.get()).ok()?;
            let part = if rest.is_empty() {
                members.remove(name)?
            } else {
                let (inner, part) = without(members.get(name)?, rest)?;
                members.insert(name, inner);
                part
            };
            Some((json::to_raw(&members).ok()?, part))
        }
        Segment::Index(index) => {
            let mut elements: Vec<Box<RawValue>> = serde_json::from_str(value.get()).ok()?;
            let element = elements.get_mut(*index)?;
            let part = if rest.is_empty() {
                elements.remove(*index)
            } else {
                let (inner, part) = without(element, rest)?;
                *element = inner;
                part
            };
            Some((json::to_raw(&elements).ok()?, part))
        }
    }
}

/// Returns the path that a part had before other elements of its array were left out, which
/// preceded it.
fn original(path: &[Segment], dropped: &[DroppedMember]) -> Path {
    let mut path = path.to_vec();
    if let Some((Segment::Index(index), parent)) = path.split_last_mut() {
        let siblings = dropped.iter().filter(|other| {
            let other = other.path.segments().split_last();
            other.is_some_and(|(_, other)| other == parent)
        });
        *index += siblings.count();
    }
    path.into_iter().collect()
}

/// Returns an object with a list of what was left out in its `_meta`.
fn marked(value: &RawValue, dropped: &[DroppedMember]) -> Option<String> {
    let mut members: Map<Box<RawValue>> = serde_json::from_str(value.get()).ok()?;
    let meta = members.get("_meta").map_or("{}", |meta| meta.get());
    let mut meta: Map<Box<RawValue>> = serde_json::from_str(meta).ok()?;
    let describe = |dropped: &DroppedMember| {
        let path = dropped.path.to_string();
        let reason = dropped.source.message();
        Value::from(Object::from([("path", path.as_str()), ("reason", reason)]))
    };
    let list: Vec<Value> = dropped.iter().map(describe).collect();
    meta.insert(DROPPED, json::to_raw(&list).ok()?);
    members.insert("_meta", json::to_raw(&meta).ok()?);
    json::to_string(&members).ok()
}

/// Returns the error for a part of a document, whose path is `depth` steps long, as an error for
/// that part alone.
pub(crate) fn inside_part(error: VersionError, depth: usize) -> VersionError {
    match error {
        VersionError::Decode(error) => {
            let inner = error.path().segments().iter().skip(depth).cloned();
            let path = inner.collect();
            VersionError::Decode(error.with_path(path))
        }
        other => other,
    }
}

impl DroppedMember {
    /// Adds the element of a list that had the member to the path.
    pub(crate) fn inside(mut self, list: &'static str, index: usize) -> Self {
        self.source = self.source.inside_index(index).inside_member(list);
        self.path.prepend(Segment::Index(index));
        self.path.prepend(Segment::Member(list.to_owned()));
        self
    }
}
