//! [`HttpService`]: the endpoint as a service of tower.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::Weak;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes, BytesMut};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use mcp_types::rpc::Message;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;
use tower_service::Service;

use super::answer::{self, HttpBody};
use super::channel::{self, Channels, channel_id};
use super::events::{EventStore, MemoryEvents};
use super::guard::{self, HttpConfig, Refusal};
use super::line::Line;
use super::{legacy, sessions::Sessions};
use crate::changes::BusReceiver;
use crate::context::Extensions;
use crate::engine::{Accepted, Read, Via};
use crate::lifecycle::{INITIALIZE, LISTEN};
use crate::race::{Either, race};
use crate::server::Server;

/// An endpoint of Streamable HTTP, for any path of any stack that takes services of tower: axum's
/// `fallback_service` and `route_service`, hyper by `TowerToHyperService`. Cheap to clone.
#[derive(Clone)]
pub struct HttpService {
    endpoint: Arc<Endpoint>,
}

pub(super) struct Endpoint {
    pub(super) server: Server,
    config: HttpConfig,
    places: Arc<Semaphore>,
    pub(super) channels: Arc<Channels>,
    pub(super) sessions: Sessions,
    pub(super) events: Arc<dyn EventStore>,
}

impl Server {
    /// The server as an endpoint of Streamable HTTP.
    ///
    /// ```
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// use mcp_server::{HttpConfig, Server};
    ///
    /// let server = Server::builder("calculator", "1.0.0").build()?;
    /// let service = server.into_service(HttpConfig::new().allow_hosts(["mcp.example.com"]));
    /// let app: axum::Router = axum::Router::new().route_service("/mcp", service);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn into_service(self, config: HttpConfig) -> HttpService {
        #[cfg(feature = "seal")]
        config.warn_of_random_keys(&self);
        let places = Arc::new(Semaphore::new(self.limits().concurrent_requests));
        let sessions = Sessions::new(config.sessions.clone(), self.limits());
        let events = config
            .events
            .clone()
            .unwrap_or_else(|| Arc::new(MemoryEvents::new(self.limits().kept_events)));
        let endpoint = Arc::new(Endpoint {
            server: self,
            config,
            places,
            channels: Arc::default(),
            sessions,
            events,
        });
        if let Some(bus) = &endpoint.server.inner.bus {
            let receiver: Weak<dyn BusReceiver> = Arc::<Endpoint>::downgrade(&endpoint);
            bus.attach(receiver);
        }
        HttpService { endpoint }
    }
}

impl HttpService {
    /// Answers a request. It is given up when the future is dropped, or the body of the response
    /// before its end.
    pub(super) fn respond<B>(&self, request: Request<B>, remote: Option<SocketAddr>) -> HttpFuture
    where
        B: Body + Send + 'static,
        B::Data: Send,
    {
        let endpoint = Arc::clone(&self.endpoint);
        let (parts, body) = request.into_parts();
        // Moved a few times.
        let parts = Arc::new(parts);
        HttpFuture::new(endpoint.respond(parts, body, remote))
    }
}

/// The response of an [`HttpService`] that is to come.
#[must_use = "a future does nothing until it is polled"]
pub struct HttpFuture(Pin<Box<dyn Future<Output = Response<HttpBody>> + Send>>);

impl HttpFuture {
    pub(crate) fn new(future: impl Future<Output = Response<HttpBody>> + Send + 'static) -> Self {
        Self(Box::pin(future))
    }
}

impl Future for HttpFuture {
    type Output = Result<Response<HttpBody>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(task).map(Ok)
    }
}

impl<B> Service<Request<B>> for HttpService
where
    B: Body + Send + 'static,
    B::Data: Send,
{
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = HttpFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> HttpFuture {
        self.respond(request, None)
    }
}

impl Endpoint {
    async fn respond<B: Body>(
        self: Arc<Self>,
        parts: Arc<Parts>,
        body: B,
        remote: Option<SocketAddr>,
    ) -> Response<HttpBody> {
        if let Err(refusal) = self.config.check(&parts) {
            return answer::refusal(refusal);
        }
        if parts.method != Method::POST {
            return Box::pin(self.other_method(&parts)).await;
        }
        let channel = channel_id(self.config.http_sse.as_deref(), &parts);
        // Clients of that transport say nothing of what they read.
        let checked = match channel {
            Some(_) => guard::check_content(&parts),
            None => guard::check_media(&parts),
        };
        if let Err(refusal) = checked {
            return answer::refusal(refusal);
        }
        let permit = match self.place() {
            Ok(permit) => permit,
            Err(refusal) => return answer::refusal(refusal),
        };
        let bytes = match self.body(body).await {
            Ok(bytes) => bytes,
            Err(refusal) => return answer::refusal(refusal),
        };
        if let Some(id) = channel.map(str::to_owned) {
            let extensions = Extensions::of_http(parts, remote);
            let response = Box::pin(self.post_channel(&id, extensions, &bytes, permit));
            return response.await.unwrap_or_else(answer::refusal);
        }
        if let Some(id) = legacy::session_id(&parts) {
            match self.entry_of(id, &parts).await {
                Ok(entry) => {
                    let extensions = Arc::new(Extensions::of_http(parts, remote));
                    let response = self.post(&entry, extensions, &bytes, permit).await;
                    return response.unwrap_or_else(answer::refusal);
                }
                Err(refusal) if !legacy::is_modern(&bytes) => return answer::refusal(refusal),
                Err(_) => {}
            }
        }
        let extensions = Arc::new(Extensions::of_http(parts, remote));
        self.modern(extensions, &bytes, permit).await
    }

    /// GET and DELETE are of sessions.
    async fn other_method(&self, parts: &Parts) -> Response<HttpBody> {
        if guard::is_modern(parts) {
            return answer::not_allowed("POST");
        }
        let channel = channel::opens(self.config.http_sse.as_deref(), parts);
        let response = match parts.method {
            Method::GET if channel => self.open_channel(parts),
            Method::GET => self.get(parts).await,
            Method::DELETE => self.delete(parts).await,
            _ => return answer::not_allowed("GET, POST, DELETE"),
        };
        response.unwrap_or_else(answer::refusal)
    }

    /// Lets the handler of a notification run.
    pub(super) async fn notified(&self, handler: impl Future<Output = ()>) {
        let limit = self.server.limits().request_time;
        if let Either::Second(()) = Box::pin(race(handler, sleep(limit))).await {
            tracing::warn!("a notification took too long");
        }
    }

    /// A place among the requests that run at once.
    fn place(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let busy = |what| Refusal(StatusCode::SERVICE_UNAVAILABLE, what);
        if self.server.inner.stopping.is_set() {
            return Err(busy("the server is shutting down"));
        }
        let place = Arc::clone(&self.places).try_acquire_owned();
        place.map_err(|_| busy("too many requests at once"))
    }

    async fn body<B: Body>(&self, body: B) -> Result<Bytes, Refusal> {
        let limits = self.server.limits();
        let mut read = pin!(read(body, limits.message_bytes));
        // Most bodies are there at once, and need no clock.
        let at_once = poll_fn(|task| match read.as_mut().poll(task) {
            Poll::Ready(body) => Poll::Ready(Some(body)),
            Poll::Pending => Poll::Ready(None),
        });
        if let Some(body) = at_once.await {
            return body;
        }
        match Box::pin(race(read, sleep(limits.request_time))).await {
            Either::First(body) => body,
            Either::Second(()) => Err(Refusal(
                StatusCode::REQUEST_TIMEOUT,
                "the body took too long",
            )),
        }
    }

    async fn modern(
        &self,
        extensions: Arc<Extensions>,
        bytes: &[u8],
        permit: OwnedSemaphorePermit,
    ) -> Response<HttpBody> {
        let limits = self.server.limits();
        let line = Arc::new(Line::new(limits.queued_bytes));
        let outlet: Arc<Line> = Arc::clone(&line);
        let mut via = Via {
            outlet,
            session: None,
            session_id: None,
            extensions,
            #[cfg(feature = "versioned-resources")]
            subscribed: None,
        };
        let message = match self.server.read(bytes, None) {
            Ok(Read::One(Message::Result { .. } | Message::Error { .. }) | Read::Batch(_))
            | Err(None) => {
                let what = "an answer, and nothing was asked";
                return answer::refusal(Refusal(StatusCode::BAD_REQUEST, what));
            }
            Err(Some(fault)) => return answer::answer(fault),
            Ok(Read::One(message)) => message,
        };
        if message.method() == Some(INITIALIZE) {
            via.session_id = match new_id() {
                Ok(id) => Some(id.into()),
                Err(refusal) => return answer::refusal(refusal),
            };
        }
        // Subscriptions last, and have a limit of their own.
        let permit = (message.method() != Some(LISTEN)).then_some(permit);
        let accepted = self.server.dispatch(message, &via);
        match accepted {
            Accepted::Nothing | Accepted::Cancel(_) => answer::empty(StatusCode::ACCEPTED),
            Accepted::Answer(answer) => answer::answer(answer),
            Accepted::Session(session, answer) => Box::pin(self.begin(session, answer)).await,
            Accepted::Notification(handler) => {
                self.notified(handler).await;
                answer::empty(StatusCode::ACCEPTED)
            }
            Accepted::Call(call) => answer::call(call, line, limits.keep_alive, permit).await,
        }
    }
}

/// A new id: 128 bits that nobody can guess.
pub(super) fn new_id() -> Result<String, Refusal> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        tracing::error!(%error, "no random numbers");
        Refusal(StatusCode::SERVICE_UNAVAILABLE, "no random numbers")
    })?;
    let digit = |four: u8| char::from_digit(four.into(), 16).unwrap_or_default();
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let mut id = String::with_capacity(2 * bytes.len());
    id.extend(digits.map(digit));
    Ok(id)
}

/// Reads a body; one that comes in one piece is not copied.
async fn read<B: Body>(body: B, limit: usize) -> Result<Bytes, Refusal> {
    let too_large = || Refusal(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    if body.size_hint().lower() > limit {
        return Err(too_large());
    }
    let mut body = pin!(body);
    let mut whole = Bytes::new();
    let mut rest = BytesMut::new();
    while let Some(frame) = poll_fn(|task| body.as_mut().poll_frame(task)).await {
        let frame = frame.map_err(|_| {
            let what = "the body could not be read";
            Refusal(StatusCode::BAD_REQUEST, what)
        })?;
        let Ok(mut data) = frame.into_data() else {
            continue;
        };
        let size = whole.len() + rest.len() + data.remaining();
        if size as u64 > limit {
            return Err(too_large());
        }
        if whole.is_empty() && rest.is_empty() {
            whole = data.copy_to_bytes(data.remaining());
            continue;
        }
        if rest.is_empty() {
            rest.extend_from_slice(&whole);
            whole = Bytes::new();
        }
        while data.has_remaining() {
            let chunk = data.chunk();
            rest.extend_from_slice(chunk);
            let size = chunk.len();
            data.advance(size);
        }
    }
    if rest.is_empty() {
        return Ok(whole);
    }
    Ok(rest.freeze())
}

impl std::fmt::Debug for HttpService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpService")
            .field("server", &self.endpoint.server)
            .field("config", &self.endpoint.config)
            .finish_non_exhaustive()
    }
}
