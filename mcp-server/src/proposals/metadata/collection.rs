//! [`is_collection`]: distinguishes collections from other resources.

use mcp_types::Resource;

/// Returns `true` for a collection, which has no URL.
pub(crate) fn is_collection(resource: &Resource) -> bool {
    resource.resource_type == Some(mcp_types::ResourceType::Collection)
}
