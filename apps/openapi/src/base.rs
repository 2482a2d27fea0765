//! [`Base`]: the URL of the API, which all requests begin with.

use std::collections::BTreeMap;

use http::Uri;
use http::uri::{Authority, Scheme};
use mcp_server::types::json::Value;

use super::error::OpenApiError;
use super::names::beginning;

/// The longest URL of a server, in bytes, and the maximum number of its variables. Many operations can
/// share a server.
const URL: usize = 8 << 10;
const VARIABLES: usize = 64;

/// A checked URL without a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Base {
    pub(super) scheme: Scheme,
    pub(super) authority: Authority,
    /// Without the slash at its end.
    pub(super) path: String,
}

impl Base {
    pub(super) fn parse(url: &str) -> Result<Self, OpenApiError> {
        Self::checked(url).map_err(|reason| OpenApiError::BaseUrl {
            url: without_secrets(url),
            reason,
        })
    }

    fn checked(url: &str) -> Result<Self, &'static str> {
        if !url
            .bytes()
            .all(|it| it.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&it))
        {
            return Err("it contains characters that are not allowed in URLs");
        }
        if url.contains(['?', '#']) {
            return Err("it has a query or a fragment");
        }
        let uri: Uri = url.parse().map_err(|_| "it is not a URL")?;
        let parts = uri.into_parts();
        let scheme = parts.scheme.ok_or("it is not absolute")?;
        if scheme != Scheme::HTTP && scheme != Scheme::HTTPS {
            return Err("its scheme is not `http` or `https`");
        }
        let authority = parts.authority.ok_or("it has no host")?;
        if authority.as_str().contains('@') {
            return Err("it contains a user name");
        }
        if authority.host().is_empty() {
            return Err("it has no host");
        }
        let path = parts.path_and_query.map(|path| path.path().to_owned());
        let path = path.unwrap_or_default();
        let path = path.trim_end_matches('/');
        if has_dots(path) {
            return Err("its path has a segment `.` or `..`");
        }
        Ok(Self {
            scheme,
            authority,
            path: path.to_owned(),
        })
    }

    /// Returns `true` if a URL has the same scheme, host and port.
    pub(super) fn is_origin_of(&self, url: &Uri) -> bool {
        let (Some(scheme), Some(authority)) = (url.scheme(), url.authority()) else {
            return false;
        };
        self.origin() == origin(scheme, authority) && !authority.as_str().contains('@')
    }

    /// Returns `true` if another URL has the same scheme, host and port.
    pub(super) fn has_origin_of(&self, other: &Self) -> bool {
        self.origin() == other.origin()
    }

    fn origin(&self) -> (bool, String, u16) {
        origin(&self.scheme, &self.authority)
    }

    /// Returns the URL of a path, and of a query if that is not empty.
    pub(super) fn url(&self, path: &str, query: &str) -> Result<Uri, http::Error> {
        let sign = if query.is_empty() { "" } else { "?" };
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{path}{sign}{query}", self.path))
            .build()
    }
}

/// Returns whether a URL needs TLS, its host, and its port.
fn origin(scheme: &Scheme, authority: &Authority) -> (bool, String, u16) {
    let has_tls = *scheme == Scheme::HTTPS;
    let port = authority.port_u16();
    let host = authority.host().to_ascii_lowercase();
    (
        has_tls,
        host,
        port.unwrap_or(if has_tls { 443 } else { 80 }),
    )
}

/// Returns a URL without a user name, a password, a query and a fragment.
fn without_secrets(url: &str) -> String {
    let (start, rest) = match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if scheme < at => (format!("{}…", &url[..scheme + 3]), &url[at..]),
        (None, Some(at)) => ("…".to_owned(), &url[at..]),
        _ => (String::new(), url),
    };
    start + without_query(rest)
}

/// Returns what a URL has before its query and its fragment.
pub(super) fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// Returns `true` if a path has a segment that leads upwards, also if it is percent-encoded. Some servers
/// ignore what a segment has after `;`.
pub(super) fn has_dots(path: &str) -> bool {
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    decoded
        .split(['/', '\\'])
        .map(|part| part.split(';').next())
        .any(|part| matches!(part, Some("." | "..")))
}

/// Returns the URL of an entry of a list `servers`, with its variables replaced. It may be relative.
/// `None` if it has no URL.
pub(super) fn server_url(
    server: &Value,
    variables: &BTreeMap<String, String>,
) -> Result<Option<String>, OpenApiError> {
    let server = server.as_object().filter(|it| it.len() <= VARIABLES);
    let url = server.and_then(|server| server.get("url")?.as_str());
    let Some(mut rest) = url else {
        return Ok(None);
    };
    if rest.len() > URL || rest.matches('{').count() > VARIABLES {
        return Err(too_long(rest));
    }
    let known = server.and_then(|server| server.get("variables")?.as_object());
    let known = known.filter(|known| known.len() <= VARIABLES);
    let mut url = String::new();
    while let Some((before, after)) = rest.split_once('{') {
        let fault = |name: &str, reason| OpenApiError::Variable {
            name: name.to_owned(),
            reason,
        };
        let Some((name, after)) = after.split_once('}') else {
            return Err(fault(after, "its `}` is missing"));
        };
        let variable = known.and_then(|known| known.get(name));
        let value = match variables.get(name) {
            Some(value) => {
                let listed = variable.and_then(|it| it.get("enum")?.as_array());
                if listed.is_some_and(|listed| !listed.iter().any(|it| it.as_str() == Some(value)))
                {
                    return Err(fault(
                        name,
                        "its value is not one of those that the document lists",
                    ));
                }
                value.as_str()
            }
            None => variable
                .and_then(|it| it.get("default")?.as_str())
                .ok_or_else(|| {
                    fault(name, "it has no default: set one with `OpenApi::variable`")
                })?,
        };
        push(&mut url, before)?;
        push(&mut url, value)?;
        rest = after;
    }
    push(&mut url, rest)?;
    Ok(Some(url))
}

/// Adds a part to a URL. A variable can occur many times, and have a long value.
fn push(url: &mut String, part: &str) -> Result<(), OpenApiError> {
    if url.len() + part.len() > URL {
        return Err(too_long(url));
    }
    url.push_str(part);
    Ok(())
}

fn too_long(url: &str) -> OpenApiError {
    OpenApiError::BaseUrl {
        url: without_secrets(beginning(url, URL / 8)),
        reason: "it has more than 8,192 bytes with its variables, or more than 64 variables",
    }
}

/// Returns `true` if a URL of a server has a scheme.
pub(super) fn is_absolute(url: &str) -> bool {
    let scheme = url.split_once("://");
    scheme.is_some_and(|(scheme, _)| !scheme.contains('/'))
}
