//! URLs in descriptions of resources, by the proposal `https-url`.

use http::header::AUTHORIZATION;
use http::request::Parts;
use mcp_types::peer_text::PeerText;
use mcp_types::{CacheScope, Proposal, Resource};

use crate::features::catalog::CacheHints;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::metadata_view::is_https;
use crate::protocol::core::Context;
use crate::protocol::extensions::Principal;

/// Sets the URL of a resource, for a client that gets what the proposal adds. A URL that the
/// program set stays, unless its scheme is not `https`.
pub(crate) fn set_url(resource: &mut Resource, cx: &Context, resources: &ResourceCatalog) {
    if let Some(url) = &resource.http_url {
        if !is_https(url) {
            // Logs the URI, not the URL, which may grant access.
            let uri = PeerText(&resource.uri);
            tracing::error!(%uri, "an `httpUrl` that is not https was left out");
            resource.http_url = None;
            resource.http_url_expires_at = None;
        }
        return;
    }
    resource.http_url_expires_at = None;
    if let Some((url, expires_at)) = url(resource, cx, resources) {
        resource.http_url = Some(url);
        resource.http_url_expires_at = Some(expires_at);
    }
}

fn url(resource: &Resource, cx: &Context, resources: &ResourceCatalog) -> Option<(String, String)> {
    let urls = resources.urls.as_deref()?;
    if is_collection(resource) {
        return None;
    }
    let unchecked = resources.locate(&resource.uri)?;
    if !is_known(cx) || !unchecked.has_url() || !unchecked.is_visible(cx) {
        return None;
    }
    urls.issue(&resource.uri, cx.extension())
}

/// Returns `true` for a collection, which has no URL.
pub(crate) fn is_collection(resource: &Resource) -> bool {
    #[cfg(feature = "sep-2093")]
    return resource.resource_type == Some(mcp_types::ResourceType::Collection);
    #[cfg(not(feature = "sep-2093"))]
    {
        let _ = resource;
        false
    }
}

/// Returns `true` if a URL would be issued for a resource, and only its description says whether it
/// is a collection.
pub(crate) fn depends_on_description(uri: &str, cx: &Context, resources: &ResourceCatalog) -> bool {
    cfg!(feature = "sep-2093")
        && cx.offered(Proposal::HttpsUrl)
        && resources.urls.is_some()
        && resources
            .locate(uri)
            .is_some_and(|found| found.is_describable() && found.has_url() && found.is_visible(cx))
}

/// Returns the caching hints of a result. A result that contains signed URLs is private to the peer
/// that receives it, and expires with the URLs.
pub(crate) fn hints(hints: &CacheHints, has_urls: bool, catalog: &ResourceCatalog) -> CacheHints {
    let mut hints = hints.clone();
    if let Some(urls) = &catalog.urls
        && has_urls
    {
        let lifetime = i64::try_from(urls.lifetime_ms()).unwrap_or(i64::MAX);
        hints.ttl_ms = hints.ttl_ms.min(lifetime);
        hints.scope = CacheScope::Private;
    }
    hints
}

/// Returns `true` if a later download can be checked against the principal of this request.
///
/// A request with an `Authorization` header but without a [`Principal`] cannot be attributed to
/// anybody, so a URL issued for it would work for everyone.
fn is_known(cx: &Context) -> bool {
    let parts = cx.extension::<Parts>();
    let authorized = parts.is_some_and(|parts| parts.headers.contains_key(AUTHORIZATION));
    !authorized || cx.extension::<Principal>().is_some()
}
