//! The extension `io.modelcontextprotocol/ui` (MCP Apps): user interfaces of servers, for hosts.
//!
//! [`AppsHost`] reads the apps of a server. The [guide](crate::guide::apps) has an example. The frame of
//! an app, and the messages between the frame and the host, are part of the program.

mod app;
mod error;
mod host;
mod policy;

pub use app::App;
pub use error::AppError;
pub use host::AppsHost;
pub use mcp_extensions::apps::{
    DomainError, DomainFault, IDENTIFIER, MAX_DOMAINS, MIME_TYPE, UiResourceCsp, UiResourceMeta,
    UiResourcePermissions, UiToolMeta, UiToolVisibility,
};
pub use policy::{allow_attribute, content_security_policy};
