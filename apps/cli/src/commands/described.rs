//! [`described`]: what a server says about a resource without its contents.

use mcp_client::types::{
    ListResourcesRequest, ReadResourceMetadataRequest, ReadResourceMetadataRequestParams, Resource,
    rpc,
};
use mcp_client::{CallError, Client, List};

/// Returns what the server says about a resource: its metadata, or else its element in the list;
/// `None` if it has neither.
pub(crate) async fn described(client: &Client, uri: &str) -> Result<Option<Resource>, CallError> {
    let params = ReadResourceMetadataRequestParams::new(uri, client.meta());
    match client.request::<ReadResourceMetadataRequest>(params).await {
        Ok(result) => Ok(Some(result.resource)),
        Err(error) if is_unknown(&error) => listed(client.resources(), uri).await,
        Err(error) => Err(error),
    }
}

/// Returns `true` if the server or its revision does not have the request.
pub(super) fn is_unknown(error: &CallError) -> bool {
    match error {
        CallError::Refused { source, .. } => source.code == rpc::METHOD_NOT_FOUND,
        CallError::Params { .. } => true,
        _ => false,
    }
}

/// Searches the list of resources, page by page.
pub(crate) async fn listed(
    mut list: List<ListResourcesRequest>,
    uri: &str,
) -> Result<Option<Resource>, CallError> {
    while let Some(resource) = list.next().await {
        match resource {
            Ok(resource) if resource.uri == uri => return Ok(Some(resource)),
            // A malformed element may be the resource, but cannot be shown.
            Ok(_) | Err(CallError::Element { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
