//! Replaces `templates` if that feature is disabled: the list of templates is empty.

use std::sync::Arc;

use mcp_types::json::Value;
use mcp_types::{EmptyResult, ListResourceTemplatesRequest, Request};

use crate::features::catalog::CacheHints;
use crate::features::list_page::{PageParams, bad_cursor};
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::described::TEMPLATE;
use crate::protocol::core::Context;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::error::handler_error::HandlerError;

pub(crate) fn register(registry: &mut Registry, resources: &Arc<ResourceCatalog>) {
    let hints = resources.definitions.resources.hints.clone();
    registry.serve(ListResourceTemplatesRequest::METHOD, move |part, cx| {
        std::future::ready(list(&part, &cx, &hints))
    });
}

fn list(part: &PageParams, cx: &Context, hints: &CacheHints) -> Result<EmptyResult, HandlerError> {
    if part.cursor.is_some() {
        return Err(bad_cursor(TEMPLATE));
    }
    // The type of the method's result would compile all conversions of templates between revisions.
    let mut result = EmptyResult::new();
    let none = Value::Array(Vec::new());
    result.extra.insert("resourceTemplates", none);
    if cx.revision().is_modern() {
        result.extra.insert("ttlMs", Value::from(hints.ttl_ms));
        let scope = hints.scope.as_str();
        result.extra.insert("cacheScope", Value::from(scope));
    }
    Ok(result)
}
