//! Conversions between adjacent revisions, and their errors.
//!
//! A conversion implements `From` if it cannot fail and `TryFrom` if it can. In a conversion to a
//! newer revision, members that only the older revision has are kept in `extra`; the conversion
//! back restores them from there. In a conversion to an older revision, members that only the newer
//! revision has are dropped. A choice with titles, and one block of content in a list, get the form
//! that the other revision has for the same. Content of a kind that the other revision lacks
//! becomes text that describes it, and a newly required member gets a default value. Everything
//! else that the other revision cannot represent is a [`ConvertError`], with its place. A member of
//! `extra` that the target type declares is moved to its field, or is dropped if its value is not
//! valid there.
//!
//! A conversion never changes what a JSON Schema says that a user wrote: `inputSchema` and
//! `outputSchema` of a tool, and `requestedSchema` of a form. Every keyword is kept; the schema
//! `true` of a property becomes `{}`, and `false` becomes `{"not":{}}`, where the other revision
//! requires objects. An `outputSchema` that the other revision cannot represent, such as one for
//! arrays before 2026-07-28, is left out. The other two are required, so the conversion fails.
//!
//! # What a conversion to a newer revision adds
//!
//! Members that the newer revision requires and that the message does not have:
//!
//! | Member | Value | Since |
//! | --- | --- | --- |
//! | `jsonrpc` of a request or notification | `"2.0"` | 2025-11-25 |
//! | `resultType` of a result | `"complete"` | 2026-07-28 |
//! | `ttlMs` and `cacheScope` of a result that can be cached | `0` and `"private"` | 2026-07-28 |
//! | `params` of a request | an object with `_meta` | 2026-07-28 |
//! | `_meta` of the params of a request | an object with the following members | 2026-07-28 |
//! | `io.modelcontextprotocol/protocolVersion` in it | the revision of the message | 2026-07-28 |
//! | `io.modelcontextprotocol/clientCapabilities` in it | `{}` | 2026-07-28 |
//!
//! The revision of the message is the one at which the conversion started: for
//! [`Revision::decode`] the revision that decodes, for `registry::convert_text` its first argument,
//! and for a single `From` the revision of its source. The empty capabilities state nothing about
//! the client: in the older revisions it declares its capabilities once, in `initialize`, and not
//! in each request.
//!
//! If an older message has a member with one of these names and a valid value, that value is used
//! instead. The conversion back removes the members in either case, except for `jsonrpc`. It also
//! removes a `_meta` or `params` that is empty without them, because that cannot be distinguished
//! from one that was added.

mod error;
mod schema;
mod table;

#[allow(
    unused_imports,
    reason = "without older revisions there are no conversions"
)]
pub(crate) use table::{conversion, object_conversion, union_conversion};

pub use error::ConvertError;
#[doc(hidden)]
pub use schema::or_absent;

use crate::codec::{Extra, Map, Object, Value};
use crate::error::{DecodeError, Segment, excerpt};
use crate::json;
use crate::revisions::Revision;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;

thread_local! {
    static ORIGIN: Cell<Option<Revision>> = const { Cell::new(None) };
}

/// While this value exists, the conversions on this thread are steps of one that started at the
/// given revision, and [`origin`] returns that revision.
///
/// Each step implements `From`, which has no parameter for the revision.
#[must_use = "the origin is forgotten when this value is dropped"]
pub(crate) struct Origin {
    outer: Option<Revision>,
}

impl Origin {
    pub(crate) fn enter(revision: Revision) -> Self {
        let outer = ORIGIN.replace(Some(revision));
        Self { outer }
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        ORIGIN.set(self.outer);
    }
}

/// Returns the name of the revision at which the conversion on this thread started, or `step`, the
/// revision of the source, if a program converts the value itself with a single `From`.
#[doc(hidden)]
#[must_use]
pub fn origin(step: &'static str) -> String {
    let origin = ORIGIN.get().map_or(step, Revision::as_str);
    origin.to_owned()
}

/// Converts the items of a list. A plain loop: `collect` into a `Vec` generates several times the
/// code for each pair of types.
#[doc(hidden)]
pub fn each<T, U>(items: Vec<T>, convert: impl Fn(T) -> U) -> Vec<U> {
    let mut converted = Vec::with_capacity(items.len());
    for item in items {
        converted.push(convert(item));
    }
    converted
}

/// Converts the items of a list with a conversion that can fail.
///
/// # Errors
///
/// Returns the error of the first item that fails, with its index.
#[doc(hidden)]
pub fn try_each<T, U, E>(
    items: Vec<T>,
    convert: impl Fn(T) -> Result<U, E>,
) -> Result<Vec<U>, ConvertError>
where
    ConvertError: From<E>,
{
    let mut converted = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let item = convert(item);
        converted
            .push(item.map_err(|error| ConvertError::from(error).inside(Segment::Index(index)))?);
    }
    Ok(converted)
}

/// Converts the values of a map with a conversion that can fail.
///
/// # Errors
///
/// Returns the error of the first value that fails, with its name.
#[doc(hidden)]
pub fn try_map<T, U, E>(
    map: Map<T>,
    convert: impl Fn(T) -> Result<U, E>,
) -> Result<Map<U>, ConvertError>
where
    ConvertError: From<E>,
{
    let mut converted = Map::with_capacity(map.len());
    for (name, value) in map {
        let value = inside(&name, || convert(value))?;
        // The names of a map are unique.
        converted.push(&name, value);
    }
    Ok(converted)
}

/// Converts a member, and adds it to the path of the error.
///
/// # Errors
///
/// Returns the error of the conversion.
#[doc(hidden)]
#[inline]
pub fn inside<T, E>(member: &str, convert: impl FnOnce() -> Result<T, E>) -> Result<T, ConvertError>
where
    ConvertError: From<E>,
{
    convert().map_err(|error| {
        let name = excerpt(member).into_owned();
        ConvertError::from(error).inside(Segment::Member(name))
    })
}

/// Converts an optional value, or returns its error.
///
/// # Errors
///
/// Returns the error of the conversion.
#[doc(hidden)]
#[inline]
pub fn optional<T, U, E>(
    value: Option<T>,
    convert: impl FnOnce(T) -> Result<U, E>,
) -> Result<Option<U>, E> {
    value.map(convert).transpose()
}

/// Converts a value to an object, for a member that can be any value in the other revision.
///
/// # Errors
///
/// Returns an error if the value is not an object.
#[doc(hidden)]
pub fn object(value: Value) -> Result<Object, ConvertError> {
    Ok(json::from_value(value)?)
}

/// Converts a value that is typed in one revision and any JSON in the other one.
///
/// # Errors
///
/// Returns an error if the value is not valid in the other revision.
#[doc(hidden)]
pub fn through_json<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, ConvertError> {
    let text = json::to_string(value).map_err(DecodeError::from)?;
    Ok(json::from_str(&text)?)
}

/// Decodes a value that the generator knows.
///
/// # Errors
///
/// Returns an error if the value is not valid, which is a bug in the generator.
#[doc(hidden)]
pub fn decoded<T: DeserializeOwned>(text: &str) -> Result<T, ConvertError> {
    Ok(json::from_str(text)?)
}

/// Converts a value to a type that can only describe it: an object with the members `constants`,
/// the text of `template` in `member`, and the members `kept` of the value.
///
/// In the template, `{member}` stands for the text of a member. Characters before the name are
/// written only if the member is present.
///
/// # Errors
///
/// Returns an error if the result is not valid.
#[doc(hidden)]
pub fn replacement<T: DeserializeOwned>(
    value: &impl Serialize,
    constants: &str,
    member: &str,
    template: &str,
    kept: &[&str],
) -> Result<T, ConvertError> {
    let value = json::to_value(value)?;
    let mut object: Object = json::from_str(constants)?;
    object.insert(member, described(&value, template));
    for name in kept {
        if let Some(value) = value.get(name) {
            object.insert(name, value.clone());
        }
    }
    Ok(json::from_object(object)?)
}

/// Converts a value to a type that has the values of its objects as lists: an object with the
/// members `constants`, for each of `columns` the list of the values that the objects in `list`
/// have in a member, and the members `kept` of the value.
///
/// # Errors
///
/// Returns an error if the result is not valid.
#[doc(hidden)]
pub fn columns<T: DeserializeOwned>(
    value: &impl Serialize,
    constants: &str,
    list: &str,
    columns: &[(&str, &str)],
    kept: &[&str],
) -> Result<T, ConvertError> {
    let value = json::to_value(value)?;
    let mut object: Object = json::from_str(constants)?;
    let objects = value.get(list).and_then(Value::as_array);
    for (name, member) in columns {
        let values = objects
            .into_iter()
            .flatten()
            .filter_map(|it| it.get(member));
        object.insert(name, values.cloned().collect::<Value>());
    }
    for name in kept {
        if let Some(value) = value.get(name) {
            object.insert(name, value.clone());
        }
    }
    Ok(json::from_object(object)?)
}

/// Returns the element of a list that has only one.
#[doc(hidden)]
#[must_use]
pub fn only<T>(mut items: Vec<T>) -> Option<T> {
    let item = items.pop()?;
    items.is_empty().then_some(item)
}

fn described(value: &Value, template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((placeholder, after)) = after.split_once('}') else {
            break;
        };
        let name = placeholder.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        if let Some(member) = value.get(name).and_then(Value::as_str) {
            let before_name = placeholder.len() - name.len();
            text.push_str(placeholder.get(..before_name).unwrap_or_default());
            text.push_str(member);
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

impl Extra {
    /// Removes a member and decodes it. Returns `None` if it is missing or has another type.
    pub fn take<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        // Called through a function pointer to reduce compile time; see `json::from_str`.
        let text: fn(&Value) -> String = Value::to_string;
        json::from_str(&text(&self.remove(name)?)).ok()
    }

    /// Sets a member to the JSON of a value, if there is one.
    pub fn stash_some(&mut self, name: &'static str, value: &Option<impl Serialize>) {
        if let Some(value) = value {
            self.stash(name, value);
        }
    }

    /// Sets a member to the JSON of a value. A value that cannot be encoded is dropped.
    pub fn stash(&mut self, name: &'static str, value: &impl Serialize) {
        // Every value that was decoded can be encoded.
        if let Ok(value) = json::to_value(value) {
            self.insert(name, value);
        }
    }
}
