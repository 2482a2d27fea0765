//! Prompts: `prompts/list` and `prompts/get`.

pub(crate) mod definition;
pub(crate) mod result;

use std::sync::Arc;

use mcp_types::{
    GetPromptRequest, GetPromptResult, ListPromptsRequest, PromptsCapability, Request, json::Map,
};

use crate::features::catalog::{self, List};
use crate::features::prompts::definition::PromptDef;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::{asking, downgrade};
use crate::protocol::core::Context;
use crate::protocol::error::{HandlerError, bad_params, short};
use crate::protocol::params_view::ParamsView;
use crate::protocol::raw_object::NameParam;
use crate::protocol::registry::Registry;
use crate::protocol::route;

/// Serves the prompts of a list. Links to resources in them are completed by `resources`.
pub(crate) fn register(
    registry: &mut Registry,
    prompts: &Arc<List<PromptDef>>,
    resources: &Arc<ResourceCatalog>,
) {
    let methods = [ListPromptsRequest::METHOD, GetPromptRequest::METHOD];
    let declared = registry.capabilities.prompts.is_some();
    if !registry.is_served(!prompts.is_empty(), declared, &methods) {
        return;
    }
    let capability = &mut registry.capabilities.prompts;
    capability.get_or_insert_with(|| PromptsCapability::new().list_changed(true));
    let listed = Arc::clone(prompts);
    registry.serve(ListPromptsRequest::METHOD, move |part, cx| {
        std::future::ready(catalog::list(&listed, &part, &cx))
    });
    let prompts = Arc::clone(prompts);
    let resources = Arc::clone(resources);
    asking::serve_read(
        registry,
        GetPromptRequest::METHOD,
        move |head, cx| read_get(&prompts, head, cx),
        move |params, cx| get(params, cx, Arc::clone(&resources)),
    );
}

/// The params of `prompts/get`.
struct GetParams {
    name: String,
    /// `None` where there is no prompt of that name.
    prompt: Option<Arc<PromptDef>>,
    arguments: Map<String>,
}

/// Reads the params of `prompts/get`. Arguments of a prompt that does not exist are not decoded.
fn read_get(
    prompts: &List<PromptDef>,
    head: &ParamsView<'_>,
    cx: &Context,
) -> Result<GetParams, HandlerError> {
    let NameParam(name) = route::common(head, cx)?;
    let prompt = prompts.get(&name);
    let arguments = match &prompt {
        Some(_) => head.params().optional("arguments"),
        None => Ok(None),
    };
    let arguments = arguments.map_err(|error| bad_params(cx.method(), &error.into()))?;
    Ok(GetParams {
        name,
        prompt,
        arguments: arguments.unwrap_or_default(),
    })
}

async fn get(
    params: GetParams,
    cx: Context,
    resources: Arc<ResourceCatalog>,
) -> Result<GetPromptResult, HandlerError> {
    let Some(prompt) = params.prompt else {
        let name = short(&params.name);
        return Err(HandlerError::invalid_params(format!(
            "unknown prompt `{name}`"
        )));
    };
    let mut result = prompt.start(params.arguments, cx.clone())?.await?;
    if result.description.is_none() {
        result.description.clone_from(&prompt.prompt().description);
    }
    Ok(downgrade::prompt(result, &cx, &resources))
}
