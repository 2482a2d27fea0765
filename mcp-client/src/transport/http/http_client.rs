//! [`HttpClient`]: sends one HTTP request, with authorization and redirects.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, LOCATION, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use hyper::body::Incoming;
use mcp_types::peer_text::PeerText;

use super::authorize::{Authorize, Challenge};
use super::connector::PoolClient;
use super::liveness;
use super::url;
use crate::protocol::error::HttpError;
use crate::util::http_body::Full;

/// The maximum number of redirects that are followed.
const REDIRECTS: usize = 4;

/// Sends HTTP requests to a server.
pub(super) struct HttpClient {
    pub(super) pool: PoolClient,
    pub(super) url: Uri,
    /// Headers that the program adds to every request.
    pub(super) headers: HeaderMap,
    pub(super) authorize: Option<Arc<dyn Authorize>>,
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
        let mut token = match &self.authorize {
            Some(authorize) => header_value(authorize.authorization(&url).await)?,
            None => None,
        };
        let mut has_new_token = false;
        let mut redirects = 0;
        loop {
            let mut request = Request::new(Full::new(body.clone()));
            *request.method_mut() = method.clone();
            *request.uri_mut() = url.as_ref().clone();
            let headers = request.headers_mut();
            if !self.headers.is_empty() {
                headers.clone_from(&self.headers);
            }
            set_headers(headers);
            if let Some(token) = &token {
                headers.insert(AUTHORIZATION, token.clone());
            }
            let response = liveness::respond(&self.pool, request).await?;
            let status = response.status();
            if matches!(status.as_u16(), 401 | 403) {
                let new = match &self.authorize {
                    Some(authorize) if !has_new_token => {
                        let challenge = Challenge {
                            url: &url,
                            status,
                            headers: response.headers(),
                            used: token.as_ref(),
                        };
                        header_value(authorize.challenged(challenge).await)?
                    }
                    _ => None,
                };
                if new.is_some() {
                    has_new_token = true;
                    token = new;
                    continue;
                }
                // With 403 and without a challenge, another authorization would not help.
                let asks = response.headers().contains_key(WWW_AUTHENTICATE);
                if asks || status == StatusCode::UNAUTHORIZED {
                    let headers = Box::new(response.into_parts().0.headers);
                    return Err(HttpError::Unauthorized { status, headers });
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
                    let location = PeerText(&location).to_string();
                    return Err(HttpError::Redirect { status, location });
                }
            }
        }
    }
}

fn header_value(
    token: Result<Option<String>, crate::protocol::error::AuthorizeError>,
) -> Result<Option<HeaderValue>, HttpError> {
    let Some(token) = token.map_err(HttpError::Authorize)? else {
        return Ok(None);
    };
    let value = HeaderValue::try_from(token);
    let mut value = value.map_err(|error| HttpError::Authorize(error.into()))?;
    value.set_sensitive(true);
    Ok(Some(value))
}
