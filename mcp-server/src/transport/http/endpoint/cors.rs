//! CORS: lets pages of allowed origins send requests and read the responses.
//!
//! Requests without `Origin` skip this file. Credentials that a browser attaches by itself
//! (cookies, client certificates) are never allowed: a page authenticates by a header
//! `Authorization` that it sets.

use std::sync::Arc;

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use http_body::Body;

use crate::transport::http::config::HttpConfig;
use crate::transport::http::endpoint::Endpoint;
use crate::transport::http::endpoint::service::RemotePeer;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::response::answer;
use crate::transport::http::response::body::HttpBody;

const REQUEST_PRIVATE_NETWORK: HeaderName =
    HeaderName::from_static("access-control-request-private-network");
const ALLOW_PRIVATE_NETWORK: HeaderName =
    HeaderName::from_static("access-control-allow-private-network");

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, DELETE");
/// Two hours in seconds, the longest that Chromium accepts.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");
const VARY_ORIGIN: HeaderValue = HeaderValue::from_static("origin");
const VARY_PREFLIGHT: HeaderValue = HeaderValue::from_static(
    "origin, access-control-request-method, access-control-request-headers, \
     access-control-request-private-network",
);
/// The response headers that pages may read, besides those that are always readable.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after, allow, etag, \
     accept-ranges, content-range, content-length",
);
/// The header with the nonce for proofs of possession.
const EXPOSED_NONCE: HeaderValue = HeaderValue::from_static("dpop-nonce");
/// The request headers that pages may send, besides those that begin with `mcp-`.
const ALLOWED: [&[u8]; 12] = [
    b"accept",
    b"authorization",
    b"content-type",
    b"last-event-id",
    // Trace context of the W3C.
    b"traceparent",
    b"tracestate",
    b"baggage",
    // Downloads by URL.
    b"range",
    b"if-range",
    b"if-match",
    b"if-none-match",
    b"if-modified-since",
];
/// The prefix of the protocol's headers, including `Mcp-Param-*`.
const PREFIX: &[u8] = b"mcp-";

impl HttpConfig {
    /// Allows pages to send further request headers, such as an `X-Api-Key` that a middleware
    /// requires. The headers of the protocol, `Authorization` and trace context are always allowed.
    #[must_use]
    pub fn allow_headers<T: AsRef<str>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        let names = names
            .into_iter()
            .map(|name| name.as_ref().to_ascii_lowercase());
        self.headers.extend(names);
        self
    }

    /// Returns `true` if a page may send a request header of this name.
    fn allows_header(&self, name: &[u8]) -> bool {
        let protocol = name
            .split_at_checked(PREFIX.len())
            .is_some_and(|(prefix, rest)| {
                prefix.eq_ignore_ascii_case(PREFIX) && rest.iter().all(|byte| is_of_token(*byte))
            });
        let listed = || ALLOWED.iter().any(|known| known.eq_ignore_ascii_case(name));
        let further = || {
            let mut further = self.headers.iter();
            further.any(|known| known.as_bytes().eq_ignore_ascii_case(name))
        };
        protocol || listed() || further()
    }
}

/// Returns `true` if a byte can be part of a header name.
fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// The CORS headers of the response to a request.
pub(crate) struct Cors<'a> {
    config: &'a HttpConfig,
    /// The origin of the page that sent it, if the page may read the response.
    origin: Option<HeaderValue>,
    /// Whether the request is a preflight request of a browser.
    is_preflight: bool,
}

impl<'a> Cors<'a> {
    pub(crate) fn of(config: &'a HttpConfig, parts: &Parts) -> Self {
        let mut origins = parts.headers.get_all(ORIGIN).iter();
        let first = origins.next().filter(|_| origins.next().is_none());
        let allowed = first.filter(|origin| {
            let origin = origin.to_str();
            origin.is_ok_and(|origin| config.allows_origin(origin))
        });
        let asks = || parts.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        Self {
            config,
            origin: allowed.cloned(),
            is_preflight: parts.method == Method::OPTIONS && asks(),
        }
    }

    /// Returns the response to a preflight request of an allowed origin, `None` for any other
    /// request.
    pub(crate) fn preflight(&self, parts: &Parts) -> Option<Response<HttpBody>> {
        if !self.is_preflight || self.origin.is_none() {
            return None;
        }
        let mut response = answer::empty(StatusCode::NO_CONTENT);
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        if let Some(allowed) = self.allowed_headers(&parts.headers) {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
        }
        // The program allowed the origin, so the page may use the server even if the server is in a
        // private network and the page is not.
        if parts.headers.contains_key(REQUEST_PRIVATE_NETWORK) {
            let allowed = HeaderValue::from_static("true");
            headers.insert(ALLOW_PRIVATE_NETWORK, allowed);
        }
        Some(response)
    }

    /// Returns those of the requested headers that a page may send.
    fn allowed_headers(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let mut allowed: Vec<u8> = Vec::new();
        for line in headers.get_all(ACCESS_CONTROL_REQUEST_HEADERS) {
            for name in line.as_bytes().split(|byte| *byte == b',') {
                let name = name.trim_ascii();
                if !self.config.allows_header(name) {
                    continue;
                }
                if !allowed.is_empty() {
                    allowed.extend_from_slice(b", ");
                }
                allowed.extend_from_slice(name);
            }
        }
        if allowed.is_empty() {
            return None;
        }
        HeaderValue::from_maybe_shared(bytes::Bytes::from(allowed)).ok()
    }

    /// Adds the headers that let the page read the response if its origin is allowed.
    pub(crate) fn apply(self, response: &mut Response<HttpBody>) {
        let headers = response.headers_mut();
        let vary = if self.is_preflight {
            VARY_PREFLIGHT
        } else {
            VARY_ORIGIN
        };
        headers.append(VARY, vary);
        let Some(origin) = self.origin else {
            return;
        };
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        if !self.is_preflight {
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
            if self.config.authenticator.is_some() {
                headers.append(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_NONCE);
            }
        }
    }
}

impl Endpoint {
    /// Answers a request that has a header `Origin`.
    pub(crate) async fn respond_to_page<B: Body>(
        self: Arc<Self>,
        parts: Arc<Parts>,
        body: B,
        remote: Option<RemotePeer>,
    ) -> Response<HttpBody> {
        let cors = Cors::of(&self.config, &parts);
        let mut response = if cors.origin.is_none() {
            self.server.counters.request();
            let origins = parts.headers.get_all(ORIGIN).into_iter();
            let origins: Vec<_> = origins
                .map(|origin| String::from_utf8_lossy(origin.as_bytes()))
                .collect();
            for origin in &origins {
                self.config.refused.origin(origin);
            }
            self.refuse(&Refusal::Origin(origins.join(", ")))
        } else if let Some(response) = cors.preflight(&parts)
            && self.config.check_host(&parts).is_ok()
        {
            self.server.counters.request();
            response
        } else {
            Arc::clone(&self).respond(parts, body, remote).await
        };
        cors.apply(&mut response);
        response
    }
}
