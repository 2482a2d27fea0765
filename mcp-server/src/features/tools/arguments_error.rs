//! [`ArgumentsError`]: why a tool does not take the arguments of a call.

use mcp_types::error::DecodeError;

#[cfg(feature = "json-schema")]
use crate::features::schema::validator::Invalid;

/// Why a tool does not take the arguments of a call.
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
