//! [`finish`]: what every resource passes through before it leaves, so that peers see no member
//! that is not for them.

#[cfg(feature = "sep-2093")]
use mcp_types::AnyResourceContents;
#[cfg(feature = "_proposals")]
use mcp_types::Proposal;
use mcp_types::Resource;

use crate::features::resources::catalog::ResourceCatalog;
#[cfg(feature = "sep-2093")]
use crate::features::resources::metadata_view::read_metadata;
#[cfg(feature = "https-url")]
use crate::features::resources::urls;
use crate::protocol::core::Context;

/// Makes a resource one that the peer may see: what a proposal adds is there for peers of the
/// newest revision, if the program opted in, and for nobody else.
///
/// Everything that holds a resource goes through here: lists, metadata, links in the results of
/// tools and prompts, notifications of changes.
#[cfg(feature = "_proposals")]
pub(crate) fn finish(
    resource: &mut Resource,
    cx: &Context,
    #[cfg_attr(
        not(any(feature = "https-url", feature = "versioned-resources")),
        expect(unused_variables, reason = "other proposals do not look resources up")
    )]
    resources: &ResourceCatalog,
) {
    // Before it is forgotten what is a collection.
    #[cfg(feature = "https-url")]
    if cx.offered(Proposal::HttpsUrl) {
        urls::offer(resource, cx, resources);
    }
    withhold(resource, cx);
    #[cfg(feature = "versioned-resources")]
    if resource.version.is_none() && cx.offered(Proposal::VersionedResources) {
        let definition = resources.resources.get(&resource.uri);
        resource.version = definition.and_then(|definition| definition.fixed_version());
    }
}

/// Without proposals there is nothing to add or to withhold.
#[cfg(not(feature = "_proposals"))]
pub(crate) fn finish(_: &mut Resource, _: &Context, _: &ResourceCatalog) {}

/// Takes away what the peer is not to see.
#[cfg(feature = "_proposals")]
pub(crate) fn withhold(resource: &mut Resource, cx: &Context) {
    #[cfg(feature = "sep-2093")]
    if !cx.offered(Proposal::Sep2093) {
        resource.resource_type = None;
    }
    #[cfg(feature = "versioned-resources")]
    if !cx.offered(Proposal::VersionedResources) {
        resource.kind = None;
        resource.version = None;
        resource.metadata = None;
    }
    #[cfg(feature = "https-url")]
    if !cx.offered(Proposal::HttpsUrl) {
        resource.http_url = None;
        resource.http_url_expires_at = None;
    }
}

/// Takes away of contents what the peer is not to see.
#[cfg(feature = "sep-2093")]
pub(crate) fn withhold_of_contents(contents: &mut AnyResourceContents, cx: &Context) {
    if !cx.offered(Proposal::Sep2093)
        && let Some(read_metadata) = read_metadata(contents)
    {
        read_metadata.forget();
    }
}
