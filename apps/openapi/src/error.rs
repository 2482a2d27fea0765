//! [`OpenApiError`] and [`Fault`]: what is wrong with a document, or with one of its operations.

use std::error::Error as StdError;
use std::fmt;

use mcp_server::types::error::DecodeError;
use mcp_server::types::peer_text::{PeerDisplay, PeerText};

/// Why a document cannot be used at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenApiError {
    /// The text is too long.
    #[error("the document has more than {limit} bytes")]
    TooLong {
        /// The maximum, in bytes.
        limit: usize,
    },
    /// The text begins like JSON and is not JSON.
    #[error("the document is not JSON: {}", PeerDisplay(.0))]
    Json(#[source] DecodeError),
    /// The text is not YAML, or YAML that JSON cannot express. Contains the reason.
    #[error("the document is not YAML: {}", PeerText(.0))]
    Yaml(String),
    /// The document is of another version of OpenAPI.
    #[error(
        "expected `openapi` to be 3.0.x, 3.1.x or 3.2.x, found {}",
        PeerText(found)
    )]
    Version {
        /// What the document says instead.
        found: String,
    },
    /// The document is one of Swagger, as OpenAPI was called before version 3.
    #[error(
        "expected `openapi` to be 3.0.x, 3.1.x or 3.2.x, found `swagger` {}: convert the document first, \
         for example with `npx swagger2openapi swagger.json -o openapi.json`",
        PeerText(found)
    )]
    Swagger {
        /// The version that the document states.
        found: String,
    },
    /// A member of the document is missing, or has another type.
    #[error("`{at}` in the document: expected {expected}")]
    Member {
        /// The path of the member.
        at: &'static str,
        /// What should be there.
        expected: &'static str,
    },
    /// The document has too many operations.
    #[error("the document has more than {limit} operations")]
    Operations {
        /// The maximum.
        limit: usize,
    },
    /// The URL of the API is invalid. Contains the URL, and the reason.
    #[error("invalid URL of the API `{}`: {reason}", PeerText(url))]
    BaseUrl {
        /// The URL.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The document names no server, or one relative to its own address.
    #[error("the document has no absolute URL in `servers`: set one with `OpenApi::base_url`")]
    NoServer,
    /// A variable of the server's URL has no value, or one that the document does not list.
    #[error("the variable `{}` of the URL in `servers`: {reason}", PeerText(name))]
    Variable {
        /// The name of the variable.
        name: String,
        /// What is wrong with its value.
        reason: &'static str,
    },
    /// TLS cannot be configured.
    #[error("cannot configure TLS")]
    Tls(#[source] Box<dyn StdError + Send + Sync>),
}

/// What is wrong with one operation of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The method and the path, such as `GET /pets/{id}`.
    pub operation: String,
    /// The effect on the tools.
    pub kind: FaultKind,
    /// What is wrong, and where.
    pub reason: String,
}

/// The effect of a [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The operation has no tool.
    Skipped,
    /// The tool accepts more than the document says, or lacks an optional part of it.
    Loosened,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            FaultKind::Skipped => "skipped",
            FaultKind::Loosened => "loosened",
        };
        let operation = PeerText(&self.operation);
        write!(f, "{operation}: {kind}: {}", PeerDisplay(&self.reason))
    }
}
