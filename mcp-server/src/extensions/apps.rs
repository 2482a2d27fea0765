//! The extension `io.modelcontextprotocol/ui`: tools with a user interface.
//!
//! A [`ToolDef`](crate::ToolDef) and a [`ResourceDef`](crate::ResourceDef) become parts of an app by
//! their methods `ui`, and `build()` checks that they fit (`definitions.rs`). What a client must not
//! see without the extension is removed by a middleware.
//!
//! The [guide](crate::guide::apps) has an example.

pub(crate) mod definitions;

use mcp_extensions::apps::is_app_type;
use mcp_types::json::{Object, Value};
use mcp_types::{ListToolsRequest, Request as _, json};

use crate::protocol::core::Context;
use crate::protocol::dispatch::extension::ServerExtension;
use crate::protocol::dispatch::middleware::{
    Direction, Middleware, Next, Outcome, Request, Response,
};

pub use mcp_extensions::apps::{
    DomainError, DomainFault, IDENTIFIER, MAX_DOMAINS, MIME_TYPE, UiResourceCsp, UiResourceMeta,
    UiResourcePermissions, UiToolMeta, UiToolVisibility,
};

/// The official extension `io.modelcontextprotocol/ui` (MCP Apps), for
/// [`ServerBuilder::extension`](crate::ServerBuilder::extension).
///
/// Clients that do not announce it get tools without `_meta.ui`. For them, tools for apps alone do
/// not exist. See the [guide](crate::guide::apps).
///
/// ```
/// use mcp_server::apps::{Apps, UiResourceMeta, UiToolMeta};
/// use mcp_server::{ResourceDef, Server, ToolDef};
///
/// let clock = ToolDef::new("clock")
///     .description("Shows the time")
///     .handler(async || "12:00")
///     .ui(UiToolMeta::new().resource_uri("ui://clock/face.html"));
/// let face = ResourceDef::text("ui://clock/face.html", "face", "<!doctype html>...")
///     .ui(UiResourceMeta::new().prefers_border(true));
/// let server = Server::builder("clock", "1.0.0")
///     .extension(Apps::new())
///     .add_tool(clock)
///     .add_resource(face)
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "the extension does nothing until it is added to a server"]
#[non_exhaustive]
pub struct Apps {}

impl Apps {
    /// Creates the extension.
    pub fn new() -> Self {
        Self {}
    }
}

impl From<Apps> for ServerExtension {
    fn from(_: Apps) -> Self {
        Self::new(IDENTIFIER).layer(AppsLayer)
    }
}

/// Removes `_meta.ui` of tools for clients that show no apps.
struct AppsLayer;

impl Middleware for AppsLayer {
    async fn call(&self, request: Request, next: Next) -> Outcome {
        let cx = request.context().clone();
        if request.direction() == Direction::ToClient
            || request.method() != ListToolsRequest::METHOD
            || shows_apps(&cx)
        {
            return next.run(request).await;
        }
        let response = next.run(request).await?;
        let mut list = json::from_str(response.result()?.get())?;
        match remove_ui(&mut list) {
            Some(()) => Response::from_json(&cx, &list),
            None => Ok(response),
        }
    }
}

/// Returns `None` if there is nothing to remove.
fn remove_ui(list: &mut Object) -> Option<()> {
    let mut removed = None;
    for tool in list.get_mut("tools")?.as_array_mut()? {
        let Some(tool) = tool.as_object_mut() else {
            continue;
        };
        let Some(meta) = tool.get_mut("_meta").and_then(Value::as_object_mut) else {
            continue;
        };
        if meta.remove("ui").is_some() {
            removed = Some(());
        }
        if meta.is_empty() {
            tool.remove("_meta");
        }
    }
    removed
}

/// Returns `true` if the client announced that it shows apps.
fn shows_apps(cx: &Context) -> bool {
    let types = cx
        .extension_settings(IDENTIFIER)
        .and_then(|settings| settings.get("mimeTypes")?.as_array());
    let mut types = types.into_iter().flatten();
    types.any(|name| name.as_str().is_some_and(is_app_type))
}
