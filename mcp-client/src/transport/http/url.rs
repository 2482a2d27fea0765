//! URLs: which ones can be spoken to, what is of the same origin, and where a reference leads.

use http::Uri;
use http::uri::Scheme;

use super::error::HttpError;

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

/// Scheme, host and port, in the one way to write them.
pub(super) fn origin(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or_default();
    let host = url.host().unwrap_or_default().to_ascii_lowercase();
    let port = url
        .port_u16()
        .unwrap_or(if scheme == "https" { 443 } else { 80 });
    format!("{scheme}://{host}:{port}")
}

/// Where a reference leads that stands at `base`, if that is of the same origin.
pub(super) fn resolve(base: &Uri, reference: &str) -> Option<Uri> {
    let url = parse(&absolute(base, reference)?).ok()?;
    (origin(&url) == origin(base)).then_some(url)
}

/// The URL that a reference means which stands at `base`, whatever it is.
pub(crate) fn absolute(base: &Uri, reference: &str) -> Option<String> {
    let reference = reference.split('#').next().unwrap_or_default().trim();
    let scheme = base.scheme_str()?;
    let authority = base.authority()?;
    let path = base.path();
    Some(if has_scheme(reference) {
        reference.to_owned()
    } else if reference.starts_with("//") {
        format!("{scheme}:{reference}")
    } else if reference.starts_with('/') {
        format!("{scheme}://{authority}{reference}")
    } else if reference.is_empty() || reference.starts_with('?') {
        format!("{scheme}://{authority}{path}{reference}")
    } else {
        let folder = path
            .rfind('/')
            .and_then(|end| path.get(..=end))
            .unwrap_or("/");
        let (relative, query) = reference
            .split_once('?')
            .map_or((reference, None), |(path, query)| (path, Some(query)));
        let path = without_dots(&format!("{folder}{relative}"));
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        format!("{scheme}://{authority}{path}{query}")
    })
}

fn has_scheme(reference: &str) -> bool {
    let scheme = reference.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// A path with its `.` and `..` taken as what they mean.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut steps = path.split('/').skip(1).peekable();
    while let Some(step) = steps.next() {
        let last = steps.peek().is_none();
        match step {
            "." | ".." => {
                if step == ".." {
                    kept.pop();
                }
                if last {
                    kept.push("");
                }
            }
            step => kept.push(step),
        }
    }
    format!("/{}", kept.join("/"))
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
