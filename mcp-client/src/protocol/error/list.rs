//! Errors of lists.

use std::fmt;

use mcp_types::error::{DecodeError, Path};
use mcp_types::revision::VersionError;
use serde_json::value::RawValue;

/// Why a list is not read to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// The server sent a cursor twice, so the same pages would follow again.
    #[error("the server sent the cursor {cursor:?} twice")]
    Repeats {
        /// The cursor.
        cursor: String,
    },
    /// There are more pages, elements or bytes than [`Limits`](crate::Limits) allow.
    #[error("a limit is reached after {pages} pages, {items} elements and {bytes} bytes")]
    TooLong {
        /// The number of received pages.
        pages: usize,
        /// The number of received elements, including malformed ones.
        items: usize,
        /// The size of the pages in bytes.
        bytes: usize,
    },
}

/// An element of a list that is not valid in the negotiated revision.
#[derive(Debug)]
#[non_exhaustive]
pub struct ElementError {
    /// Its index on its page, counted from zero.
    pub index: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The path of the invalid value, from the result on: `$.tools[3].inputSchema`.
    pub path: Path,
    /// What is wrong with it.
    pub source: VersionError,
    /// The element as the server sent it.
    pub raw: Box<RawValue>,
}

impl fmt::Display for ElementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(name) = &self.name {
            write!(f, ", named {name:?}")?;
        }
        match &self.source {
            // The path is already written.
            VersionError::Decode(error) => write!(f, ": {}", error.message()),
            other => write!(f, ": {other}"),
        }
    }
}

impl std::error::Error for ElementError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// A member that was left out of what a server sent, because it is malformed. It only described or
/// decorated something: an icon, a title, an annotation. What had the member can be used without
/// it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DroppedMember {
    /// The path of the member, from the result on: `$.tools[3].icons[0]`.
    pub path: Path,
    /// What is wrong with it. Its path may lead further into the member.
    pub source: DecodeError,
    /// The value as the server sent it.
    pub value: Box<RawValue>,
}

impl fmt::Display for DroppedMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was left out: {}", self.path, self.source.message())
    }
}
