//! [`Params`]: the params of a request, composed of JSON texts.
//!
//! The params of a call are encoded as text, because older revisions have no other form, and split
//! into their members once. Everything that depends on them, such as the message, the headers and
//! the key of the cached result, is composed from these members.

use std::borrow::Cow;
use std::fmt;

use mcp_types::json::{Map, Value};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

#[cfg(test)]
thread_local! {
    /// Counts the calls of [`Params::split`] on this thread.
    pub(crate) static SPLITS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The member of params that holds metadata of the request.
pub(crate) const META: &str = "_meta";

/// Params as a list of members. Values stay text: only the names of members, and of the members of
/// `_meta`, are decoded. A clone copies references.
#[derive(Clone)]
pub(crate) struct Params<'a> {
    members: Members<'a>,
    meta: Members<'a>,
}

/// The value of a member.
#[derive(Clone, Copy)]
pub(crate) enum ParamValue<'a> {
    Raw(&'a RawValue),
    Value(&'a Value),
    Number(i64),
}

impl<'a> Params<'a> {
    /// Creates params without members.
    pub(crate) fn new() -> Self {
        Self {
            members: Members::default(),
            meta: Members::default(),
        }
    }

    /// Splits params that are encoded in the form of a revision; `null` means none.
    pub(crate) fn split(text: &'a str) -> serde_json::Result<Self> {
        #[cfg(test)]
        SPLITS.set(SPLITS.get() + 1);
        let mut members = Members::split(text)?;
        let meta = match members.remove(META) {
            Some(ParamValue::Raw(meta)) => Members::split(meta.get())?,
            _ => Members::default(),
        };
        Ok(Self { members, meta })
    }

    /// Returns `true` if there is such a member.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.members.0.iter().any(|(known, _)| known == name)
    }

    /// Returns the text of a member.
    pub(crate) fn text(&self, name: &str) -> Option<&'a RawValue> {
        let mut members = self.members.0.iter();
        match members.find(|(known, _)| known == name)? {
            (_, ParamValue::Raw(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a member that is a string.
    pub(crate) fn string(&self, name: &str) -> Option<Cow<'a, str>> {
        let Text(text) = serde_json::from_str(self.text(name)?.get()).ok()?;
        Some(text)
    }

    /// Adds a member, or replaces it.
    pub(crate) fn with(mut self, name: &'a str, value: ParamValue<'a>) -> Self {
        self.members.set(name, value);
        self
    }

    /// Adds the members of `_meta` by which requests of modern revisions describe the client.
    pub(crate) fn describe(mut self, request_meta: &'a Map<Box<RawValue>>) -> Self {
        for (name, value) in request_meta {
            self.meta.set(name, ParamValue::Raw(value));
        }
        self
    }

    /// Asks the server to report progress under this token.
    pub(crate) fn progress_token(mut self, token: i64) -> Self {
        self.meta.set("progressToken", ParamValue::Number(token));
        self
    }

    /// Adds a member to `_meta`, or replaces it.
    pub(crate) fn meta(mut self, name: &'a str, value: &'a Value) -> Self {
        self.meta.set(name, ParamValue::Value(value));
        self
    }

    /// Removes the members of `_meta` whose names do not match.
    pub(crate) fn retain_meta(mut self, matches: impl Fn(&str) -> bool) -> Self {
        self.meta.0.retain(|(name, _)| matches(name));
        self
    }
}

/// The members of an object in their order. There are few, so a linear search is the fastest.
#[derive(Clone, Default)]
struct Members<'a>(Vec<(Cow<'a, str>, ParamValue<'a>)>);

impl<'a> Members<'a> {
    fn split(text: &'a str) -> serde_json::Result<Self> {
        let members: Option<Self> = serde_json::from_str(text)?;
        Ok(members.unwrap_or_default())
    }

    fn set(&mut self, name: &'a str, value: ParamValue<'a>) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name.into(), value)),
        }
    }

    fn remove(&mut self, name: &str) -> Option<ParamValue<'a>> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }
}

/// Splits text that this client has written, in which no name occurs twice.
impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Split;

        impl<'de> Visitor<'de> for Split {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(4);
                while let Some((Text(name), value)) = map.next_entry()? {
                    members.push((name, ParamValue::Raw(value)));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Split)
    }
}

/// A string, copied only if it contains escapes.
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.members.0 {
            map.serialize_entry(name, value)?;
        }
        if !self.meta.0.is_empty() {
            map.serialize_entry(META, &self.meta)?;
        }
        map.end()
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl Serialize for ParamValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Raw(text) => text.serialize(serializer),
            Self::Value(value) => value.serialize(serializer),
            Self::Number(number) => serializer.serialize_i64(*number),
        }
    }
}
