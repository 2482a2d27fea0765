//! [`finish`]: prepares a resource for a client, without members that the client must not see.

use mcp_types::{AnyResourceContents, Proposal, Resource};

use crate::proposals::metadata::metadata_view::read_metadata;
use crate::proposals::resources::describe_listed::ListedResource;
use crate::proposals::resources::{Resources, urls};
use crate::protocol::core::Context;

/// Prepares a resource for a client: only clients of the newest revision get what a proposal adds,
/// and only if the program opted in.
///
/// Everything that contains a resource goes through this function: lists, metadata, links in the
/// results of tools and prompts, notifications of changes.
pub(crate) fn finish(resource: &mut Resource, cx: &Context, resources: &Resources) {
    // Before `withhold` removes the type: collections have no URL.
    if cx.offered(Proposal::HttpsUrl) {
        urls::set_url(resource, cx, resources);
    }
    finish_without_url(resource, cx, resources);
}

/// Prepares a resource without issuing a URL: without its description it may be a collection, which
/// has none.
pub(crate) fn finish_without_url(resource: &mut Resource, cx: &Context, resources: &Resources) {
    withhold(resource, cx);
    if resource.version.is_none() && cx.offered(Proposal::VersionedResources) {
        // Who may not read the contents does not get their version.
        let definition = resources.definitions.resources.get(&resource.uri);
        let definition = definition.filter(|definition| {
            definition.access.is_visible(cx) && definition.access.check(cx).is_none()
        });
        resource.version = definition.and_then(|definition| definition.fixed_version());
    }
}

/// Prepares a resource of a list. Without its description it gets no URL.
pub(crate) fn finish_listed(
    listed: ListedResource,
    cx: &Context,
    resources: &Resources,
) -> Resource {
    let mut resource = listed.resource;
    if listed.is_described {
        finish(&mut resource, cx, resources);
    } else {
        finish_without_url(&mut resource, cx, resources);
    }
    resource
}

/// Removes what the client must not see.
pub(crate) fn withhold(resource: &mut Resource, cx: &Context) {
    if !cx.offered(Proposal::Sep2093) {
        resource.resource_type = None;
    }
    if !cx.offered(Proposal::VersionedResources) {
        resource.kind = None;
        resource.version = None;
        resource.metadata = None;
    }
    if !cx.offered(Proposal::HttpsUrl) {
        resource.http_url = None;
        resource.http_url_expires_at = None;
    }
}

/// Removes what the client must not see from contents.
pub(crate) fn withhold_of_contents(contents: &mut AnyResourceContents, cx: &Context) {
    if let Some(view) = read_metadata(contents) {
        view.withhold(cx);
    }
}
