//! The extension `io.modelcontextprotocol/ui` (MCP Apps): the metadata of tools and resources, and
//! the rules for domains, which the server and the host check alike.

mod domain;
mod meta;
mod permissions;

pub use domain::{DomainError, DomainFault, MAX_DOMAINS};
pub use meta::{UiResourceCsp, UiResourceMeta, UiToolMeta, UiToolVisibility};
pub use permissions::UiResourcePermissions;

/// The identifier of the extension.
pub const IDENTIFIER: &str = "io.modelcontextprotocol/ui";
/// The media type of apps.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";
/// What the URIs of apps begin with.
pub const SCHEME: &str = "ui://";

/// Returns `true` if a media type is that of apps, however it is written.
///
/// ```
/// use mcp_extensions::apps::is_app_type;
///
/// assert!(is_app_type("text/html; Profile=\"mcp-app\""));
/// assert!(!is_app_type("text/html"));
/// ```
#[must_use]
pub fn is_app_type(media_type: &str) -> bool {
    let Some((essence, parameter)) = media_type.split_once(';') else {
        return false;
    };
    let Some((name, value)) = parameter.split_once('=') else {
        return false;
    };
    let value = value.trim();
    let unquoted = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
    essence.trim().eq_ignore_ascii_case("text/html")
        && name.trim().eq_ignore_ascii_case("profile")
        && unquoted.unwrap_or(value) == "mcp-app"
}
