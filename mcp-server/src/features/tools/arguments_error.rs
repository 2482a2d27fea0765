//! [`ArgumentsError`]: why the arguments of a tool call are invalid.

#[cfg(feature = "json-schema")]
use mcp_guard::schema_validator::Invalid;
use mcp_types::error::DecodeError;

/// Why the arguments of a tool call are invalid.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArgumentsError {
    /// They do not fit the schema.
    #[cfg(feature = "json-schema")]
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// They do not fit the type.
    #[error(transparent)]
    Decode(#[from] DecodeError),
}
