//! Resource templates: `resources/templates/list`, and looking up the template that matches a URI.

pub(crate) mod definition;
pub(crate) mod template;

use std::sync::Arc;

use mcp_types::{ListResourceTemplatesRequest, Request};

use crate::features::list_page;
use crate::features::resources::catalog::ResourceCatalog;
use crate::protocol::dispatch::registry::Registry;

pub(crate) fn register(registry: &mut Registry, resources: &ResourceCatalog) {
    let templates = Arc::clone(&resources.definitions.templates);
    registry.serve(ListResourceTemplatesRequest::METHOD, move |part, cx| {
        std::future::ready(list_page::list(&templates, &part, &cx))
    });
}
