//! Completion of the arguments of prompts and of the variables of resource templates.

pub(crate) mod handlers;
mod request;

use std::sync::Arc;

use mcp_types::json::Object;
use mcp_types::{CompleteRequest, Request};

use crate::features::catalog::List;
use crate::features::completions::handlers::Completions;
use crate::features::completions::request::{Sources, complete};
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::catalog::ResourceCatalog;
use crate::protocol::dispatch::registry::Registry;

/// Registers `completion/complete` for the arguments of `prompts` and the variables of resource
/// templates.
pub(crate) fn register(
    registry: &mut Registry,
    completions: Completions,
    prompts: &Arc<List<PromptDef>>,
    resources: &Arc<ResourceCatalog>,
) {
    let offered =
        !completions.all.is_empty() || prompts.all().iter().any(|prompt| prompt.completes());
    let offered = offered || resources.definitions.completes();
    let declared = registry.capabilities.completions.is_some();
    if !registry.is_served(offered, declared, &[CompleteRequest::METHOD]) {
        return;
    }
    let capability = &mut registry.capabilities.completions;
    capability.get_or_insert_with(Object::new);
    let sources = Arc::new(Sources {
        completions,
        prompts: Arc::clone(prompts),
        resources: Arc::clone(resources),
    });
    registry.serve(CompleteRequest::METHOD, move |params, cx| {
        complete(params, cx, Arc::clone(&sources))
    });
}
