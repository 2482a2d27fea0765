//! The errors of parsing and applying facts.

use crate::schema::SchemaError;

/// An error in a file of facts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FactsError {
    /// The file does not have the form of a file of facts.
    #[error("{file}:{}:{}: not a file of facts: {source}", .source.line(), .source.column())]
    Form {
        /// The file of facts.
        file: String,
        /// The JSON error.
        source: serde_json::Error,
    },
    /// The published schema does not have the place.
    #[error("{file}: `{kind}`: the schema has no place `{pointer}`")]
    NoPlace {
        /// The file of facts.
        file: String,
        /// The kind of fact.
        kind: &'static str,
        /// The place.
        pointer: String,
    },
    /// The published schema has something at the place to which the fact cannot apply.
    #[error("{file}: `{kind}` at `{pointer}`: expected {expected}, found {found}")]
    Mismatch {
        /// The file of facts.
        file: String,
        /// The kind of fact.
        kind: &'static str,
        /// The place.
        pointer: String,
        /// What the fact needs there.
        expected: String,
        /// What the schema has there.
        found: String,
    },
    /// The document is not a valid schema after the facts are applied.
    #[error("{file}: the schema with its facts is not valid")]
    InvalidResult {
        /// The file of facts.
        file: String,
        /// The error in the schema.
        source: SchemaError,
    },
}
