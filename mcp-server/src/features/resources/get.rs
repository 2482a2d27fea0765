//! `resources/get`: a resource with what it holds, unless the peer has it already.

use std::sync::Arc;

use mcp_types::json::Object;
use mcp_types::rpc::ErrorObject;
use mcp_types::{
    AnyResourceContents, GetBlobResourceContents, GetResourceContents, GetResourceRequestParams,
    GetResourceResult, GetTextResourceContents, NOT_MODIFIED,
};

use super::versions;
use crate::features::resources::catalog::ResourceCatalog;
use crate::protocol::core::Context;
use crate::protocol::handler_error::HandlerError;

/// Answers the request. A version that is known without the contents is compared without them.
pub(crate) async fn get(
    params: GetResourceRequestParams,
    cx: Context,
    resources: Arc<ResourceCatalog>,
) -> Result<GetResourceResult, HandlerError> {
    let found = resources.find(&cx, &params.uri).await?;
    let (resource, contents) = versions::described(&found, &cx, &resources).await?;
    if let Some(version) = params.version
        && resource.version.as_ref() == Some(&version)
    {
        return Err(not_modified(resource.uri, version));
    }
    let contents = match contents {
        Some(contents) => contents,
        None => found.read_as(&resource, &cx).await?,
    };
    let first = contents.into_iter().next().and_then(first);
    let Some(first) = first else {
        let what = "the resource holds nothing that `resources/get` can give: use `resources/read`";
        return Err(HandlerError::internal(what));
    };
    Ok(GetResourceResult::new(resource, first))
}

fn not_modified(uri: String, version: String) -> HandlerError {
    let data = Object::from([("uri", uri), ("version", version)]);
    HandlerError::protocol(ErrorObject::new(NOT_MODIFIED, "Not Modified").with_data(data))
}

/// Contents in the form that the proposal gives them, where the media type must be said.
fn first(contents: AnyResourceContents) -> Option<GetResourceContents> {
    Some(match contents {
        AnyResourceContents::Text(text) => {
            let media_type = text.mime_type.unwrap_or_else(|| "text/plain".to_owned());
            GetTextResourceContents::new(media_type, text.text).into()
        }
        AnyResourceContents::Blob(blob) => {
            let media_type = blob.mime_type;
            let media_type = media_type.unwrap_or_else(|| "application/octet-stream".to_owned());
            GetBlobResourceContents::new(media_type, blob.blob).into()
        }
        _ => return None,
    })
}
