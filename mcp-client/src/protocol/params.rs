//! [`Params`]: what a request says, written around the text of its params.

use std::borrow::Cow;
use std::fmt;

use mcp_types::Revision;
use mcp_types::json::Value;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::protocol::connection::Core;

/// The member that says of a request what its method does not.
pub(crate) const META: &str = "_meta";

/// Params on their way. Their values stay text: only the names of members, and of those of
/// `_meta`, are looked at.
pub(crate) struct Params<'a> {
    members: Members<'a>,
    meta: Members<'a>,
}

/// A value that is written as it stands.
pub(crate) enum Part<'a> {
    Raw(&'a RawValue),
    Value(&'a Value),
    Number(i64),
}

impl<'a> Params<'a> {
    /// No params.
    pub(crate) fn new() -> Self {
        Self {
            members: Members::default(),
            meta: Members::default(),
        }
    }

    /// Params in the form of a revision; `null` where there are none.
    pub(crate) fn read(text: &'a str) -> serde_json::Result<Self> {
        let mut members = Members::read(text)?;
        let meta = match members.remove(META) {
            Some(Part::Raw(meta)) => Members::read(meta.get())?,
            _ => Members::default(),
        };
        Ok(Self { members, meta })
    }

    /// Adds a member, or replaces it.
    pub(crate) fn with(mut self, name: &'a str, value: Part<'a>) -> Self {
        self.members.set(name, value);
        self
    }

    /// Adds what a request says of the client and of itself.
    pub(crate) fn described(
        mut self,
        core: &'a Core,
        revision: Revision,
        progress: Option<i64>,
    ) -> Self {
        if revision == Revision::LATEST {
            for (name, value) in &core.described {
                self.meta.set(name, Part::Raw(value));
            }
        }
        if let Some(token) = progress {
            self.meta.set("progressToken", Part::Number(token));
        }
        self
    }

    /// Adds a member to `_meta`, or replaces it.
    pub(crate) fn meta(mut self, name: &'a str, value: &'a Value) -> Self {
        self.meta.set(name, Part::Value(value));
        self
    }
}

/// The members of an object in their order. There are few of them, so that looking at all is the
/// fastest way to find one.
#[derive(Default)]
struct Members<'a>(Vec<(Cow<'a, str>, Part<'a>)>);

impl<'a> Members<'a> {
    fn read(text: &'a str) -> serde_json::Result<Self> {
        let members: Option<Self> = serde_json::from_str(text)?;
        Ok(members.unwrap_or_default())
    }

    fn set(&mut self, name: &'a str, value: Part<'a>) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name.into(), value)),
        }
    }

    fn remove(&mut self, name: &str) -> Option<Part<'a>> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }
}

/// From our own text, in which no name stands twice.
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
                    members.push((name, Part::Raw(value)));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Read)
    }
}

/// A name, which is copied only where it is written with escapes.
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

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Raw(text) => text.serialize(serializer),
            Self::Value(value) => value.serialize(serializer),
            Self::Number(number) => serializer.serialize_i64(*number),
        }
    }
}
