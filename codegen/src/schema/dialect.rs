//! [`Dialect`]: the versions of JSON Schema.

use serde_json::Value;

/// The version of JSON Schema in which a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Draft 07, or draft 04, which is the same within the supported subset. Types are defined
    /// under `definitions`.
    Draft07,
    /// Draft 2020-12. Types are defined under `$defs`.
    Draft2020,
}

impl Dialect {
    /// Returns the value of `$schema`.
    #[must_use]
    pub fn uri(self) -> &'static str {
        match self {
            Self::Draft07 => "http://json-schema.org/draft-07/schema#",
            Self::Draft2020 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// Returns the name of the member that contains the definitions.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Draft07 => "definitions",
            Self::Draft2020 => "$defs",
        }
    }

    /// Returns the version of JSON Schema of a document.
    pub(super) fn of(root: &Value) -> Self {
        match root.get("$schema").and_then(Value::as_str) {
            Some(uri) if uri.contains("2020-12") || uri.contains("2019-09") => Self::Draft2020,
            None if root.get("$defs").is_some() => Self::Draft2020,
            Some(_) | None => Self::Draft07,
        }
    }
}
