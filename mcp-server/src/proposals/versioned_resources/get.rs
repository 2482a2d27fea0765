//! `resources/get`: a resource with its contents, unless the client already has the current
//! version.

use std::sync::Arc;

use mcp_types::json::Object;
use mcp_types::rpc::ErrorObject;
use mcp_types::{
    AnyResourceContents, GetBlobResourceContents, GetResourceContents, GetResourceRequestParams,
    GetResourceResult, GetTextResourceContents, NOT_MODIFIED, Resource,
};

use crate::features::resources::resolved::AuthorizedResource;
use crate::proposals::metadata::metadata_view::{is_collection, length, read_metadata};
use crate::proposals::resources::Resources;
use crate::proposals::versioned_resources::content_version::derived;
use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::error::short;

/// Handles the request. Compares a version that is known without the contents before reading them,
/// unless the resource is a collection, which may have no contents of its own.
pub(crate) async fn get(
    params: GetResourceRequestParams,
    cx: Context,
    resources: Arc<Resources>,
) -> Result<GetResourceResult, HandlerError> {
    let found = resources.definitions.find(&cx, &params.uri).await?;
    let resource = found.describe_for_client(&cx, &resources).await?;
    if !is_collection(&resource) {
        check_modified(&resource, params.version.as_deref())?;
    }
    let (resource, contents) = read_current(resource, &found, &cx, &resources).await?;
    let preferred = preferred(contents, &resource).and_then(to_get_contents);
    let preferred = preferred.ok_or_else(|| without_contents(&resource))?;
    check_modified(&resource, params.version.as_deref())?;
    Ok(GetResourceResult::new(resource, preferred))
}

/// Returns the preferred representation of the resource itself. A member of a collection is another
/// resource.
fn preferred(
    contents: Vec<AnyResourceContents>,
    resource: &Resource,
) -> Option<AnyResourceContents> {
    let mime_type = resource.mime_type.as_deref();
    let index = AnyResourceContents::preferred(&contents, &resource.uri, mime_type)?;
    contents.into_iter().nth(index)
}

/// Returns the error for a resource whose contents have other URIs, or that has none. For a
/// collection that is an error of the request, for others one of the program.
fn without_contents(resource: &Resource) -> HandlerError {
    if is_collection(resource) {
        let what = "$.uri: this collection has no contents of its own: list its members with \
                    `resources/list`, or use `resources/read`";
        let data = Object::from([("uri", resource.uri.as_str())]);
        return HandlerError::from(ErrorObject::invalid_params(what).data(data));
    }
    let what = "the resource has no contents of its own: use `resources/read`";
    HandlerError::internal(format!("{what} for `{}`", short(&resource.uri)))
}

/// Returns the error "Not Modified" if the client has the version of the resource.
fn check_modified(resource: &Resource, known: Option<&str>) -> Result<(), HandlerError> {
    let Some(known) = known.filter(|known| resource.version.as_deref() == Some(known)) else {
        return Ok(());
    };
    let data = Object::from([("uri", resource.uri.as_str()), ("version", known)]);
    let error = ErrorObject::new(NOT_MODIFIED, "Not Modified").data(data);
    Err(HandlerError::from(error))
}

/// Converts contents to the form of the proposal, which requires a media type.
fn to_get_contents(contents: AnyResourceContents) -> Option<GetResourceContents> {
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
