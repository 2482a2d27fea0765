//! What the client of a request shows.

use mcp_extensions::apps::{IDENTIFIER, is_app_type};

use crate::protocol::core::Context;

/// Returns `true` if the client announced that it shows apps.
pub(super) fn shows_apps(cx: &Context) -> bool {
    let types = cx
        .extension_settings(IDENTIFIER)
        .and_then(|settings| settings.get("mimeTypes")?.as_array());
    let mut types = types.into_iter().flatten();
    types.any(|name| name.as_str().is_some_and(is_app_type))
}
