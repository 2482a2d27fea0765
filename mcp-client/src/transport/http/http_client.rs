//! [`HttpClient`]: sends one HTTP request, with authorization and redirects, and reads the body of
//! its response.

pub(super) mod connector;
mod liveness;
pub(super) mod url;

use std::borrow::Cow;
use std::io;
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use http::header::{LOCATION, SET_COOKIE, WWW_AUTHENTICATE};
use http::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper_util::client::legacy::connect::capture_connection;
use mcp_fetch::url::shown;
use mcp_types::peer_text::PeerText;
use mcp_types::rpc::{self, ErrorObject, Message};
use mcp_types::sse::{self, Decoder, SseError};
use tokio::time::timeout;

use super::post_queue::PostQueue;
use crate::protocol::authorize::{Authorize, AuthorizeRequest, AuthorizeResponse};
use crate::protocol::connection::timeout_pause::TimeoutPause;
use crate::protocol::error::{HttpError, TransportError};
use crate::protocol::lenient;
use connector::PoolClient;

/// The maximum number of redirects that are followed.
const REDIRECTS: usize = 4;

/// How many times a request is authorized again after it was rejected.
const ATTEMPTS: u32 = 3;

/// The maximum size of the body of a response that requires authorization, in bytes, and the time
/// to read it. A longer one is ignored.
const BODY: usize = 64 << 10;
const BODY_TIME: Duration = Duration::from_secs(5);

/// The maximum capacity that is reserved because of a `Content-Length`, in bytes.
const RESERVED: usize = 64 << 10;

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
            let mut response = respond(&self.pool, request).await?;
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
                    let text = timeout(BODY_TIME, read_all(body, BODY))
                        .await
                        .ok()
                        .and_then(Result::ok)
                        .unwrap_or_default();
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
            let location = response
                .headers()
                .get(LOCATION)
                .map_or(Cow::Borrowed(""), |location| {
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
        let mut headers = authorize
            .authorize(request)
            .await
            .map_err(HttpError::Authorize)?;
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

/// Sends a request, and waits for the response until its connection is closed.
async fn respond(
    pool: &PoolClient,
    mut request: Request<Full<Bytes>>,
) -> Result<Response<Incoming>, HttpError> {
    let connection = capture_connection(&mut request);
    let uri = request.uri().clone();
    let mut response = pin!(pool.request(request));
    tokio::select! {
        biased;
        response = &mut response => response.map_err(|error| {
            if error.is_connect() {
                let origin = url::origin(&uri);
                let source = error.into();
                HttpError::Connect { origin, source }
            } else {
                HttpError::Exchange(error.into())
            }
        }),
        () = liveness::closed(connection) => {
            let error = io::Error::from(io::ErrorKind::ConnectionAborted);
            Err(HttpError::Exchange(error.into()))
        }
    }
}

/// Returns the next bytes of a body; `None` at the end.
async fn chunk(body: &mut Incoming) -> Result<Option<Bytes>, HttpError> {
    while let Some(frame) = body.frame().await {
        // Trailers are ignored.
        if let Ok(bytes) = frame.map_err(HttpError::exchange)?.into_data() {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

/// Reads a body of at most `limit` bytes.
pub(super) async fn read_all(mut body: Incoming, limit: usize) -> Result<Bytes, TransportError> {
    let too_long = |bytes: u64| bytes > limit as u64;
    if too_long(body.size_hint().lower()) {
        return Err(TransportError::TooLong { limit });
    }
    let Some(first) = chunk(&mut body).await? else {
        return Ok(Bytes::new());
    };
    if body.is_end_stream() && !too_long(first.len() as u64) {
        return Ok(first);
    }
    let expected = usize::try_from(body.size_hint().lower()).unwrap_or_default();
    // The server may declare a larger size than it sends.
    let capacity = first.len().saturating_add(expected.min(RESERVED));
    let mut all = Vec::with_capacity(capacity.min(limit));
    let mut next = Some(first);
    while let Some(bytes) = next {
        if too_long(all.len() as u64 + bytes.len() as u64) {
            return Err(TransportError::TooLong { limit });
        }
        all.extend_from_slice(&bytes);
        next = chunk(&mut body).await?;
    }
    Ok(all.into())
}

/// Returns the error of the protocol that a body contains, whichever request it names: the server
/// may not have read the id.
pub(super) fn error_object(text: &[u8]) -> Option<ErrorObject> {
    match rpc::parse(text) {
        Ok(Message::Error { error, .. }) => Some(lenient::error_object(error.get())),
        _ => None,
    }
}

/// A body of server-sent events.
pub(super) struct Events {
    /// The number of the session to which the events belong.
    pub(super) session: u64,
    body: Incoming,
    unread: Bytes,
    decoder: Decoder,
    /// Reading pauses while this queue is full.
    post_queue: Arc<PostQueue>,
}

impl Events {
    /// Reads events of at most `limit` bytes each.
    pub(super) fn new(
        session: u64,
        body: Incoming,
        limit: usize,
        post_queue: Arc<PostQueue>,
    ) -> Self {
        Self {
            session,
            body,
            post_queue,
            unread: Bytes::new(),
            decoder: Decoder::new(limit),
        }
    }

    /// Calls `handle` for each event and each decoding error, until it breaks or the stream ends.
    pub(super) async fn for_each<T>(
        &mut self,
        mut handle: impl FnMut(Result<sse::Message<'_>, SseError>) -> ControlFlow<T>,
    ) -> Result<Option<T>, TransportError> {
        loop {
            let mut input: &[u8] = &self.unread;
            loop {
                let flow = match self.decoder.next(&mut input) {
                    Ok(None) => break,
                    Ok(Some(event)) => handle(Ok(event)),
                    Err(error) => handle(Err(error)),
                };
                if let ControlFlow::Break(value) = flow {
                    let read = self.unread.len() - input.len();
                    self.unread.advance(read);
                    return Ok(Some(value));
                }
            }
            self.post_queue.ready().await;
            match chunk(&mut self.body).await? {
                None => return Ok(None),
                Some(bytes) => self.unread = bytes,
            }
        }
    }

    /// Returns the decoder, which knows the last id and the pause before the stream is resumed.
    pub(super) fn decoder(&self) -> &Decoder {
        &self.decoder
    }
}
