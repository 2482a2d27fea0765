//! What can go wrong: in a handler, in a server's definition, and in serving.

use std::error::Error as StdError;
use std::fmt;

use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::revision::VersionError;
use mcp_types::rpc::ErrorObject;
use mcp_types::{CallToolResult, ClientCapabilities, json::Value};

/// Why a handler does not answer with its result.
///
/// Any `std::error::Error` becomes one by `?`. In a tool it is then a result with `isError`, so
/// that a model can correct itself; elsewhere it is the protocol's error -32603. Either has the
/// error's own text, while the texts of its sources only go to the log;
/// [`ServerBuilder::error_detail`](crate::ServerBuilder::error_detail) changes that. The
/// constructors make errors that the peer sees as they are.
///
/// Like `anyhow::Error` it does not implement `std::error::Error`, since `?` could not convert
/// other errors into it then. `{}` writes the error's own text, `{:#}` also those of its sources.
pub struct HandlerError {
    pub(crate) cause: Cause,
}

/// The kinds of [`HandlerError`].
pub(crate) enum Cause {
    /// A protocol error, said to the peer as it is.
    Protocol(ErrorObject),
    /// The peer did not declare what the handler asks of it.
    MissingCapability(Box<ClientCapabilities>),
    /// A tool's own failure, with content.
    Tool(Box<CallToolResult>),
    /// Any other error of the program.
    Other(Box<dyn StdError + Send + Sync>),
}

impl HandlerError {
    /// Whether it says that there is no such resource.
    #[cfg(feature = "versioned-resources")]
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(&self.cause, Cause::Protocol(error) if error.code == RESOURCE_NOT_FOUND)
    }

    /// A protocol error with a code of the application's or the protocol's.
    #[must_use]
    pub fn protocol(error: ErrorObject) -> Self {
        Cause::Protocol(error).into()
    }

    /// -32602: the parameters are wrong.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::protocol(ErrorObject::invalid_params(message))
    }

    /// There is no such resource: -32602, to peers before 2026-07-28 -32002, with the URI as data.
    pub fn resource_not_found(uri: impl Into<String>) -> Self {
        let uri = uri.into();
        let data = mcp_types::json::Object::from([("uri", Value::from(uri))]);
        Self::protocol(ErrorObject::new(RESOURCE_NOT_FOUND, "resource not found").with_data(data))
    }

    /// -32602: the resource is there, but nothing that lists others; with the URI as data. For
    /// handlers that list, see [`ListAt`](crate::ListAt), where `describe` does not say it before.
    ///
    /// ```
    /// # #[cfg(feature = "templates")] {
    /// use mcp_server::{Context, HandlerError, ListAt, ResourcePage, TemplateDef};
    ///
    /// let files = TemplateDef::new("files://{+path}", "file")
    ///     .handler(|uri: String, (): (), _: Context| async move { Ok(uri) })
    ///     .list(|at: ListAt, _: Context| async move {
    ///         match at.collection {
    ///             Some(uri) if !uri.ends_with('/') => Err(HandlerError::not_a_collection(uri)),
    ///             _ => Ok(ResourcePage::default()),
    ///         }
    ///     });
    /// # drop(files);
    /// # }
    /// ```
    #[cfg(feature = "sep-2093")]
    pub fn not_a_collection(uri: impl Into<String>) -> Self {
        let uri = uri.into();
        let data = mcp_types::json::Object::from([("uri", Value::from(uri))]);
        let error = ErrorObject::invalid_params("$.uri: this resource is not a collection");
        Self::protocol(error.with_data(data))
    }

    /// -32603 with a text that the peer may read.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::protocol(ErrorObject::internal_error(message))
    }

    /// A tool's failure: a result with `isError` and this text. In other handlers it is -32603 with
    /// this text.
    pub fn tool(message: impl Into<String>) -> Self {
        let text = mcp_types::TextContent::new(message);
        Self::tool_result(CallToolResult::new([mcp_types::ContentBlock::Text(text)]))
    }

    /// A tool's failure with content of any kind; `isError` is set.
    #[must_use]
    pub fn tool_result(result: CallToolResult) -> Self {
        Cause::Tool(Box::new(result.is_error(true))).into()
    }

    /// The peer did not declare what the handler needs of it: -32021 with what it is, to peers
    /// before 2026-07-28 -32602.
    #[must_use]
    pub fn missing_capability(required: ClientCapabilities) -> Self {
        Cause::MissingCapability(Box::new(required)).into()
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::protocol(method_not_found(method))
    }
}

/// Resource not found, as revisions up to 2025-11-25 have it.
pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;

impl From<Cause> for HandlerError {
    fn from(cause: Cause) -> Self {
        Self { cause }
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for HandlerError {
    fn from(error: E) -> Self {
        let error: Box<dyn StdError + Send + Sync> = Box::new(error);
        match error.downcast::<ErrorObject>() {
            Ok(error) => Self::protocol(*error),
            Err(error) => Cause::Other(error).into(),
        }
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Protocol(error) => error.fmt(f),
            Cause::MissingCapability(_) => f.write_str("the client did not declare a capability"),
            Cause::Tool(_) => f.write_str("the tool failed"),
            Cause::Other(error) if f.alternate() => WithSources(&**error).fmt(f),
            Cause::Other(error) => write!(f, "{error}"),
        }
    }
}

impl fmt::Debug for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HandlerError({self:#})")
    }
}

/// An error and its sources in one line of a log: truncated, and safe for terminals.
pub(crate) struct Chain<'a>(pub(crate) &'a (dyn StdError + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        PeerDisplay(WithSources(self.0)).fmt(f)
    }
}

/// The whole texts of an error and its sources, separated by colons.
pub(crate) struct WithSources<'a>(pub(crate) &'a (dyn StdError + 'static));

impl fmt::Display for WithSources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

/// Params that cannot be decoded: those of a method that the revision does not have are not asked
/// for.
pub(crate) fn bad_params(method: &str, error: &VersionError) -> HandlerError {
    match error {
        VersionError::Unmapped { .. } => HandlerError::method_not_found(method),
        error => HandlerError::protocol(invalid_params(method, error)),
    }
}

/// -32602 with the place, for params that are not of the method's form.
pub(crate) fn invalid_params(method: &str, error: &dyn StdError) -> ErrorObject {
    ErrorObject::invalid_params(format!("params of `{}`: {error}", short(method)))
}

/// -32601 with the method's name.
pub(crate) fn method_not_found(method: &str) -> ErrorObject {
    ErrorObject::method_not_found(format!("no method `{}`", short(method)))
}

/// A peer's text, truncated and escaped so that it can stand in an error message.
pub(crate) fn short(text: &str) -> String {
    PeerText(text).to_string()
}

/// How much of an unexpected error the peer is told: one that a handler returned by `?`, such as
/// the error of a database. In a tool this is the text that the model reads, in other handlers the
/// message of the protocol's error -32603.
///
/// The whole error is always in the log, at the level `WARN`: its own text as `error`, the texts of
/// its [sources](std::error::Error::source) as `causes`, with the method, the tool, the request's
/// id and the [`Principal`](crate::Principal). Errors that a handler makes with the constructors of
/// [`HandlerError`](crate::HandlerError) are sent as they are, whatever is set here. A program sets
/// it with [`ServerBuilder::error_detail`](crate::ServerBuilder::error_detail).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorDetail {
    /// Nothing: the peer only learns that the handler failed.
    Hidden,
    /// The error's own text, its `Display`, without those of its sources. This is the default.
    #[default]
    Message,
    /// The error's own text and those of all its sources, separated by colons. Sources often name
    /// tables, files and hosts: this is meant for development, and for servers whose peers may
    /// know all of that.
    Causes,
}

/// Why a server cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two handlers for one method.
    #[error("two handlers for the method `{0}`")]
    DuplicateMethod(String),
    /// Two tools, resources, templates or prompts of one name.
    #[error("two {kind}s with the name `{name}`")]
    DuplicateName {
        /// What they are.
        kind: &'static str,
        /// Their name or URI.
        name: String,
    },
    /// A tool's schema, a template or another part of a definition is not valid.
    #[error("{kind} `{name}`: {reason}")]
    Invalid {
        /// What it is.
        kind: &'static str,
        /// Its name or URI.
        name: String,
        /// What is wrong with it, and where.
        reason: String,
    },
    /// The system gives no random numbers for keys.
    #[error("no random numbers for keys: {0}")]
    Random(String),
}

/// Why serving ended before the peer did.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Reading from or writing to the peer failed.
    #[error("reading from or writing to the peer failed")]
    Io(#[from] std::io::Error),
    /// No message came within [`Limits::first_message_time`](crate::Limits).
    #[error("the peer connected and said nothing")]
    Silent,
    /// The address can be reached from elsewhere, and nothing says under which names.
    #[cfg(feature = "http")]
    #[error(
        "{0} is reachable from other machines: set the server's names by `HttpConfig::allow_hosts`, \
         or take any by `HttpConfig::any_host`"
    )]
    NoHosts(std::net::SocketAddr),
}
