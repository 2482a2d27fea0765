//! The errors of a schema document.

use serde_json::Value;

/// An error in a schema document, with the file and the position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The text is not JSON.
    #[error("{file}:{}:{}: not JSON", .source.line(), .source.column())]
    NotJson {
        /// The document.
        file: String,
        /// The JSON error.
        source: serde_json::Error,
    },
    /// The document has no object of definitions.
    #[error("{file}: the schema has neither `definitions` nor `$defs`")]
    NoDefinitions {
        /// The document.
        file: String,
    },
    /// A value in the document is not a valid part of a schema.
    #[error("{file}: at `{pointer}`: not a schema: expected {expected}, found {found}")]
    NotASchema {
        /// The document.
        file: String,
        /// JSON pointer to the value.
        pointer: String,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// An unsupported keyword that may change which values are valid.
    #[error(
        "{file}: at `{pointer}`: unsupported keyword `{keyword}`, which may change which values are valid"
    )]
    UnknownKeyword {
        /// The document.
        file: String,
        /// JSON pointer to the schema that has the keyword.
        pointer: String,
        /// The keyword.
        keyword: String,
    },
    /// A reference to a definition that does not exist.
    #[error("{file}: at `{pointer}`: `{reference}` refers to a definition that does not exist")]
    DanglingRef {
        /// The document.
        file: String,
        /// JSON pointer to the `$ref`.
        pointer: String,
        /// The reference as it is written.
        reference: String,
    },
    /// A reference to something other than a definition of the same document.
    #[error(
        "{file}: at `{pointer}`: `{reference}` does not refer to a definition of this document"
    )]
    ForeignRef {
        /// The document.
        file: String,
        /// JSON pointer to the `$ref`.
        pointer: String,
        /// The reference as it is written.
        reference: String,
    },
}

/// Describes a value in messages: the value itself if it is short, or else its type.
pub(super) fn describe_value(value: Option<&Value>) -> String {
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
