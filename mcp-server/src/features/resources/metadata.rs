//! SEP-2093: `resources/metadata`, and the metadata of contents.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_types::peer_text::PeerText;
use mcp_types::{
    AnyResourceContents, ReadResourceMetadataRequestParams, ReadResourceMetadataResult,
};

use super::finish::finish;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::found::Found;
use crate::features::resources::metadata_view::read_metadata;
use crate::protocol::core::Context;
use crate::protocol::error_report::logged;
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
    found: &Found,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Result<Vec<AnyResourceContents>, HandlerError> {
    // Describes the resource first: after a change in between, the description is older than the
    // contents, never newer.
    let resource = found.describe(cx).await?;
    let mut contents = found.read_as(&resource, cx).await?;
    let mut formats = HashMap::<String, usize>::new();
    for read_metadata in contents.iter_mut().filter_map(read_metadata) {
        *formats.entry(read_metadata.uri.to_owned()).or_default() += 1;
    }
    for contents in &mut contents {
        let Some(mut read_metadata) = read_metadata(contents) else {
            continue;
        };
        read_metadata.measure();
        let alone = formats.get(read_metadata.uri) == Some(&1);
        if read_metadata.uri == resource.uri {
            read_metadata.fill(&resource, alone);
        } else if (read_metadata.name.is_none() || read_metadata.resource_type.is_none())
            && let Some(member) = member(read_metadata.uri, cx, resources).await
        {
            read_metadata.fill(&member, alone);
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
    let located = resources.locate(uri)?;
    if !located.is_visible(cx) {
        return None;
    }
    let described = match located.admit(cx).await {
        Ok(found) => found.describe(cx).await,
        Err(error) => Err(error),
    };
    described
        .inspect_err(|error| {
            let error = logged(error);
            tracing::warn!(uri = %PeerText(uri), %error, "a member of a collection cannot be described");
        })
        .ok()
}
