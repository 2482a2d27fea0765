//! Versions of resources, where their author gives none: derived from what they hold.

use crate::features::resources::content_version::derived;

use mcp_types::{AnyResourceContents, Resource};

use super::finish::finish;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::found::Found;
use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;

/// The resource as it is now, with its version.
pub(crate) async fn current(
    uri: &str,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Result<Resource, HandlerError> {
    let found = resources.find(cx, uri).await?;
    let (resource, _) = described(&found, cx, resources).await?;
    Ok(resource)
}

/// The resource with its version, and its contents where they had to be read for that.
///
/// What it holds may change at any time. A version is known before the contents are read that
/// leave with it: old contents under a new version would be kept for ever, while new ones under an
/// old version are only sent once more.
pub(crate) async fn described(
    found: &Found,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Result<(Resource, Option<Vec<AnyResourceContents>>), HandlerError> {
    let mut resource = found.describe(cx).await?;
    finish(&mut resource, cx, resources);
    if resource.version.is_some() {
        return Ok((resource, None));
    }
    let contents = found.read_as(&resource, cx).await?;
    resource.version = Some(derived(&contents));
    Ok((resource, Some(contents)))
}
