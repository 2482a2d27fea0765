//! URLs of servers, and references that are resolved within their origin.

use http::Uri;
use http::uri::Scheme;
use mcp_fetch::url::shown;

use crate::protocol::error::HttpError;

/// Parses the URL of a server.
pub(in crate::transport::http) fn parse(text: &str) -> Result<Uri, HttpError> {
    let fault = |reason| {
        let url = shown(text);
        Err(HttpError::Url { url, reason })
    };
    let Ok(url) = text.parse::<Uri>() else {
        return fault("invalid syntax");
    };
    let Some(authority) = url.authority() else {
        return fault("missing scheme or host");
    };
    if authority.as_str().contains('@') {
        return fault("unsupported user name (expected a header for authorization)");
    }
    let port = authority.as_str().strip_prefix(authority.host());
    if authority.port_u16().is_none() && port.is_some_and(|port| port.len() > ":".len()) {
        return fault("invalid port (expected a number up to 65535)");
    }
    if url.scheme() == Some(&Scheme::HTTPS) {
        if cfg!(feature = "tls") {
            return Ok(url);
        }
        return fault("unsupported scheme (`https` requires the Cargo feature `tls`)");
    }
    if url.scheme() != Some(&Scheme::HTTP) {
        return fault("unsupported scheme (expected `http` or `https`)");
    }
    Ok(url)
}

/// Returns scheme, host and port in normalized form.
pub(in crate::transport::http) fn origin(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or_default();
    let host = url.host().unwrap_or_default().to_ascii_lowercase();
    let port = url
        .port_u16()
        .unwrap_or(if scheme == "https" { 443 } else { 80 });
    format!("{scheme}://{host}:{port}")
}

/// Resolves a reference against `base`. `None` if the result is of another origin.
pub(in crate::transport::http) fn resolve(base: &Uri, reference: &str) -> Option<Uri> {
    let url = parse(&mcp_fetch::url::resolve(base, reference)?).ok()?;
    (origin(&url) == origin(base)).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_within_the_origin() {
        let base: Uri = "http://host:8080/a/sse?x=1".parse().expect("a URL");
        for (reference, url) in [
            ("/messages?id=1", Some("http://host:8080/messages?id=1")),
            ("messages?id=1", Some("http://host:8080/a/messages?id=1")),
            ("./m", Some("http://host:8080/a/m")),
            ("../m/", Some("http://host:8080/m/")),
            ("?id=1", Some("http://host:8080/a/sse?id=1")),
            ("http://HOST:8080/m", Some("http://HOST:8080/m")),
            ("//host:8080/m", Some("http://host:8080/m")),
            ("http://host/m", None),
            ("http://other:8080/m", None),
            ("//other:8080/m", None),
            ("https://host:8080/m", None),
            ("javascript:alert(1)", None),
            ("http://user@host:8080/m", None),
        ] {
            let found = resolve(&base, reference).map(|url| url.to_string());
            assert_eq!(found.as_deref(), url, "{reference}");
        }
    }

    #[test]
    fn invalid_urls_of_servers_are_rejected() {
        for text in [
            "",
            "/mcp",
            "ftp://host/",
            "http://",
            "http://user:word@host/",
            "host:80",
            "http://host:99999",
            "http://host:port/",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
