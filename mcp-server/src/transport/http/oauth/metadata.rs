//! Serves the metadata of the protected resource (RFC 9728) to everybody.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONTENT_TYPE,
};
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode};
use mcp_internal::http_headers::JSON;

use crate::transport::http::oauth::config::OAuth;
use crate::transport::http::response::body::HttpBody;

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");
const ANY: HeaderValue = HeaderValue::from_static("*");
/// The metadata rarely changes, but a client must learn soon of a new authorization server.
const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=300");
/// Two hours in seconds, the longest that Chromium accepts.
const PREFLIGHT_TIME: HeaderValue = HeaderValue::from_static("7200");

impl OAuth {
    /// Responds to a request for the metadata. `None` for any other request. Needs no access token,
    /// and pages of any origin may read it: it contains no secrets, and nothing of the request.
    pub(crate) fn metadata(&self, parts: &Parts) -> Option<Response<HttpBody>> {
        let path = parts.uri.path();
        if !self.0.metadata_paths.iter().any(|known| known == path) {
            return None;
        }
        let body = match parts.method {
            Method::GET => HttpBody::whole(self.0.metadata.to_vec()),
            _ => HttpBody::none(),
        };
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
        match parts.method {
            Method::GET | Method::HEAD => {
                headers.insert(CONTENT_TYPE, JSON);
                headers.insert(CACHE_CONTROL, CACHED);
            }
            Method::OPTIONS => {
                headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
                headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, ANY);
                headers.insert(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_TIME);
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            _ => {
                headers.insert(ALLOW, METHODS);
                *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            }
        }
        Some(response)
    }
}
