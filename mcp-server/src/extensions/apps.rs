//! The extension `io.modelcontextprotocol/ui`: tools with a user interface.
//!
//! A [`ToolDef`](crate::ToolDef) and a [`ResourceDef`](crate::ResourceDef) become parts of an app by
//! their methods `ui` (`definitions.rs`), and `build()` checks that they fit (`check.rs`). What a client
//! must not see without the extension is removed by a middleware (`layer.rs`).
//!
//! The [guide](crate::guide::apps) has an example.

pub(crate) mod definitions;
mod layer;

pub use mcp_extensions::apps::{
    DomainError, DomainFault, IDENTIFIER, MAX_DOMAINS, MIME_TYPE, UiResourceCsp, UiResourceMeta,
    UiResourcePermissions, UiToolMeta, UiToolVisibility,
};

use crate::protocol::dispatch::extension::ServerExtension;

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
        Self::new(IDENTIFIER).layer(layer::AppsLayer)
    }
}
