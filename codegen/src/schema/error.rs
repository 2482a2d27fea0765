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
    /// A member occurs twice in an object, possibly a definition.
    #[error("{file}:{line}: the member at `{pointer}` occurs twice: expected distinct names")]
    Duplicate {
        /// The document.
        file: String,
        /// The line of the second one.
        line: usize,
        /// JSON pointer to the member.
        pointer: String,
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
    /// A reference to something that the document does not contain.
    #[error("{file}: at `{pointer}`: `{reference}` refers to nothing in this document")]
    DanglingRef {
        /// The document.
        file: String,
        /// JSON pointer to the `$ref`.
        pointer: String,
        /// The reference as it is written.
        reference: String,
    },
    /// The root of the document cannot have the name that was chosen for it.
    #[error("{file}: the root cannot have the name `{name}`: {problem}")]
    RootName {
        /// The document.
        file: String,
        /// The name.
        name: String,
        /// Why it cannot.
        problem: &'static str,
    },
    /// An annotation that says nothing, or names something that the document does not contain.
    #[error("{file}: at `{pointer}`: not an annotation: {problem}")]
    BadAnnotation {
        /// The document.
        file: String,
        /// JSON pointer to the annotation.
        pointer: String,
        /// What is wrong with it.
        problem: String,
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
