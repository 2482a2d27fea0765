//! Versions of resources. Without one from the program, they are derived from the contents.

use mcp_types::{AnyResourceContents, Resource};

use crate::features::resources::resolved::AuthorizedResource;
use crate::proposals::metadata::metadata_view::{length, read_metadata};
use crate::proposals::resources::state::Resources;
use crate::proposals::versioned_resources::content_version::derived;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;

/// How often contents are read whose version changes at the same time.
const ATTEMPTS: usize = 3;

/// Returns the current resource with its version.
pub(crate) async fn current_resource(
    found: &AuthorizedResource,
    cx: &Context,
    resources: &Resources,
) -> Result<Resource, HandlerError> {
    let resource = found.describe_for_client(cx, resources).await?;
    if resource.version.is_some() {
        return Ok(resource);
    }
    let (resource, _) = read_current(resource, found, cx, resources).await?;
    Ok(resource)
}

/// Reads a described resource. Returns it with the version and the size of these contents.
///
/// If the contents do not include their version, they have the described one, provided that the
/// description is the same after reading as before. Otherwise both are read again. The version of
/// contents that change each time, or that have no description, is derived from them.
pub(crate) async fn read_current(
    resource: Resource,
    found: &AuthorizedResource,
    cx: &Context,
    resources: &Resources,
) -> Result<(Resource, Vec<AnyResourceContents>), HandlerError> {
    let mut resource = resource;
    let mut attempt = 1;
    loop {
        let mut contents = found.read_as(&resource, cx).await?;
        let before = resource.version.take();
        complete_from_contents(&mut resource, &mut contents);
        if resource.version.is_some() {
            return Ok((resource, contents));
        }
        if let Some(before) = before {
            let after = found.describe(cx).await?;
            if after.version.is_none_or(|after| after == before) {
                resource.version = Some(before);
                return Ok((resource, contents));
            }
            if attempt < ATTEMPTS {
                attempt += 1;
                resource = found.describe_for_client(cx, resources).await?;
                continue;
            }
        }
        resource.version = Some(derived(&contents));
        return Ok((resource, contents));
    }
}

/// Replaces members by those of the preferred contents: its size, and also its version if it
/// has none.
fn complete_from_contents(resource: &mut Resource, contents: &mut [AnyResourceContents]) {
    let mime_type = resource.mime_type.as_deref();
    let preferred = AnyResourceContents::preferred(contents, &resource.uri, mime_type);
    let Some(preferred) = preferred.and_then(|index| contents.get_mut(index)) else {
        return;
    };
    if let (Some(size), Some(length)) = (&mut resource.size, length(preferred)) {
        *size = length;
    }
    if let Some(view) = read_metadata(preferred) {
        view.copy_version_to(resource);
    }
}
