//! [`SecureUrl`]: a URL of the scheme `https`, or `http` on this machine.

use std::fmt;

use http::Uri;
use http::uri::Scheme;

/// A URL that nobody on the network can read or change: of the scheme `https`, or `http` with a
/// loopback host. It keeps its text, because identifiers of issuers and resources are compared
/// byte by byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecureUrl {
    text: String,
    uri: Uri,
}

/// Why a text is rejected as a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InsecureUrl {
    #[error("expected an absolute URL with a host")]
    Syntax,
    #[error(
        "expected the scheme `https`, or `http` with the host `localhost`, `127.0.0.1` or `[::1]`"
    )]
    Scheme,
    #[error("expected no user information")]
    User,
    #[error("expected no fragment")]
    Fragment,
    #[error("expected no query")]
    Query,
}

impl SecureUrl {
    /// Parses a URL, which may have a query.
    pub(crate) fn parse(text: &str) -> Result<Self, InsecureUrl> {
        let is_legal = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
        if !text.bytes().all(is_legal) {
            return Err(InsecureUrl::Syntax);
        }
        if text.contains('#') {
            return Err(InsecureUrl::Fragment);
        }
        let uri: Uri = text.parse().map_err(|_| InsecureUrl::Syntax)?;
        let authority = uri.authority().ok_or(InsecureUrl::Syntax)?;
        if authority.as_str().contains('@') {
            return Err(InsecureUrl::User);
        }
        if authority.host().is_empty() {
            return Err(InsecureUrl::Syntax);
        }
        let secure = uri.scheme() == Some(&Scheme::HTTPS)
            || uri.scheme() == Some(&Scheme::HTTP) && is_loopback(authority.host());
        if !secure {
            return Err(InsecureUrl::Scheme);
        }
        Ok(Self {
            text: text.to_owned(),
            uri,
        })
    }

    /// Parses the identifier of an issuer or a resource, which has no query.
    pub(crate) fn identifier(text: &str) -> Result<Self, InsecureUrl> {
        if text.contains('?') {
            return Err(InsecureUrl::Query);
        }
        Self::parse(text)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Returns scheme, host and port, as they were written.
    pub(crate) fn origin(&self) -> &str {
        let rest = self.text.find("://").map_or(0, |at| at + 3);
        let end = self.text.get(rest..).and_then(|rest| rest.find(['/', '?']));
        let end = end.map_or(self.text.len(), |end| rest + end);
        self.text.get(..end).unwrap_or(&self.text)
    }

    /// Returns the path without the slash that follows the host: empty, or it begins with a slash.
    pub(crate) fn path(&self) -> &str {
        match self.uri.path() {
            "/" => "",
            path => path,
        }
    }
}

impl fmt::Display for SecureUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let address = address.unwrap_or(host).parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_secure_urls_are_accepted() {
        for text in [
            "https://a.example",
            "https://a.example/mcp?x=1",
            "https://a.example:8443/",
            "http://localhost:3000/mcp",
            "http://127.0.0.1",
            "http://[::1]:80/mcp",
        ] {
            let url = SecureUrl::parse(text).expect(text);
            assert_eq!(url.as_str(), text);
        }
        for (text, expected) in [
            ("http://a.example", InsecureUrl::Scheme),
            ("http://127.0.0.1.example", InsecureUrl::Scheme),
            ("http://localhost.example", InsecureUrl::Scheme),
            ("ftp://localhost", InsecureUrl::Scheme),
            ("file:///etc/passwd", InsecureUrl::Syntax),
            ("https://user@a.example", InsecureUrl::User),
            ("http://localhost@a.example", InsecureUrl::User),
            ("https://a.example/#x", InsecureUrl::Fragment),
            ("https://a.example/\"", InsecureUrl::Syntax),
            ("https://", InsecureUrl::Syntax),
            ("a.example", InsecureUrl::Scheme),
            ("/mcp", InsecureUrl::Syntax),
            ("", InsecureUrl::Syntax),
        ] {
            assert_eq!(SecureUrl::parse(text).err(), Some(expected), "{text}");
        }
    }

    #[test]
    fn origin_and_path_keep_their_form() {
        for (text, origin, path) in [
            ("https://A.example", "https://A.example", ""),
            ("https://a.example/", "https://a.example", ""),
            ("https://a.example:443/mcp", "https://a.example:443", "/mcp"),
            ("https://a.example/a/b/?q", "https://a.example", "/a/b/"),
        ] {
            let url = SecureUrl::parse(text).expect(text);
            assert_eq!((url.origin(), url.path()), (origin, path));
        }
    }
}
