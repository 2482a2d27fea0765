//! Headers: which ones are forwarded, and how they are recorded.

use std::collections::BTreeMap;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{ACCEPT_ENCODING, CONNECTION, HOST, ORIGIN};
use hyper::{HeaderMap, Response, StatusCode};
use mcp_client::is_loopback_url;

use crate::secrets;

/// Headers that are for one connection only, RFC 9110, section 7.6.1.
const HOP_BY_HOP: [&str; 8] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// The longest value of a header that is recorded, in bytes.
const VALUE: usize = 512;

/// Removes the headers that are not for the other connection.
pub(super) fn forward(headers: &mut HeaderMap) {
    let named: Vec<String> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    for name in named.iter().map(String::as_str).chain(HOP_BY_HOP) {
        headers.remove(name);
    }
}

/// Removes the headers of a request that this program sets itself. Compressed responses could not
/// be recorded.
pub(super) fn forward_request(headers: &mut HeaderMap) {
    forward(headers);
    headers.remove(HOST);
    headers.remove(ACCEPT_ENCODING);
}

/// Returns headers for the recording.
pub(super) fn recorded(headers: &HeaderMap, keeps_secrets: bool) -> BTreeMap<String, String> {
    let mut recorded = BTreeMap::new();
    for (name, value) in headers {
        let value = value.as_bytes();
        let start = String::from_utf8_lossy(value.get(..VALUE).unwrap_or(value));
        let mut shown = if keeps_secrets {
            start.into_owned()
        } else {
            secrets::header(name.as_str(), &start)
        };
        if value.len() > VALUE {
            shown.push('…');
        }
        recorded.insert(name.as_str().to_owned(), shown);
    }
    recorded
}

/// Returns the reason why a request is rejected: it comes from a page in a browser that is not on
/// this machine, or was addressed to a name that such a page has redirected to this machine.
pub(crate) fn rejected(headers: &HeaderMap) -> Option<&'static str> {
    let is_local = |name, prefix: &str| {
        headers.get_all(name).iter().all(|value| {
            let value = value.to_str().unwrap_or_default();
            is_loopback_url(&format!("{prefix}{value}"))
        })
    };
    if !is_local(HOST, "http://") {
        return Some("this endpoint is only for this machine: unexpected `Host`");
    }
    if !is_local(ORIGIN, "") {
        return Some("this endpoint is only for this machine: unexpected `Origin`");
    }
    None
}

/// Returns a response of this program.
pub(super) fn answer(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(format!("mcp: {text}\n"))));
    *response.status_mut() = status;
    response
}
