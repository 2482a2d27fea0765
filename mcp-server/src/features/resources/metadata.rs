//! SEP-2093: `resources/metadata`, and the metadata of contents.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_types::peer_text::PeerText;
use mcp_types::{
    AnyResourceContents, ReadResourceMetadataRequestParams, ReadResourceMetadataResult,
};

use super::finish::finish;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::metadata_view::read_metadata;
use crate::features::resources::resolved::CheckedResource;
use crate::protocol::core::Context;
use crate::protocol::error_report::for_log;
use crate::protocol::handler_error::HandlerError;

/// Handles `resources/metadata`. The resource is not read.
pub(crate) async fn metadata(
    params: ReadResourceMetadataRequestParams,
    cx: Context,
    resources: Arc<ResourceCatalog>,
) -> Result<ReadResourceMetadataResult, HandlerError> {
    let found = resources.find(&cx, &params.uri).await?;
    let mut resource = found.describe(&cx).await?;
    finish(&mut resource, &cx, &resources);
    Ok(ReadResourceMetadataResult::new(resource))
}

/// Reads a resource and adds its metadata to the contents.
pub(crate) async fn read(
    found: &CheckedResource,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Result<Vec<AnyResourceContents>, HandlerError> {
    // Describes the resource first: after a change in between, the description is older than the
    // contents, never newer.
    let resource = found.describe(cx).await?;
    let mut contents = found.read_as(&resource, cx).await?;
    let mut formats = HashMap::<String, usize>::new();
    for view in contents.iter_mut().filter_map(read_metadata) {
        *formats.entry(view.uri.to_owned()).or_default() += 1;
    }
    for contents in &mut contents {
        let Some(mut view) = read_metadata(contents) else {
            continue;
        };
        view.set_size();
        let alone = formats.get(view.uri) == Some(&1);
        if view.uri == resource.uri {
            view.fill(&resource, alone);
        } else if (view.name.is_none() || view.resource_type.is_none())
            && let Some(member) = member(view.uri, cx, resources).await
        {
            view.fill(&member, alone);
        }
    }
    Ok(contents)
}

/// Returns the description of a member of a collection.
async fn member(
    uri: &str,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Option<mcp_types::Resource> {
    let unchecked = resources.locate(uri)?;
    if !unchecked.is_visible(cx) {
        return None;
    }
    let described = match unchecked.check_access(cx).await {
        Ok(found) => found.describe(cx).await,
        Err(error) => Err(error),
    };
    described
        .inspect_err(|error| {
            let error = for_log(error);
            tracing::warn!(uri = %PeerText(uri), %error, "a member of a collection cannot be described");
        })
        .ok()
}
