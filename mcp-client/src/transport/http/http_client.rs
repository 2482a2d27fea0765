//! [`HttpClient`]: sends one HTTP request, with authorization and redirects.

pub(super) mod body;
pub(super) mod connector;
mod liveness;
pub(super) mod url;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{LOCATION, SET_COOKIE, WWW_AUTHENTICATE};
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use hyper::body::Incoming;
use mcp_types::peer_text::PeerText;
use tokio::time::timeout;

use crate::protocol::authorize::{Authorize, AuthorizeRequest, AuthorizeResponse};
use crate::protocol::connection::timeout_pause::TimeoutPause;
use crate::protocol::error::HttpError;
use body::{error_object, read_all};
use connector::PoolClient;
use http_body_util::Full;
use mcp_fetch::url::shown;

/// The maximum number of redirects that are followed.
const REDIRECTS: usize = 4;

/// How many times a request is authorized again after it was rejected.
const ATTEMPTS: u32 = 3;

/// The maximum size of the body of a response that requires authorization, in bytes, and the time
/// to read it. A longer one is ignored.
const BODY: usize = 64 << 10;
const BODY_TIME: Duration = Duration::from_secs(5);

/// Sends HTTP requests to a server.
pub(super) struct HttpClient {
    pub(super) pool: PoolClient,
    pub(super) url: Uri,
    /// Headers that the program adds to every request.
    pub(super) headers: HeaderMap,
    pub(super) authorize: Option<Arc<dyn Authorize>>,
    /// Pauses the timeouts of calls while the program authorizes a request.
    pub(super) pause: TimeoutPause,
}

impl HttpClient {
    /// Sends a request with the headers that `set_headers` adds, and returns the response with any
    /// status. Redirects and requests for authorization are handled here, or are errors.
    pub(super) async fn send(
        &self,
        method: Method,
        url: &Uri,
        body: Bytes,
        set_headers: impl Fn(&mut HeaderMap),
    ) -> Result<Response<Incoming>, HttpError> {
        let mut url = Cow::Borrowed(url);
        let mut attempt = 0;
        let mut redirects = 0;
        loop {
            let asked = AuthorizeRequest {
                server: &self.url,
                url: &url,
                method: &method,
                attempt,
            };
            let sent = self.headers_for(asked).await?;
            let mut request = Request::new(Full::new(body.clone()));
            *request.method_mut() = method.clone();
            *request.uri_mut() = url.as_ref().clone();
            let headers = request.headers_mut();
            if !self.headers.is_empty() {
                headers.clone_from(&self.headers);
            }
            for (name, value) in &sent {
                headers.insert(name, value.clone());
            }
            set_headers(headers);
            let mut response = liveness::respond(&self.pool, request).await?;
            for (name, value) in response.headers_mut().iter_mut() {
                // Like the headers that authorize a request, it may be a secret.
                value.set_sensitive(*name == SET_COOKIE);
            }
            let status = response.status();
            let received = AuthorizeResponse {
                request: asked,
                sent: &sent,
                status,
                headers: response.headers(),
            };
            if let Some(authorize) = &self.authorize {
                authorize.received(received);
            }
            if matches!(status.as_u16(), 401 | 403) {
                if attempt < ATTEMPTS && self.authorizes_again(received).await? {
                    attempt += 1;
                    continue;
                }
                // With 403 and without a challenge, another authorization would not help.
                let asks = response.headers().contains_key(WWW_AUTHENTICATE);
                if asks || status == StatusCode::UNAUTHORIZED {
                    let (parts, body) = response.into_parts();
                    let text = timeout(BODY_TIME, read_all(body, BODY)).await;
                    let text = text.ok().and_then(Result::ok).unwrap_or_default();
                    return Err(HttpError::Unauthorized {
                        status,
                        headers: Box::new(parts.headers),
                        error: error_object(&text).map(Box::new),
                    });
                }
                return Ok(response);
            }
            if !status.is_redirection() {
                return Ok(response);
            }
            let location = response.headers().get(LOCATION);
            let location = location.map_or(Cow::Borrowed(""), |location| {
                String::from_utf8_lossy(location.as_bytes())
            });
            redirects += 1;
            let follows = matches!(status.as_u16(), 307 | 308) && redirects <= REDIRECTS;
            match url::resolve(&url, &location) {
                Some(next) if follows => url = Cow::Owned(next),
                _ => {
                    let location = PeerText(&shown(&location)).to_string();
                    return Err(HttpError::Redirect { status, location });
                }
            }
        }
    }

    async fn headers_for(&self, request: AuthorizeRequest<'_>) -> Result<HeaderMap, HttpError> {
        let Some(authorize) = &self.authorize else {
            return Ok(HeaderMap::new());
        };
        let headers = authorize.authorize(request).await;
        let mut headers = headers.map_err(HttpError::Authorize)?;
        for value in headers.values_mut() {
            value.set_sensitive(true);
        }
        Ok(headers)
    }

    async fn authorizes_again(&self, response: AuthorizeResponse<'_>) -> Result<bool, HttpError> {
        let Some(authorize) = &self.authorize else {
            return Ok(false);
        };
        let _paused = self.pause.begin();
        let again = authorize.rejected(response).await;
        again.map_err(HttpError::Authorize)
    }
}
