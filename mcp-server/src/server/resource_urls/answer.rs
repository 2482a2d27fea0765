//! Creates the responses to requests for a URL.

use std::borrow::Cow;

use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, REFERRER_POLICY, RETRY_AFTER, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};

use super::representation::Representation;
use super::select::{Selected, select};
use crate::protocol::quota::permits::DownloadPermit;
use crate::server::resource_urls::read::WithoutContents;
use crate::transport::http::body::HttpBody;

const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// The supported HTTP methods.
pub(crate) const METHODS: &str = "GET, HEAD";
const BYTES: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// Bytes with the permit of their request, which is released when all of them were sent or dropped.
struct BytesWithPermit {
    bytes: Bytes,
    _permit: DownloadPermit,
}

impl AsRef<[u8]> for BytesWithPermit {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Creates the response with the requested part of a representation. Clients may cache it for
/// `max_age` seconds.
pub(crate) fn represent(
    method: &Method,
    headers: &HeaderMap,
    representation: Representation,
    max_age: u64,
    permit: DownloadPermit,
) -> Response<HttpBody> {
    let Representation {
        bytes,
        etag,
        mime_type,
        is_text,
        is_negotiated,
    } = representation;
    let size = bytes.len();
    let selected = select(method, headers, &etag, size);
    let status = status(&selected);
    let mut response = validated(status, etag, max_age, is_negotiated);
    let headers = response.headers_mut();
    let part = match selected {
        Selected::Whole => 0..size,
        Selected::Part(part) => {
            let last = part.end.saturating_sub(1);
            let sent = format!("bytes {}-{last}/{size}", part.start);
            set_header(headers, CONTENT_RANGE, sent);
            part
        }
        Selected::Outside => {
            set_header(headers, CONTENT_RANGE, format!("bytes */{size}"));
            return response;
        }
        Selected::NotModified | Selected::Changed => return response,
    };
    let mime_type = mime_type.and_then(|mime_type| HeaderValue::from_str(&mime_type).ok());
    let mime_type = mime_type.unwrap_or(if is_text { PLAIN } else { BYTES });
    headers.insert(CONTENT_TYPE, mime_type);
    headers.insert(CONTENT_LENGTH, part.len().into());
    if method != Method::HEAD {
        let bytes = Bytes::from_owner(BytesWithPermit {
            bytes,
            _permit: permit,
        });
        *response.body_mut() = HttpBody::chunks(bytes.slice(part));
    }
    response
}

/// Creates the response to a request for which no contents were read.
pub(crate) fn unread(unread: WithoutContents, max_age: u64) -> Response<HttpBody> {
    let status = status(&unread.selected);
    let mut response = validated(status, unread.etag, max_age, true);
    if unread.selected == Selected::Whole {
        let headers = response.headers_mut();
        headers.insert(CONTENT_LENGTH, unread.size.into());
        // Without a described media type the header is omitted: it may depend on the contents.
        let mime_type = unread.mime_type;
        let mime_type = mime_type.and_then(|mime_type| HeaderValue::from_str(&mime_type).ok());
        if let Some(mime_type) = mime_type {
            headers.insert(CONTENT_TYPE, mime_type);
        }
    }
    response
}

fn status(selected: &Selected) -> StatusCode {
    match selected {
        Selected::Whole => StatusCode::OK,
        Selected::Part(_) => StatusCode::PARTIAL_CONTENT,
        Selected::NotModified => StatusCode::NOT_MODIFIED,
        Selected::Changed => StatusCode::PRECONDITION_FAILED,
        Selected::Outside => StatusCode::RANGE_NOT_SATISFIABLE,
    }
}

/// Creates a response without a body that identifies the representation.
fn validated(
    status: StatusCode,
    etag: String,
    max_age: u64,
    is_negotiated: bool,
) -> Response<HttpBody> {
    let mut response = respond(status, HttpBody::none());
    let headers = response.headers_mut();
    set_header(headers, ETAG, etag);
    set_header(
        headers,
        CACHE_CONTROL,
        format!("private, max-age={max_age}"),
    );
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if is_negotiated {
        headers.insert(VARY, HeaderValue::from_static("accept"));
    }
    response
}

/// Creates an error response with one line of text.
pub(crate) fn refuse(
    method: &Method,
    status: StatusCode,
    text: Cow<'static, str>,
) -> Response<HttpBody> {
    tracing::debug!(%status, %text, "request for a URL rejected");
    let size = text.len();
    let body = if method == Method::HEAD {
        HttpBody::none()
    } else {
        HttpBody::whole(text.into_owned().into_bytes())
    };
    let mut response = respond(status, body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, PLAIN);
    headers.insert(CONTENT_LENGTH, size.into());
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static(METHODS));
    }
    if matches!(
        status,
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS
    ) {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// Creates a response with the security headers that all responses have: a browser must not guess
/// another media type, run scripts of the contents, or send the URL to other servers.
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

/// Sets a header to a text of the server.
fn set_header(headers: &mut HeaderMap, name: http::HeaderName, text: String) {
    if let Ok(value) = HeaderValue::try_from(text) {
        headers.insert(name, value);
    }
}
