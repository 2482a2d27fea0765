//! URLs: which ones can be spoken to, what is of the same origin, and where a reference leads.

use http::Uri;
use http::uri::Scheme;

use crate::protocol::error::HttpError;
use crate::util::url::{absolute, origin};

/// The URL of a server.
pub(super) fn parse(text: &str) -> Result<Uri, HttpError> {
    let fault = |reason| {
        let url = text.to_owned();
        Err(HttpError::Url { url, reason })
    };
    let Ok(url) = text.parse::<Uri>() else {
        return fault("it cannot be read");
    };
    let Some(authority) = url.authority() else {
        return fault("it has no scheme and host");
    };
    if authority.as_str().contains('@') {
        return fault("it holds a user's name; authorization goes by a header");
    }
    if url.scheme() == Some(&Scheme::HTTPS) {
        if cfg!(feature = "tls") {
            return Ok(url);
        }
        return fault("`https` asks for the feature `tls`");
    }
    if url.scheme() != Some(&Scheme::HTTP) {
        return fault("its scheme is neither `http` nor `https`");
    }
    Ok(url)
}

/// Where a reference leads that stands at `base`, if that is of the same origin.
pub(super) fn resolve(base: &Uri, reference: &str) -> Option<Uri> {
    let url = parse(&absolute(base, reference)?).ok()?;
    (origin(&url) == origin(base)).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_where_they_say_within_the_origin() {
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
    fn what_is_no_url_of_a_server_is_refused() {
        for text in [
            "",
            "/mcp",
            "ftp://host/",
            "http://",
            "http://user:word@host/",
            "host:80",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
