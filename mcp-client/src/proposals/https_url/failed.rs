//! [`FetchFailed`]: errors of fetching a resource.

use std::fmt;

use mcp_types::base64::Base64Error;

use crate::protocol::error::CallError;
use mcp_fetch::FetchError;

/// Why a resource could not be fetched completely.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchFailed {
    /// It could neither be fetched by its URL nor read with `resources/read`.
    #[error("cannot read `{uri}`: {source}{}", AttemptList(attempts))]
    Read {
        /// The URI.
        uri: String,
        /// The errors of the earlier attempts.
        attempts: Vec<FetchError>,
        /// Why it cannot be read.
        source: ReadError,
    },
    /// It is larger than the policy allows, so it was not read either.
    #[error("cannot fetch `{uri}`: {source}{}", AttemptList(attempts))]
    TooLarge {
        /// The URI.
        uri: String,
        /// The errors of the earlier attempts.
        attempts: Vec<FetchError>,
        /// Its size and the limit.
        source: Box<FetchError>,
    },
    /// The transfer was interrupted and could not be resumed after the program had received a part.
    #[error(
        "the transfer of `{uri}` was interrupted after {given} bytes: {source}{}",
        AttemptList(attempts)
    )]
    Broken {
        /// The URI.
        uri: String,
        /// The number of bytes that the program received.
        given: u64,
        /// The errors of the earlier attempts.
        attempts: Vec<FetchError>,
        /// The cause.
        source: Box<FetchError>,
    },
    /// The writer of the program failed.
    #[error("cannot write the content after {given} bytes: {source}")]
    Write {
        /// The minimum number of bytes that were written.
        given: u64,
        /// Why.
        source: std::io::Error,
    },
    /// The transfer has failed before.
    #[error("the transfer has already failed after {given} bytes")]
    Over {
        /// The number of bytes that the program received.
        given: u64,
    },
}

/// Why a resource could not be read with `resources/read`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The request failed.
    #[error(transparent)]
    Call(Box<CallError>),
    /// The result is empty.
    #[error("the result of `resources/read` has no contents")]
    Empty,
    /// The resource has no contents of the requested type.
    #[error("no contents of the type `{wanted}`, only {found:?}")]
    MediaType {
        /// The requested type.
        wanted: String,
        /// The types of the contents.
        found: Vec<String>,
    },
    /// The content is not valid base64.
    #[error(transparent)]
    Base64(#[from] Base64Error),
    /// The content is larger than the policy allows.
    #[error("the content has {size} bytes, more than the {limit} that the policy allows")]
    TooLarge {
        /// Its size in bytes. If the reference names it, nothing was requested.
        size: u64,
        /// The maximum size.
        limit: u64,
    },
    /// The content does not fit into a message, so it was not requested.
    #[error("the content has {size} bytes, but a message can have at most {limit}")]
    Message {
        /// The size in the reference.
        size: u64,
        /// [`Limits::message_bytes`](crate::Limits).
        limit: usize,
    },
}

impl From<CallError> for ReadError {
    fn from(error: CallError) -> Self {
        Self::Call(Box::new(error))
    }
}

/// The errors of earlier attempts.
struct AttemptList<'a>(&'a [FetchError]);

impl fmt::Display for AttemptList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, attempt) in self.0.iter().enumerate() {
            let before = if at == 0 {
                "; earlier attempts: "
            } else {
                "; "
            };
            write!(f, "{before}{attempt}")?;
        }
        Ok(())
    }
}
