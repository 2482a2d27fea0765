//! [`FetchFailed`]: why there is no content.

use std::fmt;

use mcp_types::base64::Base64Error;

use crate::protocol::error::CallError;
use crate::protocol::fetch::FetchError;

/// Why a resource could not be fetched, or not to the end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchFailed {
    /// Its URL was of no use, and it could not be read either.
    #[error("`{uri}` could not be read: {source}{}", AttemptList(attempts))]
    Read {
        /// The URI.
        uri: String,
        /// What had been tried before.
        attempts: Vec<FetchError>,
        /// Why it cannot be read.
        source: ReadError,
    },
    /// It is larger than the policy allows, so that it was not read either.
    #[error("`{uri}` is not fetched: {source}{}", AttemptList(attempts))]
    TooLarge {
        /// The URI.
        uri: String,
        /// What had been tried before.
        attempts: Vec<FetchError>,
        /// How large it is.
        source: Box<FetchError>,
    },
    /// The transfer broke off, and could not go on, after the program had taken some of it.
    #[error(
        "`{uri}` broke off after {given} bytes: {source}{}",
        AttemptList(attempts)
    )]
    Broken {
        /// The URI.
        uri: String,
        /// As many bytes had been given.
        given: u64,
        /// What had been tried before.
        attempts: Vec<FetchError>,
        /// Why it broke off.
        source: Box<FetchError>,
    },
    /// What it was written to failed.
    #[error("writing failed after {given} bytes: {source}")]
    Write {
        /// As many bytes had been written at least.
        given: u64,
        /// Why.
        source: std::io::Error,
    },
    /// It had failed before.
    #[error("the transfer had failed before, after {given} bytes")]
    Over {
        /// As many bytes had been given.
        given: u64,
    },
}

/// Why a resource could not be read over the connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The request failed.
    #[error(transparent)]
    Call(Box<CallError>),
    /// There was nothing in the result.
    #[error("the result has no contents")]
    Empty,
    /// The resource is not to be had in the type that was asked for.
    #[error("there is nothing of the type `{wanted}` among {found:?}")]
    MediaType {
        /// What was asked for.
        wanted: String,
        /// What there is.
        found: Vec<String>,
    },
    /// The content is no base64.
    #[error(transparent)]
    Base64(#[from] Base64Error),
    /// The content is larger than the policy allows.
    #[error("the content has {size} bytes, more than the {limit} that are allowed")]
    TooLarge {
        /// Its bytes.
        size: u64,
        /// As many are allowed.
        limit: u64,
    },
    /// The content does not fit into a message, so that it was not asked for.
    #[error("{size} bytes do not fit into a message, which has {limit} at most")]
    Message {
        /// Its bytes, as the reference says.
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

/// What was tried before.
struct AttemptList<'a>(&'a [FetchError]);

impl fmt::Display for AttemptList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, attempt) in self.0.iter().enumerate() {
            let before = if at == 0 { "; before that: " } else { "; " };
            write!(f, "{before}{attempt}")?;
        }
        Ok(())
    }
}
