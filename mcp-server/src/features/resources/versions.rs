//! Versions of resources. Without one from the program, they are derived from the contents.

use crate::features::resources::content_version::derived;

use mcp_types::{AnyResourceContents, Resource};

use super::finish::finish;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::resolved::CheckedResource;
use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;

/// Returns the current resource with its version.
pub(crate) async fn current_resource(
    uri: &str,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Result<Resource, HandlerError> {
    let found = resources.find(cx, uri).await?;
    let (resource, _) = describe_with_version(&found, cx, resources).await?;
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
    let mut resource = found.describe(cx).await?;
    finish(&mut resource, cx, resources);
    if resource.version.is_some() {
        return Ok((resource, None));
    }
    let contents = found.read_as(&resource, cx).await?;
    complete_from_contents(&mut resource, &contents);
    Ok((resource, Some(contents)))
}

/// Adds what the preferred contents say about their resource, which has no version so far. If they say
/// no version either, it is derived from all contents.
pub(crate) fn complete_from_contents(resource: &mut Resource, contents: &[AnyResourceContents]) {
    macro_rules! fill {
        ($contents:ident: $($member:ident)*) => {
            $(if resource.$member.is_none() {
                resource.$member.clone_from(&$contents.$member);
            })*
        };
    }
    let mime_type = resource.mime_type.as_deref();
    let preferred = AnyResourceContents::preferred(contents, &resource.uri, mime_type);
    match preferred.and_then(|index| contents.get(index)) {
        Some(AnyResourceContents::Text(text)) => {
            fill!(text: version kind metadata);
            #[cfg(feature = "sep-2093")]
            fill!(text: resource_type);
        }
        Some(AnyResourceContents::Blob(blob)) => {
            fill!(blob: version kind metadata);
            #[cfg(feature = "sep-2093")]
            fill!(blob: resource_type);
        }
        _ => {}
    }
    let version = &mut resource.version;
    version.get_or_insert_with(|| derived(contents));
}
