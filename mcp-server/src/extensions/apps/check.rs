//! Checks when a server is built that its tools and its apps fit together.

use mcp_extensions::apps::{IDENTIFIER, UiToolMeta};
use mcp_types::{ReadResourceRequest, Request};

use crate::features::catalog::List;
use crate::features::resources::catalog::ResourceDefinitions;
use crate::features::tools::definition::ToolDef;
use crate::protocol::dispatch::registry::Registry;
use crate::protocol::error::BuildError;

/// Returns an error for each tool that belongs to an app that the server does not have, or that needs
/// the extension if the server does not have it. Called before the features are registered.
pub(crate) fn faults(
    registry: &Registry,
    tools: &List<ToolDef>,
    resources: &ResourceDefinitions,
) -> Vec<BuildError> {
    let extensions = registry.capabilities.extensions.as_ref();
    let is_announced = extensions.is_some_and(|all| all.contains_key(IDENTIFIER));
    // The program may read resources by a handler of its own.
    let reads_others = registry.has_route(ReadResourceRequest::METHOD);
    let fault = |tool: &ToolDef| match tool.extensions.get::<UiToolMeta>()?.resource_uri.as_deref()
    {
        _ if !is_announced => Some("its `ui` needs the extension `Apps`".to_owned()),
        Some(uri) if !reads_others && resources.locate(uri).is_none() => {
            Some(format!("the server has no resource `{uri}`"))
        }
        _ => None,
    };
    let all = tools.all();
    let faults = all.iter().filter_map(|tool| {
        Some(BuildError::Invalid {
            kind: "tool",
            name: tool.tool().name.clone(),
            reason: fault(tool)?,
        })
    });
    faults.collect()
}
