//! Errors of building and of serving a server.

pub(crate) mod handler_error;
pub(crate) mod rejection;

use std::error::Error as StdError;
use std::fmt;

use mcp_types::peer_text::PeerText;
use mcp_types::rpc::ErrorObject;
use thiserror::Error;

/// How much of an unexpected error the client receives: an error that a handler returned by `?`,
/// such as that of a database. In a tool this is the text that the model reads, in other handlers
/// the message of the protocol's error -32603.
///
/// The whole error is always in the log, at the level `WARN`: its own text as `error`, the texts of
/// its [sources](std::error::Error::source) as `causes`, with the method, the tool, the request's
/// id and the [`Principal`](crate::Principal). Errors that a handler makes with the constructors of
/// [`HandlerError`](crate::HandlerError) are sent unchanged, whatever is set here. A program sets
/// it with [`ServerBuilder::error_detail`](crate::ServerBuilder::error_detail).
///
/// The error of another server that a handler passes on is not an unexpected error, see
/// [`HandlerError`](crate::HandlerError): outside of tools it is sent unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorDetail {
    /// Nothing: the client only learns that the handler failed.
    Hidden,
    /// The error's own text, its `Display`, without those of its sources. This is the default.
    #[default]
    Message,
    /// The error's own text and those of all its sources, separated by colons. Sources often name
    /// tables, files and hosts: this is meant for development, and for servers whose clients may
    /// know all of that.
    Causes,
}

/// An error in the definition of a server.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two handlers for one method.
    #[error("two handlers for the method `{0}`")]
    DuplicateMethod(String),
    /// Two tools, resources, templates, prompts or completions of one name.
    #[error("two {kind}s with the name `{name}`")]
    DuplicateName {
        /// Their kind.
        kind: &'static str,
        /// Their name or URI.
        name: String,
    },
    /// Two states of one type, or two conversions for errors of one type.
    #[error("two {kind}s of the type `{type_name}`")]
    DuplicateType {
        /// Their kind.
        kind: &'static str,
        /// Their type.
        type_name: &'static str,
    },
    /// A tool's schema, a template or another part of a definition is not valid.
    #[error("{kind} `{name}`: {reason}")]
    Invalid {
        /// Its kind.
        kind: &'static str,
        /// Its name or URI.
        name: String,
        /// The error, with its position.
        reason: String,
    },
    /// A handler takes a `State<T>`, and neither the server nor the handler's group has a `T`.
    #[error(
        "the handler of {kind} `{name}` takes `State<{type_name}>`, but no such state was given to \
         `ServerBuilder::state` or `Group::state`"
    )]
    MissingState {
        /// The kind and the name of the definition that has the handler.
        kind: &'static str,
        /// Its name, URI or method.
        name: String,
        /// The type of the state.
        type_name: &'static str,
    },
    /// A handler that does not belong to a resource takes an extractor that only resources have.
    #[error("a handler or guard of {kind} `{name}` takes `{type_name}`, which only resources have")]
    NotAResource {
        /// The kind and the name of the definition that has the handler.
        kind: &'static str,
        /// Its name or method.
        name: String,
        /// The type of the extractor.
        type_name: &'static str,
    },
    /// A handler or guard of a resource takes the variables of a resource template.
    #[error(
        "a handler or guard of resource `{name}` takes `{type_name}`, which only resource templates \
         have"
    )]
    NotATemplate {
        /// The URI of the resource.
        name: String,
        /// The type of the extractor.
        type_name: &'static str,
    },
    /// A handler that lists resources or completes a variable takes an extractor that needs the
    /// resource of the request: there is none.
    #[error(
        "a handler of {kind} `{name}` that lists or completes takes `{type_name}`, but it does not \
         run for one resource: use its first argument"
    )]
    NoResource {
        /// The kind of the definition that has the handler.
        kind: &'static str,
        /// Its URI or template.
        name: String,
        /// The type of the extractor.
        type_name: &'static str,
    },
    /// The application handles the requests for resources itself, and the server announces a
    /// proposal that adds another such request, which nothing handles.
    #[error(
        "a server with resources that announces `{proposal}` has to answer `{method}`: add a handler \
         with `ServerBuilder::on`"
    )]
    MissingHandler {
        /// The name of the proposal.
        proposal: &'static str,
        /// The method without a handler.
        method: &'static str,
    },
    /// The operating system returns no random numbers for keys.
    #[error("no random numbers for keys: {0}")]
    Random(String),
}

/// All errors that were found in the definition of a server.
///
/// ```
/// use mcp_server::{BuildError, Server, State};
///
/// async fn count(State(start): State<u64>) -> u64 {
///     start + 1
/// }
///
/// let errors = Server::builder("demo", "1.0.0")
///     .tool("count", "Counts", count)
///     .tool("count", "Counts again", count)
///     .build()
///     .expect_err("two tools have one name, and the state is missing");
/// assert!(matches!(
///     errors.errors(),
///     [BuildError::DuplicateName { .. }, BuildError::MissingState { .. }],
/// ));
/// ```
#[derive(Debug)]
pub struct BuildErrors(pub(crate) Vec<BuildError>);

impl BuildErrors {
    /// Returns the errors; there is at least one.
    #[must_use]
    pub fn errors(&self) -> &[BuildError] {
        &self.0
    }
}

impl From<BuildError> for BuildErrors {
    fn from(error: BuildError) -> Self {
        Self(vec![error])
    }
}

impl IntoIterator for BuildErrors {
    type Item = BuildError;
    type IntoIter = std::vec::IntoIter<BuildError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [error] => error.fmt(f),
            errors => {
                write!(
                    f,
                    "{} errors in the definition of the server:",
                    errors.len()
                )?;
                for error in errors {
                    write!(f, "\n- {error}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for BuildErrors {}

/// Why serving ended before the client ended it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Reading from or writing to the client failed.
    #[error("reading from or writing to the client failed")]
    Io(#[from] std::io::Error),
    /// No message came within [`Limits::first_message_time`](crate::Limits).
    #[error("the client connected and sent no message in time")]
    Silent,
    /// The address can be reached from other machines, and no allowed host names are configured.
    #[cfg(feature = "http")]
    #[error(
        "{0} is reachable from other machines: set the server's names by `HttpConfig::allow_hosts`, \
         or take any by `HttpConfig::any_host`"
    )]
    NoHosts(std::net::SocketAddr),
}

/// Returns -32602 with the place, for params that do not have the form of the method's params.
pub(crate) fn invalid_params(method: &str, error: &dyn StdError) -> ErrorObject {
    ErrorObject::invalid_params(format!("params of `{}`: {error}", short(method)))
}

/// Returns -32601 with the method's name.
pub(crate) fn method_not_found(method: &str) -> ErrorObject {
    ErrorObject::method_not_found(format!("no method `{}`", short(method)))
}

/// Truncates and escapes a peer's text so that it can be part of an error message.
pub(crate) fn short(text: &str) -> String {
    PeerText(text).to_string()
}
