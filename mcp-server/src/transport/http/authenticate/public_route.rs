//! [`PublicRoute`]: a path that an endpoint serves to everybody.

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
/// For a document, the headers `Host` and `Origin` are not checked, and pages of all origins may read it.
#[derive(Clone, Debug)]
pub struct PublicRoute {
    path: String,
    content: PublicContent,
    is_of_host: bool,
}

/// What a public route serves.
#[derive(Clone, Debug)]
pub(crate) enum PublicContent {
    Document(Document),
    /// What [`Authenticate::respond`](crate::Authenticate::respond) returns.
    Computed {
        /// The maximum size of the body of a request, in bytes.
        body_limit: usize,
    },
}

/// A JSON document.
#[derive(Clone, Debug)]
pub(crate) struct Document(Bytes);

impl PublicRoute {
    /// Serves a JSON document at exactly this path, to GET and HEAD. Clients may cache it for 5
    /// minutes. It must not contain secrets.
    pub fn json(path: impl Into<String>, document: impl Into<Bytes>) -> Self {
        Self {
            path: path.into(),
            content: PublicContent::Document(Document(document.into())),
            is_of_host: false,
        }
    }

    /// Calls [`Authenticate::respond`](crate::Authenticate::respond) for requests of all methods for
    /// exactly this path. Requests whose body has more than `body_limit` bytes are answered with 413.
    pub fn computed(path: impl Into<String>, body_limit: usize) -> Self {
        Self {
            path: path.into(),
            content: PublicContent::Computed { body_limit },
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

    /// Returns what it serves if a request is for this path.
    pub(crate) fn content_for(&self, parts: &Parts) -> Option<&PublicContent> {
        (parts.uri.path() == self.path).then_some(&self.content)
    }
}

impl Document {
    /// Responds to a request for the document.
    pub(crate) fn respond(&self, parts: &Parts) -> Response<HttpBody> {
        let body = match parts.method {
            Method::GET => HttpBody::whole(self.0.clone()),
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
        response
    }
}
