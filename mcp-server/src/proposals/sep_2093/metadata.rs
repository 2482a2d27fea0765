//! SEP-2093: `resources/metadata`, and the metadata of contents.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_types::{
    AnyResourceContents, ReadResourceMetadataRequestParams, ReadResourceMetadataResult,
};

use super::member_metadata::member_metadata;
use crate::features::resources::resolved::AuthorizedResource;
use crate::proposals::metadata::metadata_view::read_metadata;
use crate::proposals::resources::finish::withhold_of_contents;
use crate::proposals::resources::state::Resources;
use crate::proposals::versioned_resources::versions::read_current;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

/// Handles `resources/metadata`. The resource is not read, unless this is the only way to know
/// whether it exists.
pub(crate) async fn metadata(
    params: ReadResourceMetadataRequestParams,
    cx: Context,
    resources: Arc<Resources>,
) -> Result<ReadResourceMetadataResult, HandlerError> {
    let found = resources.definitions.find(&cx, &params.uri).await?;
    let resource = found.describe_for_client(&cx, &resources).await?;
    found.check_exists(&cx).await?;
    Ok(ReadResourceMetadataResult::new(resource))
}

/// Reads a resource and adds its metadata to the contents.
pub(crate) async fn read(
    found: &AuthorizedResource,
    cx: &Context,
    resources: &Resources,
) -> Result<Vec<AnyResourceContents>, HandlerError> {
    let resource = found.describe_for_client(cx, resources).await?;
    let (resource, mut contents) = if cx.offered(mcp_types::Proposal::VersionedResources) {
        read_current(resource, found, cx, resources).await?
    } else {
        let contents = found.read_as(&resource, cx).await?;
        (resource, contents)
    };
    let mime_type = resource.mime_type.as_deref();
    let preferred = AnyResourceContents::preferred(&contents, &resource.uri, mime_type);
    let mut formats = HashMap::<String, usize>::new();
    for view in contents.iter_mut().filter_map(read_metadata) {
        *formats.entry(view.uri.to_owned()).or_default() += 1;
    }
    let views = contents.iter_mut().filter_map(read_metadata);
    let others = views.filter(|view| view.uri != resource.uri && view.is_incomplete());
    let others = others.map(|view| view.uri.to_owned()).collect();
    let members = member_metadata(others, found, cx, resources).await;
    for (index, contents) in contents.iter_mut().enumerate() {
        if let Some(mut view) = read_metadata(contents) {
            view.set_size();
            let is_only = formats.get(view.uri) == Some(&1);
            if view.uri == resource.uri {
                view.fill(&resource, is_only, preferred == Some(index));
            } else if let Some(member) = members.get(view.uri)
                && view.is_incomplete()
            {
                view.fill(member, is_only, is_only);
            }
        }
        if let Some(view) = read_metadata(contents) {
            view.fill_name();
        }
        withhold_of_contents(contents, cx);
    }
    Ok(contents)
}
