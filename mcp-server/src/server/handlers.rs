//! Methods of [`ServerBuilder`]: handlers of requests and notifications.

use mcp_types::revision::Versioned;
use mcp_types::{Notification, Request};

use crate::features::asking;
use crate::protocol::handler::any::{AnyNotification, AnyRequest, AnyResult};
use crate::protocol::handler::params::{NotificationParams, Params};
use crate::protocol::handler::{Handler, IntoResult};
use crate::server::builder::ServerBuilder;

impl ServerBuilder {
    /// Handles a request of the protocol, or one of the application's own. The handler replaces the
    /// one of a feature: a program can handle `tools/list` itself and still add tools. The
    /// capability that the method belongs to is declared.
    ///
    /// The first parameter of the handler is [`Params<R>`](Params), the params of the newest
    /// revision that has the method. Messages of other revisions are converted. In `tools/call`,
    /// `prompts/get` and `resources/read`, the handler also gets a `requestState` that this server
    /// did not make, because the handler may have made it.
    ///
    /// ```
    /// use mcp_server::types::{CallToolOutcome, CallToolRequest, CallToolResult, TextContent};
    /// use mcp_server::{Params, Server};
    ///
    /// async fn call(Params(call): Params<CallToolRequest>) -> CallToolOutcome {
    ///     CallToolResult::new([TextContent::new(format!("This is {}.", call.name)).into()]).into()
    /// }
    ///
    /// let server = Server::builder("demo", "1.0.0").on(call).build()?;
    /// assert!(server.capabilities().tools.is_some());
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    pub fn on<R, M, H>(mut self, handler: H) -> Self
    where
        R: Request + 'static,
        R::Params: Versioned,
        R::Result: Versioned,
        H: Handler<Params<R>, M>,
        H::Output: IntoResult<R::Result> + 'static,
    {
        asking::on(&mut self.registry, handler);
        self
    }

    /// Handles a notification, of any revision or of the application's own. The first parameter of
    /// the handler is [`NotificationParams<N>`](NotificationParams). Its errors are only logged.
    ///
    /// Handlers do not get `notifications/cancelled`: it [cancels](crate::Context::cancelled) the
    /// request.
    pub fn on_notification<N, M, H>(mut self, handler: H) -> Self
    where
        N: Notification + 'static,
        H: Handler<NotificationParams<N>, M>,
        H::Output: IntoResult<()> + 'static,
    {
        self.registry.on_notification(handler);
        self
    }

    /// Handles all requests that have no handler of their own, as JSON: for gateways, and for
    /// programs that pass on what they do not know. With a fallback, a capability that the program
    /// declares with [`capabilities`](Self::capabilities) does not bring empty lists with it.
    ///
    /// ```
    /// use mcp_server::types::ToolsCapability;
    /// use mcp_server::{AnyRequest, AnyResult, Context, HandlerError, Server};
    ///
    /// async fn handle(request: AnyRequest, cx: Context) -> Result<AnyResult, HandlerError> {
    ///     println!("{} {}", cx.method(), request.params());
    ///     AnyResult::from_json(&serde_json::json!({ "tools": [] }))
    /// }
    ///
    /// let server = Server::builder("demo", "1.0.0")
    ///     .capabilities(|capabilities| capabilities.tools(ToolsCapability::new()))
    ///     .fallback(handle)
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    pub fn fallback<M, H>(mut self, handler: H) -> Self
    where
        H: Handler<AnyRequest, M>,
        H::Output: IntoResult<AnyResult> + 'static,
    {
        asking::fallback(&mut self.registry, handler);
        self
    }

    /// Handles all notifications that have no handler of their own. Errors of the handler are only
    /// logged.
    pub fn fallback_notification<M, H>(mut self, handler: H) -> Self
    where
        H: Handler<AnyNotification, M>,
        H::Output: IntoResult<()> + 'static,
    {
        self.registry.fallback_notification(handler);
        self
    }
}
