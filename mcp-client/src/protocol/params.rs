//! [`Params`]: the params of a request, composed of JSON texts.
//!
//! The params of a call are encoded once, in the form of a revision. Everything that depends on
//! them, such as the message, the headers and the key of the cached result, is composed from the
//! texts of their members.

use std::borrow::Cow;
use std::fmt;

use mcp_types::Revision;
use mcp_types::json::{Encoded, Map, Value, Writer};
use mcp_types::revision::{VersionError, Versioned};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

/// The member of params that holds metadata of the request.
pub(crate) const META: &str = "_meta";

/// Params in the form of a revision, as text.
pub(crate) struct EncodedParams(String);

impl EncodedParams {
    pub(crate) fn new(revision: Revision, params: impl Versioned) -> Result<Self, VersionError> {
        let mut buffer = Vec::with_capacity(256);
        params.write_at(revision, &mut Writer::new(&mut buffer))?;
        let text = String::from_utf8(buffer);
        Ok(Self(text.map_err(serde_json::Error::custom)?))
    }

    /// Returns the members.
    pub(crate) fn members(&self) -> serde_json::Result<Params<'_>> {
        Params::parse(&self.0)
    }
}

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
    /// JSON text.
    Text(&'a str),
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

    /// Parses an object; `null` means no members.
    fn parse(text: &'a str) -> serde_json::Result<Self> {
        let mut members = Members::parse(text)?;
        let meta = match members.remove(META) {
            Some(ParamValue::Text(meta)) => Members::parse(meta)?,
            _ => Members::default(),
        };
        Ok(Self { members, meta })
    }

    /// Returns `true` if there is such a member.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.members.0.iter().any(|(known, _)| known == name)
    }

    /// Returns the text of a member.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        let mut members = self.members.0.iter();
        match members.find(|(known, _)| known == name)? {
            (_, ParamValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a member that is a string.
    pub(crate) fn string(&self, name: &str) -> Option<Cow<'a, str>> {
        let Text(text) = serde_json::from_str(self.text(name)?).ok()?;
        Some(text)
    }

    /// Adds a member, or replaces it.
    pub(crate) fn with(mut self, name: &'a str, value: ParamValue<'a>) -> Self {
        self.members.set(name, value);
        self
    }

    /// Adds a member of a name that there is not yet.
    pub(crate) fn with_new(mut self, name: &'a str, value: ParamValue<'a>) -> Self {
        self.members.0.push((name.into(), value));
        self
    }

    /// Sets `_meta`.
    pub(crate) fn with_meta(mut self, meta: &'a Map<Box<RawValue>>) -> Self {
        let members = meta
            .iter()
            .map(|(name, value)| (name.into(), ParamValue::Text(value.get())));
        self.meta.0 = members.collect();
        self
    }

    /// Removes a member.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.members.remove(name);
        self
    }

    /// Adds the members of `_meta` by which requests of modern revisions describe the client.
    pub(crate) fn describe(mut self, request_meta: &'a Map<Box<RawValue>>) -> Self {
        for (name, value) in request_meta {
            self.meta.set(name, ParamValue::Text(value.get()));
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
    /// Parses an object; `null` means no members.
    fn parse(text: &'a str) -> serde_json::Result<Self> {
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
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(4);
                while let Some((Text(name), value)) = map.next_entry::<_, &RawValue>()? {
                    members.push((name, ParamValue::Text(value.get())));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
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
            Self::Text(text) => Encoded(text).serialize(serializer),
            Self::Value(value) => value.serialize(serializer),
            Self::Number(number) => serializer.serialize_i64(*number),
        }
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::json;

    use super::*;

    #[test]
    fn params_are_composed_from_their_members() {
        for (text, composed) in [
            ("{}", r#"{"added":true,"_meta":{"progressToken":7}}"#),
            ("null", r#"{"added":true,"_meta":{"progressToken":7}}"#),
            (
                r#"{"_meta":{"progressToken":1,"a":{"b":1,"c":2}},"added":false}"#,
                r#"{"added":true,"_meta":{"progressToken":7,"a":{"b":1,"c":2}}}"#,
            ),
            (
                r#"{"a\"b":1,"c":"d\":e","":"","_meta":{"g\":":"}"}}"#,
                r#"{"a\"b":1,"c":"d\":e","":"","added":true,"_meta":{"g\":":"}","progressToken":7}}"#,
            ),
        ] {
            let params = Params::parse(text)
                .expect("members")
                .progress_token(7)
                .with("added", ParamValue::Text("true"));
            assert_eq!(json::to_string(&params).expect("encoded"), composed);
        }
        for text in ["[]", "1", "{1}", "{\"a\" 1}"] {
            assert!(Params::parse(text).is_err(), "{text}");
        }
    }
}
