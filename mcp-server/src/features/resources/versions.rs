//! Versions of resources. Without one from the program, they are derived from the contents.

use crate::features::resources::content_version::derived;

use mcp_types::{AnyResourceContents, Resource};

use super::finish::finish;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::metadata_view::read_metadata;
use crate::features::resources::resolved::CheckedResource;
use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;

/// Returns the current resource with its version.
pub(crate) async fn current_resource(
    found: &CheckedResource,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Result<Resource, HandlerError> {
    let (resource, _) = describe_with_version(found, cx, resources).await?;
    Ok(resource)
}

/// Returns the resource with its version, and its contents if they had to be read for the version.
///
/// The contents may change at any time. The version is determined before the contents that are sent
/// with it are read: old contents with a new version would be cached for ever, while new contents
/// with an old version are only sent again.
pub(crate) async fn describe_with_version(
    found: &CheckedResource,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Result<(Resource, Option<Vec<AnyResourceContents>>), HandlerError> {
    let mut resource = found.describe_with_url(cx).await?;
    finish(&mut resource, cx, resources);
    if resource.version.is_some() {
        return Ok((resource, None));
    }
    let mut contents = found.read_as(&resource, cx).await?;
    complete_from_contents(&mut resource, &mut contents);
    Ok((resource, Some(contents)))
}

/// Adds what the preferred contents say about their resource, which has no version so far. If they say
/// no version either, it is derived from all contents.
pub(crate) fn complete_from_contents(
    resource: &mut Resource,
    contents: &mut [AnyResourceContents],
) {
    let mime_type = resource.mime_type.as_deref();
    let preferred = AnyResourceContents::preferred(contents, &resource.uri, mime_type);
    let preferred = preferred.and_then(|index| contents.get_mut(index));
    if let Some(view) = preferred.and_then(read_metadata) {
        view.copy_version_to(resource);
    }
    let version = &mut resource.version;
    version.get_or_insert_with(|| derived(contents));
}
