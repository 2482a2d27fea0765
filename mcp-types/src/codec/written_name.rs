//! [`WrittenName`]: the name of a member as it is encoded.

use super::super::json::DECLARED;
use serde::ser::{Serialize, Serializer};

/// The name of a declared member, with what stands around it in JSON.
///
/// The writer of this crate copies the prepared text. Other serializers get the name as a unit variant,
/// which they write as a string.
#[derive(Clone, Copy, Debug)]
pub struct WrittenName {
    name: &'static str,
    /// A comma, the name in quotes, and a colon; empty if the name contains characters that JSON escapes.
    json: &'static str,
}

impl WrittenName {
    /// Combines a name with its text. `json` is a comma, the name in quotes, and a colon.
    #[must_use]
    pub const fn new(name: &'static str, json: &'static str) -> Self {
        let mut bytes = name.as_bytes();
        while let [first, rest @ ..] = bytes {
            if *first < b' ' || *first == b'"' || *first == b'\\' {
                return Self { name, json: "" };
            }
            bytes = rest;
        }
        Self { name, json }
    }

    /// Returns the name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.name
    }
}

impl Serialize for WrittenName {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.json.is_empty() {
            return serializer.serialize_str(self.name);
        }
        serializer.serialize_unit_variant(self.json, DECLARED, self.name)
    }
}

/// Expands to the [`WrittenName`] of a literal.
macro_rules! written_name {
    ($name:literal) => {
        const { codec::WrittenName::new($name, concat!(",\"", $name, "\":")) }
    };
}

pub(crate) use written_name;
