//! URLs in descriptions of resources, by the proposal `https-url`.

use std::time::SystemTime;

use http::header::AUTHORIZATION;
use http::request::Parts;
use mcp_types::peer_text::PeerText;
use mcp_types::{AnyResourceContents, CacheScope, Proposal, Resource};

use crate::features::catalog::CacheHints;
use crate::features::resources::resolved::ResolvedResource;
use crate::proposals::https_url::issue::Urls;
use crate::proposals::https_url::presigned::time_left;
use crate::proposals::metadata::metadata_view::{is_collection, is_https};
use crate::proposals::resources::Resources;
use crate::protocol::caller::Principal;
use crate::protocol::core::Context;

/// Sets the URL of a resource, for a client that gets what the proposal adds. A URL that the
/// program set stays, unless its scheme is not `https`.
pub(crate) fn set_url(resource: &mut Resource, cx: &Context, resources: &Resources) {
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

fn url(resource: &Resource, cx: &Context, resources: &Resources) -> Option<(String, String)> {
    let urls = resources.urls.as_deref()?;
    if is_collection(resource) {
        return None;
    }
    let resolved = resources.definitions.locate(&resource.uri)?;
    if !is_known(cx) || !resolved.has_url() || !resolved.is_visible(cx) {
        return None;
    }
    urls.issue(&resource.uri, cx.extension())
}

/// Returns `true` if a URL would be made for the target of a link, and only the handler that reads
/// knows whether the target exists.
pub(crate) fn depends_on_reading(
    found: &ResolvedResource,
    target: &Resource,
    cx: &Context,
    resources: &Resources,
) -> bool {
    target.http_url.is_none()
        && cx.offered(Proposal::HttpsUrl)
        && (resources.urls.is_some() || found.is_presigned())
        && found.is_known_by_reading()
        && found.has_url()
}

/// Returns the caching hints of a result. A result that contains signed URLs is private to the peer
/// that receives it, and expires with the first of the URLs. `found` are the times when they
/// expire.
pub(crate) fn hints<'a>(
    mut hints: CacheHints,
    found: impl Iterator<Item = &'a str>,
    resources: &Resources,
) -> CacheHints {
    let urls = resources.urls.as_deref();
    for expires_at in found {
        let now = urls.map_or_else(SystemTime::now, Urls::now);
        let left = time_left(expires_at, now).as_millis();
        hints.ttl_ms = hints.ttl_ms.min(i64::try_from(left).unwrap_or(i64::MAX));
        hints.scope = CacheScope::Private;
    }
    hints
}

/// Returns the time when the URL of a resource expires.
pub(crate) fn expiry(resource: &Resource) -> Option<&str> {
    resource.http_url.as_deref()?;
    resource.http_url_expires_at.as_deref()
}

/// Returns the time when the URL in contents expires.
pub(crate) fn expiry_of_contents(contents: &AnyResourceContents) -> Option<&str> {
    let (url, expires_at) = match contents {
        AnyResourceContents::Text(text) => (&text.http_url, &text.http_url_expires_at),
        AnyResourceContents::Blob(blob) => (&blob.http_url, &blob.http_url_expires_at),
        _ => return None,
    };
    url.as_deref()?;
    expires_at.as_deref()
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
