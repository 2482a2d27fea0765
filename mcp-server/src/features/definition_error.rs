//! [`DefinitionError`]: what is wrong with a tool, prompt, resource or template.

use mcp_types::error::DecodeError;

/// What is wrong with a definition, and where.
#[doc(hidden)]
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DefinitionError(String);

impl From<String> for DefinitionError {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for DefinitionError {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<DecodeError> for DefinitionError {
    fn from(error: DecodeError) -> Self {
        Self(error.to_string())
    }
}
