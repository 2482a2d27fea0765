//! [`Cursor`]: the position at which the next page of a list starts.

use std::fmt;

use serde::ser::{Serialize, Serializer};

use super::error::DecodeError;
use super::json::{self, Decode, Text};

/// The position at which the next page of a list starts. Its text is opaque to clients.
///
/// A client sends back the cursor that it received, unchanged, and does not keep it longer than the
/// connection. The empty text is a valid cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cursor(String);

impl Cursor {
    /// The empty cursor.
    pub(super) const EMPTY: Self = Self(String::new());

    /// Returns the text, for the server that created it.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text without a copy.
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

impl Decode for Cursor {
    fn vacant() -> Self {
        Self::EMPTY
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        self.0.decode(text)
    }
}

json::deserialize_from_text! { Cursor }
