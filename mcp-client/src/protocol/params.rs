//! [`Params`]: the params of a request, composed of JSON texts.

use std::borrow::Cow;
use std::fmt;

use mcp_types::json::{Map, Value};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

/// The member of params that holds metadata of the request.
pub(crate) const META: &str = "_meta";

/// Params that are being composed. Values stay text: only the names of members, and of the members
/// of `_meta`, are read.
pub(crate) struct Params<'a> {
    members: Members<'a>,
    meta: Members<'a>,
}

/// The value of a member.
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

    /// Reads params that are encoded in the form of a revision; `null` means none.
    pub(crate) fn read(text: &'a str) -> serde_json::Result<Self> {
        let mut members = Members::read(text)?;
        let meta = match members.remove(META) {
            Some(ParamValue::Raw(meta)) => Members::read(meta.get())?,
            _ => Members::default(),
        };
        Ok(Self { members, meta })
    }

    /// Returns the text of a member.
    pub(crate) fn text(&self, name: &str) -> Option<&'a RawValue> {
        let mut members = self.members.0.iter();
        match members.find(|(known, _)| known == name)? {
            (_, ParamValue::Raw(text)) => Some(text),
            _ => None,
        }
    }

    /// Adds a member, or replaces it.
    pub(crate) fn with(mut self, name: &'a str, value: ParamValue<'a>) -> Self {
        self.members.set(name, value);
        self
    }

    /// Adds the members of `_meta` by which requests of the newest revision describe the client.
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
}

/// The members of an object in their order. There are few, so a linear search is the fastest.
#[derive(Default)]
struct Members<'a>(Vec<(Cow<'a, str>, ParamValue<'a>)>);

impl<'a> Members<'a> {
    fn read(text: &'a str) -> serde_json::Result<Self> {
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

/// Reads text that this client has written, in which no name occurs twice.
impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(4);
                while let Some((Name(name), value)) = map.next_entry()? {
                    members.push((name, ParamValue::Raw(value)));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Read)
    }
}

/// A name, copied only if it contains escapes.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

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
