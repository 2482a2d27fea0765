//! [`AppsLayer`]: the middleware for clients that show no apps.

use mcp_types::json::{self, Object, Value};
use mcp_types::{ListToolsRequest, Request as _};

use crate::extensions::apps::client::shows_apps;
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
