//! [`HandlerError`]: why a handler does not return its result.

use std::any::{TypeId, type_name};
use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use mcp_types::json::Value;
use mcp_types::peer_text::WithSources;
use mcp_types::revision::VersionError;
use mcp_types::rpc::ErrorObject;
use mcp_types::{CallToolResult, ClientCapabilities, ContentBlock, TextContent, ToolError, rpc};

use crate::protocol::error::rejection::{Challenge, Rejection};
use crate::protocol::error::{BuildError, invalid_params, method_not_found};

/// Why a handler does not return its result.
///
/// Any `std::error::Error` becomes one by `?`. In a tool it is then a result with `isError`, so
/// that the model can correct itself; elsewhere it is the protocol's error -32603. Both carry the
/// error's own text, while the texts of its sources only go to the log;
/// [`ServerBuilder::error_detail`](crate::ServerBuilder::error_detail) changes that, and
/// [`ServerBuilder::map_error`](crate::ServerBuilder::map_error) gives errors of one type a code
/// and a text of their own. The constructors make errors that the client receives unchanged.
///
/// Outside of tools, an error that has an [`ErrorObject`] among its sources is passed on with the
/// code, message and data of that: it is the error of another server, which the handler called as a
/// client.
///
/// Like `anyhow::Error` it does not implement `std::error::Error`, since `?` could not convert
/// other errors into it then. `{}` writes the error's own text, `{:#}` also those of its sources.
pub struct HandlerError {
    pub(crate) kind: ErrorKind,
    /// How a transport with status codes answers, if the request was rejected.
    pub(crate) rejection: Option<Rejection>,
    /// What is written to the log when the request is answered.
    pub(crate) log: Option<String>,
    /// `true` if the same request may succeed soon.
    pub(crate) is_temporary: bool,
}

/// The kinds of [`HandlerError`].
pub(crate) enum ErrorKind {
    /// A protocol error, sent to the client as it is.
    Protocol(ErrorObject),
    /// The client did not declare what the handler needs of it.
    MissingCapability(Box<ClientCapabilities>),
    /// A tool's own failure, with content.
    Tool(Box<CallToolResult>),
    /// Any other error of the program.
    Other(Box<dyn StdError + Send + Sync>),
}

impl HandlerError {
    /// Creates an error of the protocol with any code and message. The codes from -32768 to -32000
    /// belong to JSON-RPC and to the protocol.
    ///
    /// An error with data is an [`ErrorObject`], which becomes a `HandlerError` by `?` or
    /// `HandlerError::from`, and is sent unchanged:
    ///
    /// ```
    /// use mcp_server::HandlerError;
    /// use mcp_server::types::json::Object;
    /// use mcp_server::types::rpc::ErrorObject;
    ///
    /// let plain = HandlerError::protocol(1001, "the note has changed");
    /// let data = Object::from([("version", 7)]);
    /// let with_data = HandlerError::from(ErrorObject::new(1001, "the note has changed").data(data));
    /// assert_eq!(plain.code(), with_data.code());
    /// ```
    pub fn protocol(code: i64, message: impl Into<String>) -> Self {
        Self::object(ErrorObject::new(code, message))
    }

    /// Creates an error that is sent as it is.
    fn object(error: ErrorObject) -> Self {
        ErrorKind::Protocol(error).into()
    }

    /// Creates the error -32602: the params are wrong.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::object(ErrorObject::invalid_params(message))
    }

    /// Creates the error for a resource that does not exist, with the URI as data: -32602, and
    /// -32002 for clients before 2026-07-28.
    pub fn resource_not_found(uri: impl Into<String>) -> Self {
        let uri = uri.into();
        let data = mcp_types::json::Object::from([("uri", Value::from(uri))]);
        Self::object(ErrorObject::new(RESOURCE_NOT_FOUND, "resource not found").data(data))
    }

    /// Creates the error -32602 for a resource that exists but does not list others, with the URI
    /// as data. For handlers that list, see [`ListAt`](crate::ListAt).
    ///
    /// ```
    /// use mcp_server::{HandlerError, ListAt, ResourcePage, ResourceUri, TemplateDef};
    ///
    /// async fn members(at: ListAt) -> Result<ResourcePage, HandlerError> {
    ///     match at.collection {
    ///         Some(uri) if !uri.ends_with('/') => Err(HandlerError::not_a_collection(uri)),
    ///         _ => Ok(ResourcePage::default()),
    ///     }
    /// }
    ///
    /// let files = TemplateDef::new("files://{+path}", "file")
    ///     .handler(|ResourceUri(uri): ResourceUri| async move { uri })
    ///     .list(members);
    /// # drop(files);
    /// ```
    #[cfg(feature = "proposals")]
    pub fn not_a_collection(uri: impl Into<String>) -> Self {
        let uri = uri.into();
        let data = mcp_types::json::Object::from([("uri", Value::from(uri))]);
        let error = ErrorObject::invalid_params("$.uri: this resource is not a collection");
        Self::object(error.data(data))
    }

    /// Creates the error -32603 with a text that the client may read.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::object(ErrorObject::internal_error(message))
    }

    /// Creates a tool's failure: a result with `isError` and this text. In other handlers it is
    /// -32603 with this text.
    pub fn tool(message: impl Into<String>) -> Self {
        let text = TextContent::new(message);
        Self::tool_result(CallToolResult::new([ContentBlock::Text(text)]))
    }

    /// Creates a tool's failure with a code for programs and a next step for the model: a result with
    /// `isError` that has them as text and, as [`ToolError`] describes, as data. In other handlers it
    /// is -32603 with the text.
    ///
    /// ```
    /// use mcp_server::HandlerError;
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Note {
    ///     title: String,
    /// }
    ///
    /// async fn read(Note { title }: Note) -> Result<String, HandlerError> {
    ///     let error = format!("no note has the title `{title}`");
    ///     Err(HandlerError::tool_error("no_such_note", error, "call `list` to see the titles"))
    /// }
    /// # drop(mcp_server::ToolDef::new("read").handler(read));
    /// ```
    pub fn tool_error(
        code: impl Into<String>,
        message: impl Into<String>,
        next_step: impl Into<String>,
    ) -> Self {
        Self::tool_result(ToolError::new(code, message, next_step).into())
    }

    /// Creates a tool's failure with content of any kind; `isError` is set.
    #[must_use]
    pub fn tool_result(result: CallToolResult) -> Self {
        ErrorKind::Tool(Box::new(result.is_error(true))).into()
    }

    /// Creates the error for a client that did not declare what the handler needs of it: -32021
    /// with what is missing, and -32602 for clients before 2026-07-28.
    #[must_use]
    pub fn missing_capability(required: ClientCapabilities) -> Self {
        ErrorKind::MissingCapability(Box::new(required)).into()
    }

    /// Creates the error for a caller who has used up a share, such as the calls of a minute: -32603,
    /// with the time after which the request may be sent again. Over HTTP the status is 429 with the
    /// header `Retry-After`, unless the response has begun already.
    ///
    /// The time is rounded up to whole seconds. The error has it as data, too, see
    /// [`ErrorObject::retry_after`]: such an [`ErrorObject`] is the same error with a code and a
    /// message of the program. In `mcp-client` it is `RefusalKind::Busy`.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use std::time::Duration;
    ///
    /// use mcp_server::middleware::{self, Next, Outcome, Request};
    /// use mcp_server::{HandlerError, Server};
    ///
    /// static LEFT: AtomicU64 = AtomicU64::new(1000);
    ///
    /// async fn budget(request: Request, next: Next) -> Outcome {
    ///     let take_one = |left: u64| left.checked_sub(1);
    ///     if LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_one).is_err() {
    ///         return Err(HandlerError::busy(Duration::from_secs(60)));
    ///     }
    ///     next.run(request).await
    /// }
    ///
    /// let server = Server::builder("demo", "1.0.0").layer(middleware::from_fn(budget)).build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn busy(retry_after: Duration) -> Self {
        let mut error = ErrorObject::internal_error("the server is busy").retry_after(retry_after);
        if let Some(time) = error.retry_time() {
            error.message += &format!(": retry after {} s", time.as_secs());
        }
        Self::object(error)
    }

    /// Creates the error for a caller who must not do this: the error -32600 with this text. Over
    /// HTTP the status is 403, unless the response has begun already.
    pub fn forbidden(message: impl Into<String>) -> Self {
        let error = ErrorObject::new(rpc::INVALID_REQUEST, message);
        Self::object(error).rejected(Rejection::Forbidden(None))
    }

    /// Creates the error for a caller whose access token lacks a scope: as
    /// [`forbidden`](Self::forbidden), and over HTTP with the header `WWW-Authenticate: Bearer
    /// error="insufficient_scope", scope="..."`, by which clients ask the user for the scopes
    /// (RFC 6750, 3.1). The error's data has the same two members, for other transports.
    ///
    /// `scopes` are the scopes that the operation needs, separated by spaces. If they contain
    /// characters that RFC 6749 does not allow in scopes, the header does not name them.
    #[must_use]
    pub fn insufficient_scope(scopes: &str) -> Self {
        let message = format!("the access token lacks a scope: this needs `{scopes}`");
        let challenge = Challenge::insufficient_scope(scopes);
        let data =
            mcp_types::json::Object::from([("error", "insufficient_scope"), ("scope", scopes)]);
        let error = ErrorObject::new(rpc::INVALID_REQUEST, message).data(data);
        Self::object(error).rejected(Rejection::Forbidden(Some(Box::new(challenge))))
    }

    /// Also writes a text to the log when the request is answered, at the level `WARN`. Errors that
    /// the constructors make are not logged otherwise.
    #[must_use]
    pub fn logged_as(mut self, text: impl Into<String>) -> Self {
        self.log = Some(text.into());
        self
    }

    /// States that the same request may succeed soon, for example because a file changes while it
    /// is read. At the URL of a resource, the status is then 503 with `Retry-After`. An error of the
    /// protocol without data says to [retry](ErrorObject::retry_after) after a second.
    #[must_use]
    pub fn temporary(mut self) -> Self {
        self.is_temporary = true;
        self
    }

    /// Returns the code of the protocol's error, as clients of the newest revision receive it.
    /// `None` for the failure of a tool, which is a result, and for errors by `?`, which are a
    /// result in a tool and -32603 elsewhere.
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        match &self.kind {
            ErrorKind::Protocol(error) if error.code == RESOURCE_NOT_FOUND => {
                Some(rpc::INVALID_PARAMS)
            }
            ErrorKind::Protocol(error) => Some(error.code),
            ErrorKind::MissingCapability(_) => Some(mcp_types::MISSING_REQUIRED_CLIENT_CAPABILITY),
            ErrorKind::Tool(_) | ErrorKind::Other(_) => None,
        }
    }

    /// Returns the text of the error. [`Display`](fmt::Display) adds the code to that of an error of the
    /// protocol.
    ///
    /// ```
    /// # use mcp_server::HandlerError;
    /// let error = HandlerError::protocol(1001, "the note has changed");
    /// assert_eq!(error.message(), "the note has changed");
    /// assert_eq!(error.to_string(), "the note has changed (1001)");
    /// ```
    #[must_use]
    pub fn message(&self) -> Cow<'_, str> {
        match &self.kind {
            ErrorKind::Protocol(error) => Cow::Borrowed(&error.message),
            _ => Cow::Owned(self.to_string()),
        }
    }

    /// Sets how a transport with status codes answers.
    pub(crate) fn rejected(mut self, rejection: Rejection) -> Self {
        self.rejection = Some(rejection);
        self
    }

    /// Returns `true` if the error says that the resource does not exist.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(&self.kind, ErrorKind::Protocol(error) if error.code == RESOURCE_NOT_FOUND)
    }

    /// Returns `true` if the error says that the caller must not do this.
    pub(crate) fn is_forbidden(&self) -> bool {
        matches!(self.rejection, Some(Rejection::Forbidden(None)))
    }

    /// Returns `true` if the error says that the caller may do this with another access token.
    pub(crate) fn is_insufficient_scope(&self) -> bool {
        matches!(self.rejection, Some(Rejection::Forbidden(Some(_))))
    }
}

/// The code for a resource that does not exist in revisions up to 2025-11-25.
pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;

impl From<ErrorKind> for HandlerError {
    fn from(kind: ErrorKind) -> Self {
        Self {
            kind,
            rejection: None,
            log: None,
            is_temporary: false,
        }
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for HandlerError {
    fn from(error: E) -> Self {
        let error: Box<dyn StdError + Send + Sync> = Box::new(error);
        match error.downcast::<ErrorObject>() {
            Ok(error) => Self::object(*error),
            Err(error) => ErrorKind::Other(error).into(),
        }
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::Protocol(error) => error.fmt(f),
            ErrorKind::MissingCapability(required) => f.write_str(&missing_capability(required)),
            ErrorKind::Tool(_) => f.write_str("the tool failed"),
            ErrorKind::Other(error) if f.alternate() => WithSources(&**error).fmt(f),
            ErrorKind::Other(error) => write!(f, "{error}"),
        }
    }
}

impl fmt::Debug for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HandlerError({self:#})")
    }
}

/// Names the capabilities that the client lacks.
pub(crate) fn missing_capability(required: &ClientCapabilities) -> String {
    let mut names = Vec::new();
    if let Ok(Value::Object(required)) = mcp_types::json::to_value(required) {
        for (name, value) in &required {
            let modes = value
                .as_object()
                .map(|modes| modes.iter().map(|(mode, _)| mode));
            let mut modes = modes.into_iter().flatten().peekable();
            if modes.peek().is_none() {
                names.push(format!("`{name}`"));
            }
            names.extend(modes.map(|mode| format!("`{name}.{mode}`")));
        }
    }
    let plural = if names.len() == 1 {
        "capability"
    } else {
        "capabilities"
    };
    format!(
        "the client did not declare the {plural} {}",
        names.join(", ")
    )
}

/// Returns the error for params that cannot be decoded. If the client's revision does not have the
/// method, this is "method not found".
pub(crate) fn bad_params(method: &str, error: &VersionError) -> HandlerError {
    match error {
        VersionError::Unmapped { .. } => HandlerError::object(method_not_found(method)),
        error => HandlerError::object(invalid_params(method, error)),
    }
}

type AnyError = Box<dyn StdError + Send + Sync>;

/// Converts the errors of one type, and returns all others.
type Conversion = Box<dyn Fn(AnyError) -> Result<HandlerError, AnyError> + Send + Sync>;

/// How the program's own errors become errors of handlers, by their type.
#[derive(Default)]
pub(crate) struct ErrorConversions(Vec<(TypeId, Conversion)>);

impl ErrorConversions {
    /// Adds the conversion for errors of type `E`.
    pub(crate) fn add<E: StdError + Send + Sync + 'static>(
        &mut self,
        convert: impl Fn(E) -> HandlerError + Send + Sync + 'static,
    ) -> Result<(), BuildError> {
        let id = TypeId::of::<E>();
        if self.0.iter().any(|(known, _)| *known == id) {
            return Err(BuildError::DuplicateType {
                kind: "error conversion",
                type_name: type_name::<E>(),
            });
        }
        let convert = move |error: AnyError| error.downcast::<E>().map(|error| convert(*error));
        self.0.push((id, Box::new(convert)));
        Ok(())
    }

    /// Converts an error by the conversion for its type; other errors are unchanged.
    pub(crate) fn convert(&self, error: AnyError) -> HandlerError {
        let mut error = error;
        for (_, convert) in &self.0 {
            error = match convert(error) {
                Ok(converted) => return converted,
                Err(other) => other,
            };
        }
        ErrorKind::Other(error).into()
    }
}
