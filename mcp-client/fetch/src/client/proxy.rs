//! [`Proxy`]: requests through an HTTP proxy.

use std::env;
use std::fmt;

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::proxy::matcher::Matcher;

use super::connector::{ProxyConnector, ProxyHop};
use super::error::ProxyError;
use crate::origin::Origin;

/// An HTTP proxy, and the hosts for which it is not used.
///
/// A URL with `https` is requested through a tunnel (`CONNECT`): the proxy learns the host, but
/// reads nothing. A URL with `http` is requested from the proxy itself. Hosts of this machine, such
/// as `localhost` and `127.0.0.1`, are never requested through a proxy.
///
/// ```
/// use mcp_fetch::{FetchPolicy, Proxy};
///
/// let proxy = Proxy::new("http://proxy.example:3128").except("internal.example, 10.0.0.0/8");
/// let policy = FetchPolicy::new().proxy(proxy);
/// # drop(policy);
/// ```
///
/// Nothing uses a proxy by itself: pass it to [`FetchPolicy::proxy`](super::FetchPolicy::proxy), and
/// to the transport of a client.
#[derive(Clone, Default)]
pub struct Proxy {
    http: String,
    https: String,
    except: String,
}

impl Proxy {
    /// Creates a proxy for all URLs, at a URL such as `http://user:password@proxy.example:3128`.
    /// The scheme `http` is the only supported one. Another URL is a
    /// [`ProxyError`] when a connection is established.
    pub fn new(url: impl Into<String>) -> Self {
        let url = url.into();
        Self {
            http: url.clone(),
            https: url,
            except: String::new(),
        }
    }

    /// Reads the environment: `HTTPS_PROXY` and `HTTP_PROXY`, otherwise `ALL_PROXY`, for URLs of
    /// these schemes, and the exceptions in `NO_PROXY`. Names in lower case are read, too. In a CGI
    /// program, `HTTP_PROXY` is ignored, because the header `Proxy` of a request sets it.
    #[must_use]
    pub fn from_env() -> Self {
        let is_cgi = env::var_os("REQUEST_METHOD").is_some();
        let read = |name: &str| {
            let value = env::var_os(name).unwrap_or_default();
            // On Windows, names of variables that differ in case are the same.
            let is_header =
                name == "HTTP_PROXY" || cfg!(windows) && name.eq_ignore_ascii_case("HTTP_PROXY");
            let is_forged = is_cgi && is_header;
            (!value.is_empty() && !is_forged).then(|| value.to_string_lossy().into_owned())
        };
        let first = |names: &[&str]| names.iter().find_map(|name| read(name)).unwrap_or_default();
        Self {
            http: first(&["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]),
            https: first(&["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]),
            except: first(&["NO_PROXY", "no_proxy"]),
        }
    }

    /// Sets for which hosts the proxy is not used, in the form of `NO_PROXY`: domains with their
    /// subdomains, addresses and networks such as `10.0.0.0/8`, separated by commas; `*` for all
    /// hosts.
    #[must_use]
    pub fn except(mut self, hosts: impl Into<String>) -> Self {
        self.except = hosts.into();
        self
    }

    /// Returns what connects to an origin: through this proxy, or directly if the origin is on this
    /// machine or an exception.
    ///
    /// # Errors
    ///
    /// Fails if the proxy for this scheme is invalid. Then there must be no direct connection
    /// either.
    pub fn connector(
        &self,
        to: &Origin,
        connector: HttpConnector,
    ) -> Result<ProxyConnector, ProxyError> {
        Ok(ProxyConnector::new(connector, self.to(to)?))
    }

    /// Returns the proxy for an origin; `None` for a direct connection.
    ///
    /// # Errors
    ///
    /// Fails if the proxy for this scheme is invalid. Then there must be no direct connection
    /// either.
    pub(super) fn to(&self, origin: &Origin) -> Result<Option<ProxyHop>, ProxyError> {
        let proxy = if origin.secure {
            &self.https
        } else {
            &self.http
        };
        if proxy.is_empty() || origin.is_loopback() {
            return Ok(None);
        }
        let target: Uri = origin.to_string().parse().map_err(|_| ProxyError::Host)?;
        let rest = proxy
            .split_once("://")
            .map_or(proxy.as_str(), |(_, rest)| rest);
        let user = rest.rsplit_once('@').map_or("", |(user, _)| user);
        if user.contains(['@', '/', '?', '#']) {
            return Err(ProxyError::Credentials);
        }
        let matcher = || Matcher::builder().all(proxy.as_str());
        let found = matcher().build().intercept(&target);
        if found.is_none_or(|found| found.uri().scheme_str() != Some("http")) {
            return Err(ProxyError::Url);
        }
        // The matcher compares it with names only.
        if self.except.split(',').any(|host| host.trim() == "*") {
            return Ok(None);
        }
        let found = matcher().no(self.except.as_str()).build();
        let found = found.intercept(&target);
        Ok(found.map(|found| ProxyHop {
            url: found.uri().clone(),
            auth: found.basic_auth().cloned(),
        }))
    }
}

/// The URL may contain a password.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(proxy: &Proxy, url: &str) -> Option<String> {
        let origin = Origin::parse(url).expect("an origin");
        let hop = proxy.to(&origin).expect("a valid proxy");
        hop.map(|hop| hop.url.to_string())
    }

    #[test]
    fn exceptions_and_this_machine_need_no_proxy() {
        let proxy =
            Proxy::new("http://me:secret@proxy.example:3128").except("a.example, 10.0.0.0/8");
        let by_proxy = Some("http://proxy.example:3128/".to_owned());
        for url in ["https://b.example/x", "http://b.example", "https://8.8.8.8"] {
            assert_eq!(hop(&proxy, url), by_proxy, "{url}");
        }
        for url in [
            "https://a.example/",
            "https://x.a.example:8443/",
            "https://10.1.2.3/",
            "https://localhost/",
            "http://127.0.0.1:8080/",
            "http://[::1]:8080/",
        ] {
            assert_eq!(hop(&proxy, url), None, "{url}");
        }
        assert!(!format!("{proxy:?}").contains("secret"));
        let proxy = Proxy::new("http://proxy.example:3128").except("a.example, *");
        for url in [
            "https://b.example/",
            "https://8.8.8.8/",
            "https://[2001:db8::1]/",
        ] {
            assert_eq!(hop(&proxy, url), None, "{url}");
        }
    }

    #[test]
    fn invalid_proxies_are_not_bypassed() {
        let origin = Origin::parse("https://a.example").expect("an origin");
        for url in [
            "socks5://a:1",
            "https://a:1",
            "http://a:secret@",
            "http://a b",
            "http://me:pass@secret@a:1",
            "http://me:1/secret@a:1",
        ] {
            let fault = Proxy::new(url).to(&origin).err();
            assert!(
                fault.is_some_and(|fault| !fault.to_string().contains("secret")),
                "{url}"
            );
        }
    }
}
