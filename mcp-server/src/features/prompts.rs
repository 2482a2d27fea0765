//! Prompts: `prompts/list` and `prompts/get`.

pub(crate) mod definition;

use std::sync::Arc;

use mcp_types::{
    GetPromptRequest, GetPromptResult, ListPromptsRequest, PromptsCapability, Request, json::Map,
};

use crate::features::catalog::{Definition, List};
use crate::features::named_params::NamedParams;
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::{asking, downgrade, list_page};
use crate::protocol::core::Context;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::error::handler_error::HandlerError;

/// Registers the methods of prompts. `resources` completes the links to resources in them.
pub(crate) fn register(
    registry: &mut Registry,
    prompts: &Arc<List<PromptDef>>,
    resources: &Arc<ResourceCatalog>,
) {
    let methods = [ListPromptsRequest::METHOD, GetPromptRequest::METHOD];
    let declared = registry.about.capabilities.prompts.is_some();
    if !registry.is_served(!prompts.is_empty(), declared, &methods) {
        return;
    }
    let capability = &mut registry.about.capabilities.prompts;
    capability.get_or_insert_with(|| PromptsCapability::new().list_changed(true));
    let listed = Arc::clone(prompts);
    registry.serve(ListPromptsRequest::METHOD, move |part, cx| {
        std::future::ready(list_page::list(&listed, &part, &cx))
    });
    let prompts = Arc::clone(prompts);
    let resources = Arc::clone(resources);
    asking::serve_read(
        registry,
        GetPromptRequest::METHOD,
        GetParams::may_ask,
        move |params, cx| GetParams::read(&prompts, params, cx),
        move |params, cx| get(params, cx, Arc::clone(&resources)),
    );
}

/// The params of `prompts/get`.
type GetParams = NamedParams<PromptDef, Map<String>>;

async fn get(
    params: GetParams,
    cx: Context,
    resources: Arc<ResourceCatalog>,
) -> Result<GetPromptResult, HandlerError> {
    let prompt = Arc::clone(params.item()?);
    let arguments = params.arguments.unwrap_or_default();
    if let Some(check) = prompt.access().check(&cx) {
        check.await?;
    }
    let mut result = prompt.start(arguments, &cx)?.await?;
    if result.description.is_none() {
        result.description.clone_from(&prompt.prompt.description);
    }
    Ok(downgrade::prompt(result, &cx, &resources).await)
}
