//! The responses to requests for a URL.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use sha2::{Digest, Sha256};
use tokio::sync::OwnedSemaphorePermit;

use super::read::Representation;
use super::select::{Selected, select};
use crate::http::HttpBody;

const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const BYTES: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// Bytes that keep a place until they have left.
struct Held {
    bytes: Bytes,
    _place: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// What was asked for of a representation that may be kept for so many seconds.
pub(super) fn represent(
    method: &Method,
    headers: &HeaderMap,
    representation: Representation,
    keep: u64,
    place: OwnedSemaphorePermit,
) -> Response<HttpBody> {
    let Representation {
        bytes,
        mime_type,
        is_text,
    } = representation;
    let digest = Sha256::digest(&bytes);
    let etag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(digest));
    let size = bytes.len();
    let selected = select(method, headers, &etag, size);
    let (status, part) = match selected {
        Selected::Whole => (StatusCode::OK, Some(0..size)),
        Selected::Part(part) => (StatusCode::PARTIAL_CONTENT, Some(part)),
        Selected::NotModified => (StatusCode::NOT_MODIFIED, None),
        Selected::Changed => (StatusCode::PRECONDITION_FAILED, None),
        Selected::Outside => (StatusCode::RANGE_NOT_SATISFIABLE, None),
    };
    let mut response = respond(status, HttpBody::none());
    let headers = response.headers_mut();
    put(headers, ETAG, etag);
    put(headers, CACHE_CONTROL, format!("private, max-age={keep}"));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if status == StatusCode::RANGE_NOT_SATISFIABLE {
        put(headers, CONTENT_RANGE, format!("bytes */{size}"));
    }
    let Some(part) = part else {
        return response;
    };
    let mime_type = mime_type.and_then(|mime_type| HeaderValue::from_str(&mime_type).ok());
    let mime_type = mime_type.unwrap_or(if is_text { PLAIN } else { BYTES });
    headers.insert(CONTENT_TYPE, mime_type);
    headers.insert(CONTENT_LENGTH, part.len().into());
    if status == StatusCode::PARTIAL_CONTENT {
        let last = part.end.saturating_sub(1);
        put(
            headers,
            CONTENT_RANGE,
            format!("bytes {}-{last}/{size}", part.start),
        );
    }
    if method != Method::HEAD {
        let held = Bytes::from_owner(Held {
            bytes,
            _place: place,
        });
        *response.body_mut() = HttpBody::bytes(held.slice(part));
    }
    response
}

/// A response that gives nothing, and says why in one line.
pub(super) fn refuse(method: &Method, status: StatusCode, why: &'static str) -> Response<HttpBody> {
    tracing::debug!(%status, why, "request for a URL refused");
    let body = if method == Method::HEAD {
        HttpBody::none()
    } else {
        HttpBody::bytes(Bytes::from_static(why.as_bytes()))
    };
    let mut response = respond(status, body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, PLAIN);
    headers.insert(CONTENT_LENGTH, why.len().into());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// What all responses have: a browser takes them for nothing but what they say that they are, runs
/// nothing of it, and tells no other server the URL.
fn respond(status: StatusCode, body: HttpBody) -> Response<HttpBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Sets a header to a text of our own.
fn put(headers: &mut HeaderMap, name: http::HeaderName, text: String) {
    if let Ok(value) = HeaderValue::try_from(text) {
        headers.insert(name, value);
    }
}
