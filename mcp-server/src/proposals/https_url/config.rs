//! [`HttpUrls`]: the configuration of URLs for resources.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::Uri;
use http::uri::{InvalidUri, Scheme};

use crate::proposals::https_url::keys::UrlKeys;
use crate::protocol::caller::{Extensions, Principal};
use crate::util::partial_debug::partial_debug;

/// Returns the current time.
pub(crate) type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;
/// Returns what a middleware would have attached to a request of this principal.
pub(crate) type Claims = Arc<dyn Fn(&Principal) -> Extensions + Send + Sync>;

/// The default time for which a URL is valid.
const LIFETIME: Duration = Duration::from_secs(15 * 60);

/// Configures URLs for resources that need no other credentials: `httpUrl` of the proposal
/// `https-url`.
///
/// Until such a URL expires, anybody who has it can GET what `resources/read` returns to the peer
/// that received the URL. The URL contains the URI of one resource, which can be read from it, and
/// the name of that peer's [`Principal`], which is encrypted. It is signed. The handler runs with
/// that principal and can reject the request as it would reject `resources/read`. Middleware does
/// not run for it.
///
/// A request with a header `Authorization` but without a [`Principal`] gets no URLs, because the
/// server could not know later for whom a URL was created. A middleware that authenticates requests
/// has to attach a principal. Handlers get further extensions by [`claims`](Self::claims).
///
/// ```
/// use std::time::Duration;
///
/// use mcp_server::{HttpUrls, Proposal, ResourceDef, Server};
///
/// let urls = HttpUrls::new("https://files.example.com/r/")?.lifetime(Duration::from_secs(300));
/// let server = Server::builder("demo", "1.0.0")
///     .proposals([Proposal::HttpsUrl])
///     .http_urls(urls)
///     .add_resource(ResourceDef::text("demo://motto", "motto", "Keep it simple."))
///     .build()?;
/// assert!(server.resource_urls().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use = "no URL is created until it is passed to `ServerBuilder::http_urls`"]
pub struct HttpUrls {
    pub(crate) base: String,
    pub(crate) path: String,
    pub(crate) lifetime: Duration,
    pub(crate) keys: Option<UrlKeys>,
    pub(crate) clock: Clock,
    pub(crate) claims: Option<Claims>,
}

/// The reasons why a URL is rejected as the base of resource URLs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// The text is not a URL.
    #[error("invalid base URL: {0}")]
    Invalid(#[from] InvalidUri),
    /// The scheme is not `https`. The proposal requires it, so that no intermediary can read the
    /// URL.
    #[error("base URL: expected the scheme `https`")]
    NotHttps,
    /// The URL has no host, or it has user information.
    #[error("base URL: expected a host without user information, such as `files.example.com`")]
    Authority,
    /// The URL has no path. Without one, resource URLs could not be distinguished from other URLs
    /// of the host.
    #[error("base URL: expected a path, such as `/r/`")]
    NoPath,
    /// The URL has a query or a fragment, so that no path segment can be appended.
    #[error("base URL: expected no query and no fragment")]
    Query,
}

impl HttpUrls {
    /// Creates a configuration for URLs below `base`. This is the URL that clients use: the one of
    /// a reverse proxy, or the one of this server if it serves TLS itself.
    ///
    /// # Errors
    ///
    /// See [`UrlError`].
    pub fn new(base: impl AsRef<str>) -> Result<Self, UrlError> {
        let base = base.as_ref();
        if base.contains(['?', '#']) {
            return Err(UrlError::Query);
        }
        let uri: Uri = base.parse()?;
        if uri.scheme() != Some(&Scheme::HTTPS) {
            return Err(UrlError::NotHttps);
        }
        let authority = uri.authority().ok_or(UrlError::Authority)?;
        if authority.host().is_empty() || authority.as_str().contains('@') {
            return Err(UrlError::Authority);
        }
        let path = uri.path().trim_end_matches('/');
        if path.is_empty() {
            return Err(UrlError::NoPath);
        }
        Ok(Self {
            base: format!("https://{authority}{path}/"),
            path: format!("{path}/"),
            lifetime: LIFETIME,
            keys: None,
            clock: Arc::new(SystemTime::now),
            claims: None,
        })
    }

    /// Sets the time for which a URL is valid, rounded down to whole seconds. Default: 15 minutes.
    /// For a quarter of this time, a resource has the same URL, so that caches can use it: at least
    /// three quarters of the time are left when a client gets it. The proposal recommends minutes
    /// to hours, not days.
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Sets the keys that sign URLs. Default: a random key. Processes that serve one endpoint need
    /// the same keys.
    pub fn keys(mut self, keys: UrlKeys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Sets the function that returns what a middleware attaches to requests of a principal, such
    /// as permissions or a tenant. Handlers that run for a URL get these extensions and the
    /// [`Principal`].
    ///
    /// ```
    /// use mcp_server::{Extensions, HttpUrls, Principal};
    ///
    /// struct Tenant(String);
    ///
    /// let urls = HttpUrls::new("https://files.example.com/r/")?.claims(|Principal(name)| {
    ///     let mut claims = Extensions::new();
    ///     let tenant = name.split('@').nth(1).unwrap_or_default();
    ///     claims.insert(Tenant(tenant.to_owned()));
    ///     claims
    /// });
    /// # drop(urls);
    /// # Ok::<(), mcp_server::UrlError>(())
    /// ```
    pub fn claims(
        mut self,
        claims: impl Fn(&Principal) -> Extensions + Send + Sync + 'static,
    ) -> Self {
        self.claims = Some(Arc::new(claims));
        self
    }

    /// Replaces the system clock. For tests.
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }
}

partial_debug!(HttpUrls, |it| base: it.base, lifetime: it.lifetime, keys: it.keys);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_is_normalized_to_one_trailing_slash() {
        for base in [
            "https://a.example/r",
            "HTTPS://a.example/r/",
            "https://a.example/r//",
        ] {
            let urls = HttpUrls::new(base).unwrap();
            assert_eq!((&*urls.base, &*urls.path), ("https://a.example/r/", "/r/"));
        }
        let urls = HttpUrls::new("https://[::1]:8443/a/b").unwrap();
        assert_eq!(urls.base, "https://[::1]:8443/a/b/");
    }

    #[test]
    fn invalid_base_urls_are_rejected() {
        use UrlError::*;
        for (base, expected) in [
            ("http://a.example/r/", NotHttps),
            ("ftp://a.example/r/", NotHttps),
            ("/r/", NotHttps),
            ("https://user@a.example/r/", Authority),
            ("https://u:p@a.example/r/", Authority),
            ("https://a.example", NoPath),
            ("https://a.example/", NoPath),
            ("https://a.example/r/?a=b", Query),
            ("https://a.example/r/#a", Query),
        ] {
            let error = HttpUrls::new(base).unwrap_err();
            assert_eq!(error.to_string(), expected.to_string(), "{base}");
        }
        for base in ["", "https://", "https:///r/", "a b"] {
            assert!(HttpUrls::new(base).is_err(), "{base}");
        }
    }
}
