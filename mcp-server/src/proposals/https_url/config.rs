//! [`HttpUrls`]: what a program says of the URLs that its server hands out.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::Uri;
use http::uri::{InvalidUri, Scheme};

use crate::proposals::https_url::keys::UrlKeys;
use crate::protocol::extensions::{Extensions, Principal};

/// Tells the time.
pub(crate) type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;
/// What middleware would have attached to a request of this principal.
pub(crate) type Claims = Arc<dyn Fn(&Principal) -> Extensions + Send + Sync>;

/// How long a URL is good, unless the program says otherwise.
const LIFETIME: Duration = Duration::from_secs(15 * 60);

/// URLs for resources that are good by themselves: `httpUrl` of the proposal `https-url`.
///
/// Whoever has such a URL can GET what `resources/read` gives to the peer that it was handed out
/// to, until it expires. It names one resource and the [`Principal`] of that peer; this is signed
/// but not encrypted, so both can be read from it. The handler runs as for that principal, and
/// refuses what it would refuse by the protocol.
///
/// No URL is handed out for a request that has a header `Authorization` but no [`Principal`]:
/// nothing would tell later whom it was made for. A middleware that authenticates has to attach
/// one, and what else handlers ask for comes back by [`claims`](Self::claims).
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
#[must_use = "nothing is handed out until it is given to a server"]
pub struct HttpUrls {
    pub(crate) base: String,
    pub(crate) path: String,
    pub(crate) lifetime: Duration,
    pub(crate) keys: Option<UrlKeys>,
    pub(crate) clock: Clock,
    pub(crate) claims: Option<Claims>,
}

/// Why URLs cannot be below this one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// It is no URL.
    #[error("not a URL")]
    Invalid(#[from] InvalidUri),
    /// The proposal asks for `https`, so that nobody on the way can take the URL.
    #[error("the base URL must be one of `https`")]
    NotHttps,
    /// It names no host, or a user.
    #[error("the base URL must have a host, and no user")]
    Authority,
    /// It has no path that tells it from other addresses of its host.
    #[error("the base URL needs a path of its own, such as `/r/`")]
    NoPath,
    /// It has a query or a fragment, behind which nothing can stand.
    #[error("the base URL must have neither a query nor a fragment")]
    Query,
}

impl HttpUrls {
    /// URLs below this one, as clients see it: that of a proxy, or of this server's own TLS.
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

    /// How long a URL is good, in whole seconds: 15 minutes, unless said here. The proposal asks
    /// for minutes to hours, not days.
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// What URLs are signed with; without this call a random key. Processes that serve one
    /// endpoint need the same.
    pub fn keys(mut self, keys: UrlKeys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Whether the program set the keys.
    pub(crate) fn has_keys(&self) -> bool {
        self.keys.is_some()
    }

    /// What middleware attaches to requests of a principal, for the handlers that read by URL:
    /// rights, a tenant. The [`Principal`] itself is always there.
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

    /// What tells the time, in place of the system's clock. For tests.
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }
}

impl std::fmt::Debug for HttpUrls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpUrls")
            .field("base", &self.base)
            .field("lifetime", &self.lifetime)
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_ends_with_one_slash() {
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
    fn what_is_no_base_is_refused() {
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
