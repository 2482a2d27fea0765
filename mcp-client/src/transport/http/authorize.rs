//! [`Authorize`]: provides the header `Authorization`.

use std::future::Future;
use std::pin::Pin;

use http::{HeaderMap, HeaderValue, StatusCode, Uri};

use crate::protocol::error::AuthorizeError;

/// The result of an [`Authorize`] method: the value of the header `Authorization`, including the
/// scheme, or none.
pub type Token<'a> =
    Pin<Box<dyn Future<Output = Result<Option<String>, AuthorizeError>> + Send + 'a>>;

/// Authorizes requests over HTTP.
///
/// ```
/// use mcp_client::{Authorize, Challenge, Http, Token};
///
/// struct Fixed(String);
///
/// impl Authorize for Fixed {
///     fn authorization<'a>(&'a self, _url: &'a http::Uri) -> Token<'a> {
///         Box::pin(async { Ok(Some(format!("Bearer {}", self.0))) })
///     }
///
///     fn challenged<'a>(&'a self, challenge: Challenge<'a>) -> Token<'a> {
///         let asked = challenge.headers.get("www-authenticate");
///         eprintln!("{} is refused: {asked:?}", challenge.url);
///         Box::pin(async { Ok(None) })
///     }
/// }
///
/// let server = Http::new("http://127.0.0.1:8080/mcp").auth(Fixed("secret".into()));
/// ```
pub trait Authorize: Send + Sync {
    /// Called before every request. The URL is that of the server, or of the same origin.
    fn authorization<'a>(&'a self, url: &'a Uri) -> Token<'a>;

    /// Called when the server rejects a request with 401 or 403. With a value, the request is sent once
    /// more; with `None`, the call fails with [`HttpError::Unauthorized`](crate::HttpError).
    ///
    /// Several calls may be rejected at the same time. If there is already a newer token than
    /// [`used`](Challenge::used), return it.
    fn challenged<'a>(&'a self, challenge: Challenge<'a>) -> Token<'a> {
        let _ = challenge;
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// A request that the server rejected because of its authorization.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Challenge<'a> {
    /// The URL of the request.
    pub url: &'a Uri,
    /// 401 or 403.
    pub status: StatusCode,
    /// The headers of the response, among them `WWW-Authenticate`.
    pub headers: &'a HeaderMap,
    /// The value of `Authorization` that was refused.
    pub used: Option<&'a HeaderValue>,
}
