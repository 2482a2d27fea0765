//! Errors of lists that come in pages.

use std::fmt;

use mcp_types::error::Path;
use mcp_types::revision::VersionError;
use serde_json::value::RawValue;

/// Why a list has no end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListError {
    /// The server gave a cursor for the second time, so that the pages would begin anew.
    #[error("the cursor {cursor:?} was given twice")]
    Repeats {
        /// The cursor.
        cursor: String,
    },
    /// There are more pages, elements or bytes than [`Limits`](crate::Limits) allow.
    #[error("it goes on after {pages} pages, {items} elements and {bytes} bytes")]
    TooLong {
        /// Pages that came.
        pages: usize,
        /// Elements on them, malformed ones among them.
        items: usize,
        /// Their bytes.
        bytes: usize,
    },
}

/// An element of a list that is not what the server's revision asks for.
#[derive(Debug)]
#[non_exhaustive]
pub struct ElementError {
    /// Where it stands on its page, counted from zero.
    pub index: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Where its fault is, seen from the page: `$.tools[3].inputSchema`.
    pub path: Path,
    /// What is wrong with it.
    pub source: VersionError,
    /// The element as it came.
    pub raw: Box<RawValue>,
}

impl fmt::Display for ElementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(name) = &self.name {
            write!(f, ", named {name:?}")?;
        }
        match &self.source {
            // The place was said.
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
