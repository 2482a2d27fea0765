//! [`Cursor`]: where the next page of a list begins.

use std::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// Where the next page of a list begins: text that means something to the server alone.
///
/// A client hands back what it was given, unchanged and unread, and keeps it no longer than the
/// connection. The empty text is a cursor like any other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cursor(String);

impl Cursor {
    /// The empty one.
    pub(super) const EMPTY: Self = Self(String::new());

    /// The text, for the server that made it.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, without a copy.
    #[inline]
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<String> for Cursor {
    #[inline]
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Cursor {
    #[inline]
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<Cursor> for String {
    #[inline]
    fn from(cursor: Cursor) -> Self {
        cursor.0
    }
}

impl AsRef<str> for Cursor {
    #[inline]
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Cursor {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Cursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}
