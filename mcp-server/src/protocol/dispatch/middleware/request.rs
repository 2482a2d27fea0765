//! [`Request`]: a request on its way through the middleware.

use mcp_types::peer_text::{PeerDisplay, PeerText};
use mcp_types::{CallToolRequest, Request as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::protocol::core::{Context, Direction, LayerRequest};
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::invalid_params;
use crate::protocol::message::params_view::ParamsView;
use crate::protocol::message::raw_object::object_text;
use crate::util::partial_debug::partial_debug;

/// A request, as a middleware sees it.
pub struct Request(pub(super) LayerRequest);

impl Request {
    /// Returns which side sends the request. This server sends requests to clients of revisions up
    /// to 2025-11-25 only. A question to a newer client is part of a result, see
    /// [`Response::is_input_required`](super::Response::is_input_required), and the answer is part
    /// of the client's next request.
    #[must_use]
    pub fn direction(&self) -> Direction {
        match self.0.asked {
            Some(_) => Direction::ToClient,
            None => Direction::ToServer,
        }
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &str {
        self.0.asked.unwrap_or_else(|| self.0.cx.method())
    }

    /// Returns the params as JSON, in the form of the client's revision. For a request without
    /// params, returns `{}`.
    #[must_use]
    pub fn params(&self) -> &RawValue {
        &self.0.params
    }

    /// Replaces the params, which have to be an object in the form of the client's revision.
    ///
    /// The context of the request stays that of the client's params: its progress token, its
    /// capabilities and its revision.
    ///
    /// # Errors
    ///
    /// -32603 if the value is not an object, or cannot be encoded.
    pub fn with_params(self, params: &(impl Serialize + ?Sized)) -> Result<Self, HandlerError> {
        let params = object_text(params)?;
        Ok(Self(LayerRequest { params, ..self.0 }))
    }

    /// Decodes one member of the params, such as the name of the tool in `tools/call`. `None` if
    /// there is no such member.
    ///
    /// # Errors
    ///
    /// If the member is not a `T`.
    ///
    /// ```
    /// # use mcp_server::middleware::{Next, Outcome, Request};
    /// # use mcp_server::{HandlerError, Principal};
    /// async fn admins_only(request: Request, next: Next) -> Outcome {
    ///     let tool: Option<String> = request.param("name")?;
    ///     let is_admin = request.context().extension() == Some(&Principal("admin".to_owned()));
    ///     if tool.as_deref() == Some("delete_everything") && !is_admin {
    ///         return Err(HandlerError::forbidden("only administrators may do this"));
    ///     }
    ///     next.run(request).await
    /// }
    /// ```
    pub fn param<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, HandlerError> {
        let params = ParamsView::read(Some(self.params()));
        let member = params.and_then(|params| params.members.optional(name));
        member.map_err(|error| HandlerError::from(invalid_params(self.method(), &error)))
    }

    /// Decodes one member of `_meta`, such as that of an [extension](crate::ServerExtension). `None`
    /// if there is no such member.
    ///
    /// # Errors
    ///
    /// If the member is not a `T`.
    pub fn meta<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, HandlerError> {
        let params = ParamsView::read(Some(self.params()));
        let member = params.and_then(|params| params.meta.optional(key));
        member.map_err(|error| HandlerError::from(invalid_params(self.method(), &error)))
    }

    /// Returns the name of the tool that the request calls. `None` for other methods, and if the
    /// server has no tool of this name: unlike the text of the client, the returned names are few,
    /// so they can be labels of metrics.
    #[must_use]
    pub fn tool(&self) -> Option<String> {
        if self.method() != CallToolRequest::METHOD {
            return None;
        }
        let tools = self.0.cx.core().routes.tools.as_ref()?;
        let name: String = self.param("name").ok()??;
        tools.contains(&name).then_some(name)
    }

    /// Returns the context that the handler gets. For a request to the client, this is the context of
    /// the request whose handler asks.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.cx
    }

    /// Attaches a value of this crate to the context.
    #[cfg(feature = "tasks")]
    pub(crate) fn with_value<T: Send + Sync + 'static>(self, value: T) -> Self {
        let cx = self.0.cx.with_value(value);
        Self(LayerRequest { cx, ..self.0 })
    }

    /// Attaches a value to the context, for the handler and for the middleware in between: see
    /// [`Context::with_extension`].
    #[must_use]
    pub fn with_extension<T: Send + Sync + 'static>(self, value: T) -> Self {
        let cx = self.0.cx.with_extension(value);
        Self(LayerRequest { cx, ..self.0 })
    }
}

partial_debug!(Request, |it|
    direction: it.direction(),
    method: PeerText(it.method()),
    id: it.0.cx.request_id().map(PeerDisplay)
);
