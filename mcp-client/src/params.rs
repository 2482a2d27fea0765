//! [`Params`]: what a request says, written around the text of its params.

use mcp_types::Revision;
use mcp_types::json::{Map, Value};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::core::Core;

/// The member that says of a request what its method does not.
pub(crate) const META: &str = "_meta";

/// Params on their way. Their values stay text: only the names of members, and of those of
/// `_meta`, are looked at.
pub(crate) struct Params<'a> {
    members: Map<Part<'a>>,
    meta: Map<Part<'a>>,
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
            members: Map::new(),
            meta: Map::new(),
        }
    }

    /// Params in the form of a revision; `null` where there are none.
    pub(crate) fn read(text: &'a RawValue) -> serde_json::Result<Self> {
        let mut members = parts(text)?;
        let meta = match members.remove(META) {
            Some(Part::Raw(meta)) => parts(meta)?,
            _ => Map::new(),
        };
        Ok(Self { members, meta })
    }

    /// Adds a member, or replaces it.
    pub(crate) fn with(mut self, name: &str, value: Part<'a>) -> Self {
        self.members.insert(name, value);
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
                self.meta.insert(name, Part::Raw(value));
            }
        }
        if let Some(token) = progress {
            self.meta.insert("progressToken", Part::Number(token));
        }
        self
    }

    /// Adds a member to `_meta`, or replaces it.
    pub(crate) fn meta(mut self, name: &str, value: &'a Value) -> Self {
        self.meta.insert(name, Part::Value(value));
        self
    }
}

fn parts(text: &RawValue) -> serde_json::Result<Map<Part<'_>>> {
    let members: Option<Map<&RawValue>> = serde_json::from_str(text.get())?;
    Ok(members.unwrap_or_default().map(Part::Raw))
}

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.members {
            map.serialize_entry(name, value)?;
        }
        if !self.meta.is_empty() {
            map.serialize_entry(META, &self.meta)?;
        }
        map.end()
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
