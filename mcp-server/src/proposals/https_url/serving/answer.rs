//! Creates the responses to requests for a URL.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, LAST_MODIFIED, LOCATION, REFERRER_POLICY, RETRY_AFTER, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};

use super::representation::Representation;
use super::select::{CacheValidators, Selected, select};
use super::streamed::StreamedBytes;
use crate::proposals::https_url::serving::read::{OpenStream, WithoutContents};
use crate::protocol::quota::permits::DownloadPermit;
use crate::transport::http::response::body::HttpBody;

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

/// How long, and by whom, a response may be cached.
#[derive(Clone, Copy)]
pub(crate) struct Caching {
    /// In seconds.
    pub(crate) max_age: u64,
    /// `true` if caches that several clients share may store the response.
    pub(crate) is_public: bool,
}

/// Creates the response with the requested part of a representation.
pub(crate) fn represent(
    method: &Method,
    headers: &HeaderMap,
    representation: Representation,
    last_modified: Option<SystemTime>,
    caching: Caching,
    permit: DownloadPermit,
) -> Response<HttpBody> {
    let Representation {
        bytes,
        etag,
        mime_type,
        is_text,
        is_negotiated,
    } = representation;
    let size = bytes.len() as u64;
    let validators = CacheValidators {
        etag: Some(etag),
        last_modified,
    };
    let selected = select(method, headers, &validators, Some(size));
    let mut response = validated(&selected, validators, caching, is_negotiated);
    let Some(part) = select_part(&mut response, &selected, Some(size)) else {
        return response;
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, content_type(mime_type, is_text));
    if method != Method::HEAD {
        let bytes = Bytes::from_owner(BytesWithPermit {
            bytes,
            _permit: permit,
        });
        // The part is within the bytes, so its ends fit into `usize`.
        let at = |position: u64| usize::try_from(position).unwrap_or(bytes.len());
        let range = at(part.start)..at(part.end.unwrap_or(size));
        *response.body_mut() = HttpBody::chunks(bytes.slice(range));
    }
    response
}

/// Creates the response with the requested part of a stream.
pub(crate) fn stream(
    opened: OpenStream,
    last_modified: Option<SystemTime>,
    caching: Caching,
    read_time: Duration,
    permit: DownloadPermit,
) -> Response<HttpBody> {
    let OpenStream {
        selected,
        reader,
        size,
        mime_type,
        unchanged,
        uri,
    } = opened;
    let validators = CacheValidators {
        etag: unchanged.as_ref().map(|unchanged| unchanged.etag.clone()),
        last_modified,
    };
    // A stream is the only representation of its resource.
    let mut response = validated(&selected, validators, caching, false);
    if size.is_none() {
        let headers = response.headers_mut();
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static("none"));
    }
    let Some(part) = select_part(&mut response, &selected, size) else {
        return response;
    };
    let headers = response.headers_mut();
    let is_text = mime_type.as_deref().is_some_and(is_text_type);
    headers.insert(CONTENT_TYPE, content_type(mime_type, is_text));
    let left = part.end.map(|end| end.saturating_sub(part.start));
    if let Some(reader) = reader
        && left != Some(0)
    {
        *response.body_mut() = HttpBody::stream(StreamedBytes {
            reader,
            left,
            unchanged,
            read_time,
            uri,
            _permit: permit,
        });
    }
    response
}

/// Creates the response that sends the client to a URL of another host.
pub(crate) fn redirect(url: &str, caching: Caching) -> Option<Response<HttpBody>> {
    let location = HeaderValue::try_from(url).ok()?;
    let validators = CacheValidators::default();
    let mut response = validated(&Selected::Whole, validators, caching, false);
    *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    let headers = response.headers_mut();
    headers.remove(ACCEPT_RANGES);
    headers.insert(LOCATION, location);
    headers.insert(CONTENT_LENGTH, 0.into());
    Some(response)
}

/// A part of a representation. Without an end, everything from `start` on.
struct SentPart {
    start: u64,
    end: Option<u64>,
}

/// Returns the part that a response contains, and sets the headers that describe the part. Returns
/// `None` for a response without contents.
fn select_part(
    response: &mut Response<HttpBody>,
    selected: &Selected,
    size: Option<u64>,
) -> Option<SentPart> {
    let headers = response.headers_mut();
    let part = match selected {
        Selected::Whole => SentPart {
            start: 0,
            end: size,
        },
        Selected::Part(part) => {
            let last = part.end.saturating_sub(1);
            let size = size.unwrap_or_default();
            set_header(
                headers,
                CONTENT_RANGE,
                format!("bytes {}-{last}/{size}", part.start),
            );
            SentPart {
                start: part.start,
                end: Some(part.end),
            }
        }
        Selected::Outside => {
            let size = size.unwrap_or_default();
            set_header(headers, CONTENT_RANGE, format!("bytes */{size}"));
            return None;
        }
        Selected::NotModified | Selected::Changed => return None,
    };
    if let Some(end) = part.end {
        headers.insert(CONTENT_LENGTH, end.saturating_sub(part.start).into());
    }
    Some(part)
}

/// Creates the response to a request for which no contents were read.
pub(crate) fn unread(
    unread: WithoutContents,
    last_modified: Option<SystemTime>,
    caching: Caching,
) -> Response<HttpBody> {
    let validators = CacheValidators {
        etag: unread.etag,
        last_modified,
    };
    let mut response = validated(&unread.selected, validators, caching, unread.is_negotiated);
    if unread.selected == Selected::Whole {
        let headers = response.headers_mut();
        headers.insert(CONTENT_LENGTH, unread.size.into());
        // Without a described media type the header is omitted: it depends on the contents.
        if let Some(media_type) = unread.mime_type {
            let is_text = is_text_type(&media_type);
            headers.insert(CONTENT_TYPE, content_type(Some(media_type), is_text));
        }
    }
    response
}

/// Returns the value of `Content-Type`. Text of this server is UTF-8, and says so: by default, many
/// programs decode a type such as `text/csv` as Latin-1.
fn content_type(mime_type: Option<String>, is_text: bool) -> HeaderValue {
    let default = if is_text { PLAIN } else { BYTES };
    let Some(mut media_type) = mime_type else {
        return default;
    };
    if is_text && !has_charset(&media_type) {
        media_type.push_str("; charset=utf-8");
    }
    HeaderValue::try_from(media_type).unwrap_or(default)
}

fn is_text_type(media_type: &str) -> bool {
    let kind = media_type.split('/').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("text")
}

fn has_charset(media_type: &str) -> bool {
    let mut parameters = media_type.split(';').skip(1);
    parameters.any(|parameter| {
        let name = parameter.split('=').next().unwrap_or_default();
        name.trim().eq_ignore_ascii_case("charset")
    })
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
    selected: &Selected,
    validators: CacheValidators,
    caching: Caching,
    is_negotiated: bool,
) -> Response<HttpBody> {
    let mut response = respond(status(selected), HttpBody::none());
    let headers = response.headers_mut();
    if let Some(etag) = validators.etag {
        set_header(headers, ETAG, etag);
    }
    if let Some(time) = validators.last_modified {
        set_header(headers, LAST_MODIFIED, httpdate::fmt_http_date(time));
    }
    let Caching { max_age, is_public } = caching;
    let whose = if is_public { "public" } else { "private" };
    let caching = match selected {
        Selected::Whole | Selected::Part(_) | Selected::NotModified => {
            format!("{whose}, max-age={max_age}")
        }
        // The failure of one request must not be the response to another.
        Selected::Changed | Selected::Outside => "no-store".to_owned(),
    };
    set_header(headers, CACHE_CONTROL, caching);
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
