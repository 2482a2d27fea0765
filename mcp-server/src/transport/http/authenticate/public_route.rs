//! [`PublicRoute`]: what an endpoint serves without authentication.

use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONTENT_TYPE,
};
use http::request::Parts;
use http::{HeaderValue, Method, Response, StatusCode};
use mcp_wire::http_headers::JSON;

use crate::transport::http::response::body::HttpBody;

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");
const ANY: HeaderValue = HeaderValue::from_static("*");
/// Documents rarely change, but a client must learn soon of a new authorization server.
const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=300");
/// Two hours in seconds, the longest that Chromium accepts.
const PREFLIGHT_TIME: HeaderValue = HeaderValue::from_static("7200");

/// A path that an endpoint serves to everybody, without authentication, see
/// [`Authenticate::public_routes`](crate::Authenticate::public_routes).
///
/// The headers `Host` and `Origin` are not checked, and pages of all origins may read the response.
#[derive(Clone, Debug)]
pub struct PublicRoute {
    path: String,
    document: Bytes,
    is_of_host: bool,
}

impl PublicRoute {
    /// Serves a JSON document at exactly this path, to GET and HEAD. Clients may cache it for 5
    /// minutes. It must not contain secrets.
    pub fn json(path: impl Into<String>, document: impl Into<Bytes>) -> Self {
        Self {
            path: path.into(),
            document: document.into(),
            is_of_host: false,
        }
    }

    /// States that the path is the same for all endpoints of a host.
    /// [`Server::serve_http`](crate::Server::serve_http) serves it nevertheless. `Server::into_router`
    /// leaves it out, because an application may have several endpoints.
    #[must_use]
    pub fn of_host(mut self) -> Self {
        self.is_of_host = true;
        self
    }

    /// Returns the path, unless it belongs to the whole host.
    #[cfg(feature = "axum")]
    pub(crate) fn own_path(&self) -> Option<&str> {
        (!self.is_of_host).then_some(&self.path)
    }

    /// Responds to a request for this path. `None` for any other request.
    pub(crate) fn respond(&self, parts: &Parts) -> Option<Response<HttpBody>> {
        if parts.uri.path() != self.path {
            return None;
        }
        let body = match parts.method {
            Method::GET => HttpBody::whole(self.document.clone()),
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
