//! [`Forward`]: sends a request of the host on to the server, and records both directions.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use http_body::Body;
use http_body_util::{BodyExt, Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use hyper::http::uri::PathAndQuery;
use hyper::{HeaderMap, Request, Response, StatusCode, Uri};
use mcp_client_oauth::OAuth;

use super::body::{Tap, Tapped};
use super::headers;
use super::login::send_with_token;
use super::pool::Pool;
use crate::output::print_error;
use crate::recording::format::{HttpPart, Side};
use crate::recording::recorder::Recorder;
use crate::secrets;

/// The number of sessions that are numbered.
const SESSIONS: usize = 10_000;

/// The maximum size in bytes of a request that can be sent again after a login.
const KEPT: u64 = 16 << 20;

/// A body that passes, or one of this program.
pub(super) type Answer = Either<Tapped, Full<Bytes>>;

/// Forwards requests to a server.
pub(super) struct Forward {
    pub(super) pool: Pool<Answer>,
    pub(super) url: Uri,
    /// Headers that are added to each request.
    pub(super) added: HeaderMap,
    /// The tokens for requests of a host that has none.
    pub(super) login: Option<OAuth>,
    pub(super) recorder: Recorder,
    pub(super) keeps_secrets: bool,
    /// The maximum size of a message that is recorded.
    pub(super) limit: usize,
    pub(super) exchanges: AtomicU64,
    /// The numbers of the sessions.
    pub(super) sessions: Mutex<HashMap<Vec<u8>, u64>>,
}

impl Forward {
    /// Answers a request of the host.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Answer>, Infallible> {
        if let Some(reason) = headers::rejected(request.headers()) {
            self.recorder.remark(reason);
            return Ok(failed(StatusCode::FORBIDDEN, reason));
        }
        let exchange = 1 + self.exchanges.fetch_add(1, Ordering::Relaxed);
        let Some(request) = self.request(request, exchange) else {
            let reason = "the path cannot be forwarded";
            return Ok(failed(StatusCode::BAD_REQUEST, reason));
        };
        let response = match self.send(request, exchange).await {
            Ok(response) => response,
            Err(error) => {
                let reason = format!("the server cannot be reached: {error}");
                self.recorder
                    .remark(&format!("request {exchange}: {reason}"));
                return Ok(failed(StatusCode::BAD_GATEWAY, &reason));
            }
        };
        Ok(self.response(response, exchange))
    }

    /// Sends a request, with the token of a login if the host sends none. Asks for a login as often
    /// as the client does.
    async fn send(
        &self,
        request: Request<Tapped>,
        exchange: u64,
    ) -> Result<Response<Incoming>, String> {
        let has_token = request.headers().contains_key(AUTHORIZATION);
        let login = self.login.as_ref().filter(|_| !has_token);
        // Only what is small is kept until the answer is there. Other requests of hosts are for
        // metadata.
        let is_small = request
            .body()
            .size_hint()
            .upper()
            .is_some_and(|size| size <= KEPT);
        let Some(login) = login.filter(|_| is_small && *request.uri() == self.url) else {
            return self.pool.send(request.map(Either::Left)).await;
        };
        let (parts, body) = request.into_parts();
        let body = body
            .collect()
            .await
            .map_err(|error| error.to_string())?
            .to_bytes();
        let send = |headers: HeaderMap| {
            let body = Either::Right(Full::new(body.clone()));
            let mut request = Request::from_parts(parts.clone(), body);
            request.headers_mut().extend(headers);
            self.pool.send(request)
        };
        // The host gets the answer of the server, and may log in itself.
        let report = |error: String| {
            let text = format!("request {exchange}: {error}");
            print_error(&text);
            self.recorder.remark(&text);
        };
        send_with_token(login, (&self.url, &parts.method), send, report).await
    }

    fn request(&self, request: Request<Incoming>, exchange: u64) -> Option<Request<Tapped>> {
        let (mut parts, body) = request.into_parts();
        let path = parts.uri.path_and_query().map_or("/", PathAndQuery::as_str);
        let http = HttpPart {
            exchange,
            method: Some(parts.method.to_string()),
            path: Some(self.shown(path)),
            session: self.session(&parts.headers),
            headers: headers::recorded(&parts.headers, self.keeps_secrets),
            ..HttpPart::default()
        };
        let tap = self.tap(Side::Client, http, &parts.headers);
        // The host was told the path of the URL without its query, which may be secret.
        let is_endpoint = path == self.url.path();
        let base = self.url.clone().into_parts();
        let mut target = Uri::builder()
            .scheme(base.scheme?)
            .authority(base.authority?);
        target = match base.path_and_query.filter(|_| is_endpoint) {
            Some(own) => target.path_and_query(own),
            None => target.path_and_query(path),
        };
        parts.uri = target.build().ok()?;
        headers::forward_request(&mut parts.headers);
        for (name, value) in &self.added {
            parts.headers.insert(name, value.clone());
        }
        Some(Request::from_parts(parts, tap.on(body)))
    }

    fn response(&self, response: Response<Incoming>, exchange: u64) -> Response<Answer> {
        let (mut parts, body) = response.into_parts();
        let http = HttpPart {
            exchange,
            status: Some(parts.status.as_u16()),
            session: self.session(&parts.headers),
            headers: headers::recorded(&parts.headers, self.keeps_secrets),
            ..HttpPart::default()
        };
        let tap = self.tap(Side::Server, http, &parts.headers);
        headers::forward(&mut parts.headers);
        Response::from_parts(parts, Either::Left(tap.on(body)))
    }

    fn tap(&self, from: Side, http: HttpPart, headers: &HeaderMap) -> Tap {
        let media_type = headers.get(CONTENT_TYPE);
        let media_type = media_type.and_then(|value| value.to_str().ok());
        // A compressed body cannot be read.
        let media_type = match headers.get(CONTENT_ENCODING) {
            Some(_) => "application/octet-stream",
            None => media_type.unwrap_or_default(),
        };
        Tap::new(self.recorder.clone(), from, http, media_type, self.limit)
    }

    fn shown(&self, path: &str) -> String {
        if self.keeps_secrets {
            path.to_owned()
        } else {
            secrets::path(path)
        }
    }

    /// Returns the number of the session that the headers name.
    fn session(&self, headers: &HeaderMap) -> Option<u64> {
        let id = headers.get("mcp-session-id")?.as_bytes();
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() == SESSIONS && !sessions.contains_key(id) {
            return None;
        }
        let next = sessions.len() as u64 + 1;
        Some(*sessions.entry(id.to_vec()).or_insert(next))
    }
}

fn failed(status: StatusCode, text: &str) -> Response<Answer> {
    headers::answer(status, text).map(Either::Right)
}
