//! [`HttpParts`]: the head of the HTTP request, for handlers.

use std::ops::Deref;
use std::sync::Arc;

use http::HeaderName;
use http::request::Parts;

use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::extract::FromContext;
use crate::util::partial_debug::partial_debug;

/// Extracts the head of the HTTP request: its method, URI, headers and extensions.
///
/// Requests over other transports are answered with -32603; take `Option<HttpParts>` in handlers
/// that serve them too. Cheap to clone.
///
/// ```
/// use mcp_server::{HttpParts, Server};
///
/// async fn agent(parts: Option<HttpParts>) -> String {
///     let header = parts.as_ref().and_then(|parts| parts.headers.get("user-agent"));
///     let agent = header.and_then(|value| value.to_str().ok());
///     agent.unwrap_or("unknown").to_owned()
/// }
///
/// let server = Server::builder("demo", "1.0.0")
///     .tool("agent", "Returns the user agent of the client", agent)
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct HttpParts(Arc<Parts>);

partial_debug!(
    /// Values of headers and the query may be secrets.
    HttpParts, |it|
    method: it.method,
    path: it.uri.path(),
    headers: it.headers.keys().map(HeaderName::as_str).collect::<Vec<_>>()
);

impl Deref for HttpParts {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl FromContext for HttpParts {
    const USES_CONTEXT: bool = false;

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        let parts = Option::<Self>::from_context(cx).await?;
        parts.ok_or_else(|| HandlerError::internal("the handler serves HTTP requests only"))
    }
}

impl FromContext for Option<HttpParts> {
    const USES_CONTEXT: bool = false;

    async fn from_context(cx: &Context) -> Result<Self, HandlerError> {
        Ok(cx.state.extensions.parts.clone().map(HttpParts))
    }
}
