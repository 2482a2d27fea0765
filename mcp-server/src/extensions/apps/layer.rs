//! [`AppsLayer`]: the middleware for clients that show no apps.

use mcp_extensions::apps::{IDENTIFIER, is_app_type};
use mcp_types::json::{Object, Value};
use mcp_types::{ListToolsRequest, Request as _, json};

use crate::protocol::core::Context;
use crate::protocol::dispatch::middleware::{
    Direction, Middleware, Next, Outcome, Request, Response,
};

/// Removes `_meta.ui` of tools for clients that show no apps.
pub(super) struct AppsLayer;

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
pub(super) fn shows_apps(cx: &Context) -> bool {
    let types = cx
        .extension_settings(IDENTIFIER)
        .and_then(|settings| settings.get("mimeTypes")?.as_array());
    let mut types = types.into_iter().flatten();
    types.any(|name| name.as_str().is_some_and(is_app_type))
}
