//! [`Urls`]: the public URLs of the server, and the paths of its pages and endpoints.

use mcp_fetch::Origin;
use mcp_oauth::dpop::normalize_htu;
use mcp_oauth::well_known::{of_issuer, of_resource, origin_text};

use crate::login_error::LoginError;

/// The public URLs of the server. They come from the settings, never from a request.
pub(crate) struct Urls {
    /// The public URL without a slash at the end: the issuer of tokens.
    pub(crate) issuer: String,
    pub(crate) resource: String,
    /// Whether the URL is `https`.
    pub(crate) is_secure: bool,
    pub(crate) is_loopback: bool,
}

impl Urls {
    pub(crate) fn new(public_url: &str, resource: Option<&str>) -> Result<Self, LoginError> {
        let origin = check("public URL", public_url)?;
        let issuer = public_url.trim_end_matches('/').to_owned();
        let resource = resource.unwrap_or(&issuer).to_owned();
        if check("resource", &resource)? != origin {
            let text = "expected the host of the public URL";
            return Err(LoginError::url("resource", &resource, text));
        }
        Ok(Self {
            is_secure: origin.secure,
            is_loopback: origin.is_loopback(),
            issuer,
            resource,
        })
    }

    /// Returns scheme, host and port.
    pub(crate) fn origin(&self) -> &str {
        origin_text(&self.issuer)
    }

    /// Returns the URL of a page or endpoint.
    pub(crate) fn at(&self, endpoint: &str) -> String {
        format!("{}{endpoint}", self.issuer)
    }

    /// Returns the path of a page or endpoint.
    pub(crate) fn path(&self, endpoint: &str) -> String {
        path_of(&self.at(endpoint))
    }

    /// Returns the path of the metadata of the authorization server. Those of OpenID Connect are not
    /// served, because there are no ID tokens: clients have to try both.
    pub(crate) fn issuer_metadata_path(&self) -> String {
        let urls = of_issuer(&self.issuer);
        urls.first().map(|url| path_of(url)).unwrap_or_default()
    }

    /// Returns the paths of the metadata of the resource: its own, and the root of the host.
    pub(crate) fn resource_metadata_paths(&self) -> Vec<String> {
        let urls = of_resource(&self.resource);
        urls.iter().map(|url| path_of(url)).collect()
    }

    /// Returns the URL of the metadata of the resource.
    pub(crate) fn resource_metadata(&self) -> String {
        let urls = of_resource(&self.resource);
        urls.into_iter().next().unwrap_or_default()
    }

    /// Returns `true` if a resource indicator (RFC 8707) is this server: its URL, or one below it, which
    /// some clients send because it is the one that they were given.
    pub(crate) fn is_resource(&self, resource: &str) -> bool {
        if resource.contains(['?', '#']) {
            return false;
        }
        let (Ok(own), Ok(other)) = (normalize_htu(&self.resource), normalize_htu(resource)) else {
            return false;
        };
        let own = own.trim_end_matches('/');
        let rest = other.strip_prefix(own);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

fn path_of(url: &str) -> String {
    let path = url.strip_prefix(origin_text(url));
    path.unwrap_or_default().to_owned()
}

fn check(what: &'static str, url: &str) -> Result<Origin, LoginError> {
    let invalid = |reason: &str| Err(LoginError::url(what, url, reason));
    let origin = match Origin::parse(url) {
        Ok(origin) if origin.secure || origin.is_loopback() => origin,
        Ok(_) => return invalid("expected `https`, or `http` on this machine"),
        Err(fault) => return invalid(&fault.to_string()),
    };
    let path = path_of(url);
    let mut segments = path.trim_end_matches('/').split('/').skip(1);
    if url.contains(['?', '#', '%', ';', '\''])
        || segments.any(|segment| matches!(segment, "" | "." | ".."))
    {
        return invalid(
            "expected scheme, host, port and a plain path, without empty segments and dots",
        );
    }
    Ok(origin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints;

    #[test]
    fn only_https_and_loopback_urls_are_public_urls() {
        for url in [
            "https://a.example",
            "https://a.example/x",
            "http://localhost:1",
        ] {
            assert!(Urls::new(url, None).is_ok(), "{url}");
        }
        for url in [
            "http://a.example",
            "https://a.example?x",
            "https://a.example/#x",
            "https://me@a.example",
            "https://a.example/x/../y",
            "https://a.example//x",
            "a.example",
        ] {
            assert!(Urls::new(url, None).is_err(), "{url}");
        }
        assert!(Urls::new("https://a.example", Some("https://b.example/mcp")).is_err());
    }

    #[test]
    fn resource_is_the_server_or_below_it() {
        let urls = Urls::new("https://a.example/", Some("https://a.example/mcp")).expect("valid");
        assert_eq!(urls.issuer, "https://a.example");
        assert_eq!(urls.path("/token"), "/token");
        for (resource, expected) in [
            ("https://a.example/mcp", true),
            ("https://A.example:443/mcp/", true),
            ("https://a.example/mcp/sub", true),
            ("https://a.example/mcp2", false),
            ("https://a.example", false),
            ("https://a.example/x/../mcp", true),
            ("https://a.example/mcp/../other", false),
            ("https://a.example/mcp?x", false),
            ("https://b.example/mcp", false),
            ("http://a.example/mcp", false),
            ("https://a.example/mcp#x", false),
            ("", false),
        ] {
            assert_eq!(urls.is_resource(resource), expected, "{resource}");
        }
        let root = Urls::new("https://a.example", None).expect("valid");
        assert!(
            root.is_resource("https://a.example/") && root.is_resource("https://a.example/mcp")
        );
        assert!(!root.is_resource("https://a.example.evil.example/"));
    }

    #[test]
    fn paths_begin_with_that_of_the_public_url() {
        let urls = Urls::new("https://a.example/x", None).expect("valid");
        assert_eq!(urls.path("/token"), "/x/token");
        assert_eq!(urls.at(endpoints::CALLBACK), "https://a.example/x/callback");
        let expected = "/.well-known/oauth-authorization-server/x";
        assert_eq!(urls.issuer_metadata_path(), expected);
    }
}
