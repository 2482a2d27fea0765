//! [`Dialect`] and [`Draft`]: the versions of JSON Schema.

use serde_json::Value;

/// The version of JSON Schema in which a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Draft 04, draft 06 or draft 07. Types are defined under `definitions`, and what stands beside a
    /// reference has no effect.
    Draft07,
    /// Draft 2019-09 or draft 2020-12. Types are defined under `$defs`.
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

/// A draft of JSON Schema, which decides what its keywords are. The order is that of their age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    /// Draft 04.
    Draft04,
    /// Draft 06.
    Draft06,
    /// Draft 07.
    Draft07,
    /// Draft 2019-09.
    Draft2019,
    /// Draft 2020-12.
    Draft2020,
}

impl Draft {
    const ALL: [Self; 5] = [
        Self::Draft04,
        Self::Draft06,
        Self::Draft07,
        Self::Draft2019,
        Self::Draft2020,
    ];

    /// Returns the name, as URIs have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft04 => "draft-04",
            Self::Draft06 => "draft-06",
            Self::Draft07 => "draft-07",
            Self::Draft2019 => "2019-09",
            Self::Draft2020 => "2020-12",
        }
    }

    /// Returns the draft that `$schema` of a document names, if it is one of these.
    pub(super) fn of(root: &Value) -> Option<Self> {
        let uri = root.get("$schema")?.as_str()?;
        let rest = uri.split_once("://json-schema.org/")?.1;
        let mut all = Self::ALL.into_iter();
        all.find(|draft| rest.contains(draft.name()))
    }
}
