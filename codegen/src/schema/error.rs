//! What can be wrong with a schema document.

use serde_json::Value;

/// A fault of a schema document, with the file and the place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The text is not JSON.
    #[error("{file}:{}:{}: not JSON", .source.line(), .source.column())]
    NotJson {
        /// The document.
        file: String,
        /// What the JSON parser says.
        source: serde_json::Error,
    },
    /// The document has no map of definitions.
    #[error("{file}: no definitions: neither `definitions` nor `$defs` is there")]
    NoDefinitions {
        /// The document.
        file: String,
    },
    /// A place holds something else than a schema needs there.
    #[error("{file}: at `{pointer}`: not a schema: expected {expected}, found {found}")]
    NotASchema {
        /// The document.
        file: String,
        /// JSON pointer to the fault.
        pointer: String,
        /// What belongs there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A keyword that may change what the schema accepts and is not understood.
    #[error("{file}: at `{pointer}`: unknown keyword `{keyword}`, which may change the meaning")]
    UnknownKeyword {
        /// The document.
        file: String,
        /// JSON pointer to the schema that has the keyword.
        pointer: String,
        /// The keyword.
        keyword: String,
    },
    /// A reference to a definition that is not there.
    #[error("{file}: at `{pointer}`: `{reference}` refers to a definition that is not there")]
    DanglingRef {
        /// The document.
        file: String,
        /// JSON pointer to the `$ref`.
        pointer: String,
        /// The reference as written.
        reference: String,
    },
    /// A reference to something else than a definition of the same document.
    #[error("{file}: at `{pointer}`: `{reference}` is no definition of this document")]
    ForeignRef {
        /// The document.
        file: String,
        /// JSON pointer to the `$ref`.
        pointer: String,
        /// The reference as written.
        reference: String,
    },
}

/// A value's kind or, where that is short, the value itself, for messages.
pub(super) fn shown(value: Option<&Value>) -> String {
    const LONGEST: usize = 120;
    let Some(value) = value else {
        return "nothing".to_owned();
    };
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("{start}...")
}
