//! [`Authorize`]: authorizes requests over HTTP.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use http::{HeaderMap, Method, StatusCode, Uri};

use super::error::AuthorizeError;
use mcp_fetch::url::shown;

/// The future that an [`Authorize`] method returns.
pub type AuthorizeFuture<'a, T> =
    Pin<Box<dyn Future<Output = Result<T, AuthorizeError>> + Send + 'a>>;

/// Authorizes requests over HTTP. `OAuth` of the crate `mcp-client-oauth` implements it as the
/// specification describes; implement it for other schemes.
///
/// ```
/// use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
/// use mcp_client::{Authorize, AuthorizeFuture, AuthorizeRequest, AuthorizeResponse, Http};
///
/// struct Fixed(HeaderValue);
///
/// impl Authorize for Fixed {
///     fn authorize<'a>(&'a self, _request: AuthorizeRequest<'a>) -> AuthorizeFuture<'a, HeaderMap> {
///         Box::pin(async { Ok(HeaderMap::from_iter([(AUTHORIZATION, self.0.clone())])) })
///     }
///
///     fn rejected<'a>(&'a self, response: AuthorizeResponse<'a>) -> AuthorizeFuture<'a, bool> {
///         let asked = response.headers.get("www-authenticate");
///         eprintln!("{} is refused: {asked:?}", response.request.url);
///         Box::pin(async { Ok(false) }) // The request is not sent again.
///     }
/// }
///
/// let token = HeaderValue::from_static("Bearer secret");
/// let server = Http::new("http://127.0.0.1:8080/mcp").auth(Fixed(token));
/// ```
pub trait Authorize: Send + Sync {
    /// Returns the headers that authorize a request, such as `Authorization`. Called before each
    /// attempt to send a request.
    fn authorize<'a>(&'a self, request: AuthorizeRequest<'a>) -> AuthorizeFuture<'a, HeaderMap>;

    /// Called when the server rejects a request with 401 or 403. With `true`, the request is
    /// authorized and sent again, at most three times; with `false`, the call fails with
    /// [`HttpError::Unauthorized`](crate::HttpError).
    ///
    /// Several requests may be rejected at the same time. If there is already a newer token than
    /// the one in [`sent`](AuthorizeResponse::sent), return `true`.
    ///
    /// The timeout of the call pauses while this runs, for at most
    /// [`Limits::authorize_time`](crate::Limits): a user may have to log in.
    fn rejected<'a>(&'a self, response: AuthorizeResponse<'a>) -> AuthorizeFuture<'a, bool> {
        let _ = response;
        Box::pin(std::future::ready(Ok(false)))
    }

    /// Called for each response, before [`rejected`](Self::rejected).
    fn received(&self, response: AuthorizeResponse<'_>) {
        let _ = response;
    }
}

/// A request that is about to be sent.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct AuthorizeRequest<'a> {
    /// The URL of the server.
    pub server: &'a Uri,
    /// The URL of the request: that of the server, or another one of the same origin.
    pub url: &'a Uri,
    /// The method.
    pub method: &'a Method,
    /// How many times the request was sent before and rejected: 0 at first, at most 3.
    pub attempt: u32,
}

impl<'a> AuthorizeRequest<'a> {
    /// Creates the first attempt of a request to the server itself, for programs that send requests
    /// without a [`Client`](crate::Client), such as proxies.
    #[must_use]
    pub fn new(server: &'a Uri, method: &'a Method) -> Self {
        Self {
            server,
            url: server,
            method,
            attempt: 0,
        }
    }
}

impl<'a> AuthorizeResponse<'a> {
    /// Creates the response to a request that was sent with these headers of
    /// [`authorize`](Authorize::authorize).
    #[must_use]
    pub fn new(
        request: AuthorizeRequest<'a>,
        sent: &'a HeaderMap,
        status: StatusCode,
        headers: &'a HeaderMap,
    ) -> Self {
        Self {
            request,
            sent,
            status,
            headers,
        }
    }
}

/// Shows no query, which may contain a secret.
impl fmt::Debug for AuthorizeRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorizeRequest")
            .field("server", &shown(&self.server.to_string()))
            .field("url", &shown(&self.url.to_string()))
            .field("method", self.method)
            .field("attempt", &self.attempt)
            .finish()
    }
}

/// A response.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AuthorizeResponse<'a> {
    /// The request.
    pub request: AuthorizeRequest<'a>,
    /// The headers that [`authorize`](Authorize::authorize) returned for the request.
    pub sent: &'a HeaderMap,
    /// The status.
    pub status: StatusCode,
    /// The headers of the response, such as `WWW-Authenticate`.
    pub headers: &'a HeaderMap,
}
