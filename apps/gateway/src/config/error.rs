//! [`ConfigError`]: why a file with servers cannot be used.

use std::io;
use std::path::PathBuf;

use mcp_client::types::json::Value;

/// The error for a file with servers, or for one of its entries. It contains no values of the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read, or is not UTF-8.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file is too large.
    #[error("the file is too large: expected at most {limit} bytes")]
    TooLarge {
        /// The maximum size in bytes.
        limit: u64,
    },
    /// The text is no JSON, with or without comments.
    #[error("invalid JSON in line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from one.
        line: usize,
        /// The column in characters, from one.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// The file contains something else than an object.
    #[error("expected an object with `mcpServers`, found {found}")]
    Root {
        /// The kind of the value.
        found: &'static str,
    },
    /// The file lists no servers.
    #[error("the file lists no servers: expected `mcpServers`, `servers` or `context_servers`")]
    NoServers,
    /// The file lists too many servers.
    #[error("the file lists {count} servers: expected at most {limit}")]
    TooMany {
        /// The number of servers.
        count: usize,
        /// The maximum number.
        limit: usize,
    },
    /// A value of the file is not as expected.
    #[error("{place}: {fault}")]
    Invalid {
        /// The path of the value in the file, such as `mcpServers.github.url`.
        place: String,
        /// What is wrong with it.
        fault: ConfigFault,
    },
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigFault {
    /// The value is of another kind.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What was expected.
        expected: &'static str,
        /// The kind of the value.
        found: &'static str,
    },
    /// An object has two members with this name.
    #[error("the member `{0}` occurs twice")]
    Duplicate(String),
    /// An entry has neither `command` nor `url`, or not the one that its `type` needs.
    #[error("the member `{0}` is missing")]
    Missing(&'static str),
    /// An entry has `command` beside `url` or `openapi`, and no `type`.
    #[error(
        "the entry has both `command` and `url` or `openapi`: expected one of them, or a `type`"
    )]
    Ambiguous,
    /// The `type` is not known.
    #[error("expected `stdio`, `http`, `streamable-http` or `sse`")]
    Type,
    /// The text is empty.
    #[error("expected a text that is not empty")]
    Empty,
    /// The text is no URL of a server.
    #[error("expected a URL that begins with `https://` or `http://`")]
    Url,
    /// A variable has no value.
    #[error("the variable `{0}` is not set")]
    Unset(String),
    /// A variable has no end, or an invalid name.
    #[error("invalid variable: expected `${{NAME}}`, `${{NAME:-default}}` or `${{env:NAME}}`")]
    Variable,
    /// The text is too long when its variables are replaced.
    #[error("the text is too long with the values of its variables: expected at most {0} bytes")]
    TooLong(usize),
    /// The entry needs something that only its host has.
    #[error("not supported: {0}")]
    Unsupported(&'static str),
}

impl ConfigFault {
    pub(super) fn expected(expected: &'static str, found: &Value) -> Self {
        let found = kind(found);
        Self::Expected { expected, found }
    }
}

pub(super) fn invalid(place: impl Into<String>, fault: ConfigFault) -> ConfigError {
    let place = place.into();
    ConfigError::Invalid { place, fault }
}

/// Returns the kind of a value.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
