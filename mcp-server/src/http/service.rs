//! [`HttpService`]: the endpoint as a service of tower.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes, BytesMut};
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use mcp_types::rpc::Message;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;
use tower_service::Service;

use super::answer::{self, HttpBody};
use super::guard::{self, HttpConfig, Refusal};
use super::line::Line;
use crate::context::Extensions;
use crate::engine::{Accepted, Read, Via};
use crate::lifecycle::LISTEN;
use crate::race::{Either, race};
use crate::server::Server;

/// An endpoint of Streamable HTTP, for any path of any stack that takes services of tower: axum's
/// `fallback_service` and `route_service`, hyper by `TowerToHyperService`. Cheap to clone.
#[derive(Clone)]
pub struct HttpService {
    endpoint: Arc<Endpoint>,
}

struct Endpoint {
    server: Server,
    config: HttpConfig,
    places: Arc<Semaphore>,
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
        let places = Arc::new(Semaphore::new(self.limits().concurrent_requests));
        HttpService {
            endpoint: Arc::new(Endpoint {
                server: self,
                config,
                places,
            }),
        }
    }
}

impl HttpService {
    /// Answers a request. It is given up when the future is dropped, or the body of the response
    /// before its end.
    pub(super) fn respond<B>(&self, request: Request<B>) -> HttpFuture
    where
        B: Body + Send + 'static,
        B::Data: Send,
    {
        let endpoint = Arc::clone(&self.endpoint);
        HttpFuture(Box::pin(async move { endpoint.respond(request).await }))
    }
}

/// The response of an [`HttpService`] that is to come.
#[must_use = "a future does nothing until it is polled"]
pub struct HttpFuture(Pin<Box<dyn Future<Output = Response<HttpBody>> + Send>>);

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
        self.respond(request)
    }
}

impl Endpoint {
    async fn respond<B: Body>(&self, request: Request<B>) -> Response<HttpBody> {
        let (parts, body) = request.into_parts();
        if let Err(refusal) = self.config.check(&parts) {
            return answer::refusal(refusal);
        }
        if parts.method != Method::POST {
            return answer::not_allowed("POST");
        }
        if let Err(refusal) = guard::check_media(&parts) {
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
        self.modern(parts, &bytes, permit).await
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
        match race(read, sleep(limits.request_time)).await {
            Either::First(body) => body,
            Either::Second(()) => Err(Refusal(
                StatusCode::REQUEST_TIMEOUT,
                "the body took too long",
            )),
        }
    }

    async fn modern(
        &self,
        parts: http::request::Parts,
        bytes: &[u8],
        permit: OwnedSemaphorePermit,
    ) -> Response<HttpBody> {
        let limits = self.server.limits();
        let line = Arc::new(Line::new(limits.queued_bytes));
        let outlet: Arc<Line> = Arc::clone(&line);
        let via = Via {
            outlet,
            session: None,
            session_id: None,
            extensions: Arc::new(Extensions::of_http(parts)),
        };
        let (accepted, permit) = match self.server.read(bytes, None) {
            Ok(Read::One(Message::Result { .. } | Message::Error { .. }) | Read::Batch(_))
            | Err(None) => {
                let what = "an answer, and nothing was asked";
                return answer::refusal(Refusal(StatusCode::BAD_REQUEST, what));
            }
            Err(Some(fault)) => return answer::answer(fault),
            Ok(Read::One(message)) => {
                // Subscriptions last, and have a limit of their own.
                let listens = message.method() == Some(LISTEN);
                let accepted = self.server.dispatch(message, &via);
                (accepted, (!listens).then_some(permit))
            }
        };
        match accepted {
            Accepted::Nothing | Accepted::Cancel(_) => answer::empty(StatusCode::ACCEPTED),
            Accepted::Answer(answer) | Accepted::Session(_, answer) => answer::answer(answer),
            Accepted::Notification(handler) => {
                if let Either::Second(()) = race(handler, sleep(limits.request_time)).await {
                    tracing::warn!("a notification took too long");
                }
                answer::empty(StatusCode::ACCEPTED)
            }
            Accepted::Call(call) => answer::call(call, line, limits.keep_alive, permit).await,
        }
    }
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
