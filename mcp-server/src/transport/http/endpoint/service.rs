//! [`HttpService`]: the endpoint as a tower service.

use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, AUTHORIZATION, COOKIE, HeaderValue, ORIGIN};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use tokio::time::{sleep, timeout};
use tower_service::Service;

use crate::protocol::caller::{Extensions, PeerAddress};
use crate::protocol::core::Core;
use crate::protocol::quota::PeerUsage;
use crate::protocol::quota::peer_key::PeerKey;
use crate::protocol::quota::permits::RequestPermit;
use crate::transport::http::authenticate::public_route::PublicContent;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::endpoint::http_sse::channel_id;
use crate::transport::http::endpoint::{Endpoint, http_sse, session, stopping};
use crate::transport::http::refusal::{AuthRefusal, Refusal};
use crate::transport::http::request::accept::AcceptedForms;
use crate::transport::http::request::{body, headers};
use crate::transport::http::response::body::{HttpBody, HttpFuture};
use crate::transport::http::response::unread_body::FusedBody;
use crate::transport::http::response::{answer, unread_body};
use crate::transport::http::session::table::Sessions;
use crate::transport::http::{config, proxy};
use crate::util::partial_debug::partial_debug;

/// An endpoint of Streamable HTTP as a tower service, for any path of any HTTP stack: axum's
/// `fallback_service` and `route_service`, hyper with `TowerToHyperService`. Cheap to clone.
///
/// Clients have to accept both JSON and event streams (`Accept`). A client that accepts one of them
/// only gets its responses in that form: without event streams, it receives no notifications of
/// requests, and a request of a legacy session whose handler sends messages is answered with 406.
#[derive(Clone)]
pub struct HttpService {
    endpoint: Arc<Endpoint>,
}

impl HttpService {
    pub(crate) fn new(server: Arc<Core>, config: HttpConfig) -> Self {
        let sessions = Arc::new(Sessions::new(&server));
        let endpoint = Arc::new(Endpoint {
            server,
            config,
            channels: Arc::default(),
            sessions,
        });
        endpoint.watch();
        if let Some(bus) = &endpoint.server.stores.bus {
            bus.attach(&endpoint);
        }
        Self { endpoint }
    }

    /// Returns `true` if the endpoint allows only local names.
    pub(crate) fn is_local(&self) -> bool {
        self.endpoint.config.is_local()
    }

    /// Returns `true` if the address is that of a trusted proxy.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.endpoint.config.is_trusted(address.to_canonical())
    }

    /// Handles a request. It is cancelled if the future, or the body of the response, is dropped.
    pub(crate) fn respond<B>(&self, request: Request<B>, remote: Option<RemotePeer>) -> HttpFuture
    where
        B: Body + Send + 'static,
        B::Data: Send,
    {
        let endpoint = Arc::clone(&self.endpoint);
        let (mut parts, body) = request.into_parts();
        let version = parts.version;
        let address = remote.as_ref().map(|remote| remote.address);
        proxy::attach(&endpoint.config, &mut parts, address);
        hide_credentials(&mut parts);
        // In an `Arc`, because the parts are large and moved several times.
        let parts = Arc::new(parts);
        if let Some(authenticator) = &endpoint.config.authenticator
            && let Some(route) = authenticator.public_route(&parts)
        {
            let response = match route {
                PublicContent::Document(document) => document.respond(&parts),
                PublicContent::Computed { body_limit } => {
                    let limit = *body_limit;
                    let response = endpoint.respond_publicly(parts, body, limit, remote);
                    return HttpFuture::new(version, response);
                }
            };
            endpoint.server.counters.request();
            return HttpFuture::new(version, std::future::ready(response));
        }
        if parts.headers.contains_key(ORIGIN) {
            return HttpFuture::new(version, endpoint.respond_to_page(parts, body, remote));
        }
        HttpFuture::new(version, endpoint.respond(parts, body, remote))
    }
}

/// The client of a connection of `serve_http`.
pub(crate) struct RemotePeer {
    pub(crate) address: SocketAddr,
    pub(crate) usage: Arc<PeerUsage>,
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

/// Marks the headers with credentials as sensitive, so that `Debug` does not show their values.
pub(crate) fn hide_credentials(parts: &mut Parts) {
    for name in [AUTHORIZATION, COOKIE] {
        if let http::header::Entry::Occupied(mut values) = parts.headers.entry(name) {
            values
                .iter_mut()
                .for_each(|value| value.set_sensitive(true));
        }
    }
}

impl Endpoint {
    /// Handles a request. Rejections are counted and become responses here.
    pub(crate) async fn respond<B: Body>(
        self: Arc<Self>,
        parts: Arc<Parts>,
        body: B,
        remote: Option<RemotePeer>,
    ) -> Response<HttpBody> {
        self.server.counters.request();
        let mut body = pin!(FusedBody::new(body, &parts));
        let response = self.handle(parts, body.as_mut(), remote).await;
        self.complete(response, body).await
    }

    /// Handles a request for a public route whose response the [`Authenticate`](crate::Authenticate)
    /// computes.
    async fn respond_publicly<B: Body>(
        self: Arc<Self>,
        parts: Arc<Parts>,
        body: B,
        body_limit: usize,
        remote: Option<RemotePeer>,
    ) -> Response<HttpBody> {
        self.server.counters.request();
        let mut body = pin!(FusedBody::new(body, &parts));
        let response = self.compute(&parts, body.as_mut(), body_limit, remote);
        let response = response.await;
        let is_refused = response.is_err();
        let mut response = self.complete(response, body).await;
        if is_refused {
            // Clients in browsers read why. It is the same for everybody, and contains no secrets.
            let headers = response.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        }
        response
    }

    async fn compute<B: Body>(
        &self,
        parts: &Parts,
        body: B,
        body_limit: usize,
        remote: Option<RemotePeer>,
    ) -> Result<Response<HttpBody>, Refusal> {
        self.config.check_host(parts)?;
        let Some(authenticator) = &self.config.authenticator else {
            return Err(Refusal::NoMetadata);
        };
        let peer = || self.peer(parts, remote.as_ref());
        // What a program cannot set higher for one path than for all.
        let limit = body_limit.min(self.server.limits.message_bytes);
        let bytes = body::read(body, limit, &self.server, peer, || false).await?;
        self.server.counters.request_bytes(bytes.len());
        // Anybody can send any number of these requests.
        let _permit = peer().public_request()?;
        let time = self.server.limits.request_time;
        let address = address(parts, remote.as_ref());
        let response = authenticator.respond(&self.server, parts, address, bytes);
        let response = timeout(time, response).await;
        response.map_err(|_| {
            let reason = "the server cannot respond in time: retry later";
            Refusal::Auth(AuthRefusal::new(StatusCode::SERVICE_UNAVAILABLE, reason))
        })
    }

    /// Makes a response of a refusal, which is counted, and discards what was not read of the body.
    async fn complete<B: Body>(
        &self,
        response: Result<Response<HttpBody>, Refusal>,
        body: Pin<&mut FusedBody<B>>,
    ) -> Response<HttpBody> {
        let mut response = response.unwrap_or_else(|refusal| self.refuse(&refusal));
        let is_error = response.status().is_client_error() || response.status().is_server_error();
        if is_error && !body.is_end_stream() {
            Box::pin(unread_body::discard(body, &mut response)).await;
        }
        response
    }

    async fn handle<B: Body>(
        &self,
        parts: Arc<Parts>,
        body: B,
        remote: Option<RemotePeer>,
    ) -> Result<Response<HttpBody>, Refusal> {
        if let Err(refusal) = self.config.check_host(&parts) {
            return self.probe(&parts).ok_or(refusal);
        }
        if parts.method != Method::POST
            && let Some(response) = self.operation(&parts)
        {
            return Ok(response);
        }
        // Clients look for metadata there: without it, they need no access token.
        if parts.uri.path().starts_with("/.well-known/") {
            return Err(Refusal::NoMetadata);
        }
        if let Some(authenticator) = &self.config.authenticator {
            let mut parts = parts;
            // Counted for the address: anybody can send any number of tokens that are not valid.
            let verifying = self.peer(&parts, remote.as_ref()).verification()?;
            let address = address(&parts, remote.as_ref());
            let authorized = authenticator
                .authorize(&self.server, &mut parts, address, &[])
                .await?;
            drop(verifying);
            let response = self.handle_authorized(parts, body, remote).await;
            return Ok(authorized.apply(response.unwrap_or_else(|refusal| self.refuse(&refusal))));
        }
        self.handle_authorized(parts, body, remote).await
    }

    /// Handles a request of a client that may use the server.
    async fn handle_authorized<B: Body>(
        &self,
        parts: Arc<Parts>,
        body: B,
        remote: Option<RemotePeer>,
    ) -> Result<Response<HttpBody>, Refusal> {
        if parts.method != Method::POST {
            return Box::pin(self.other_method(&parts, remote.as_ref())).await;
        }
        let channel = channel_id(self.config.http_sse.as_deref(), &parts);
        config::check_content(&parts)?;
        // Clients of HTTP+SSE need not send `Accept`.
        let accepted = match channel {
            Some(_) => AcceptedForms::ALL,
            None => AcceptedForms::read(&parts)?,
        };
        // Evaluated only while the server stops.
        let accepted_late = || channel.is_some() || stopping::may_be_accepted(&parts);
        if self.is_stopping() && !accepted_late() {
            return Err(Refusal::ShuttingDown);
        }
        let peer = || self.peer(&parts, remote.as_ref());
        let limit = self.server.limits.message_bytes;
        let bytes = body::read(body, limit, &self.server, peer, accepted_late).await?;
        self.server.counters.request_bytes(bytes.len());
        // Counted only now, so that a client that sends its body slowly uses no permit meanwhile.
        let mut permit = match peer().requests(1) {
            Ok(permit) => permit,
            // The requests that hold all permits may wait for this message.
            Err(_) if self.is_for_request_in_flight(&parts, &bytes) => {
                RequestPermit::uncounted(peer())
            }
            Err(exhausted) => return Err(exhausted.into()),
        };
        if !permit.keep_body(bytes.len()) {
            return Err(Refusal::BodyMemory);
        }
        let remote = remote.map(|remote| remote.address);
        if let Some(id) = channel.map(str::to_owned) {
            let extensions = Extensions::of_http(parts, remote);
            return Box::pin(self.post_channel(&id, extensions, &bytes, permit)).await;
        }
        let (session, refusal) = match session::session_id(&parts) {
            None => (None, None),
            Some(id) => match self.find_session(id, &parts).await {
                Ok(session) => (Some(session), None),
                // Not final: a request that declares its revision in the body needs no session.
                Err(refusal) => (None, Some(refusal)),
            },
        };
        let extensions = Arc::new(Extensions::of_http(parts, remote));
        let mut response = match session {
            Some(session) => {
                self.post(&session, extensions, bytes, permit, accepted)
                    .await
            }
            None => {
                self.post_without_session(extensions, bytes, permit, refusal, accepted)
                    .await
            }
        }?;
        if !accepted.json {
            answer::wrap_in_event(&mut response);
        }
        Ok(response)
    }

    /// Handles methods other than POST. GET and DELETE belong to sessions.
    async fn other_method(
        &self,
        parts: &Arc<Parts>,
        remote: Option<&RemotePeer>,
    ) -> Result<Response<HttpBody>, Refusal> {
        self.check_running()?;
        if headers::declared_modern(parts).is_some() {
            return Err(Refusal::Method {
                found: parts.method.clone(),
                allowed: "POST",
            });
        }
        let channel = http_sse::opens_channel(self.config.http_sse.as_deref(), parts);
        match parts.method {
            Method::GET if channel => self.open_channel(parts, &self.peer(parts, remote)),
            Method::GET => {
                let peer = self.peer(parts, remote);
                let remote = remote.map(|remote| remote.address);
                self.get(parts, remote, &peer).await
            }
            Method::DELETE => self.delete(parts, &self.peer(parts, remote)).await,
            _ => Err(Refusal::Method {
                found: parts.method.clone(),
                allowed: "GET, POST, DELETE",
            }),
        }
    }

    /// Runs the handler of a notification, within the time limit of requests.
    pub(crate) async fn run_notification(&self, handler: impl Future<Output = ()>) {
        let limit = self.server.limits.request_time;
        let has_ended = Box::pin(async {
            tokio::select! {
                biased;
                () = handler => true,
                () = sleep(limit) => false,
                () = self.server.grace_over() => false,
            }
        });
        if !has_ended.await {
            tracing::warn!("dropped the handler of a notification: its time limit has passed");
        }
    }

    /// Returns the peer for which a request is counted.
    fn peer(&self, parts: &Parts, remote: Option<&RemotePeer>) -> Arc<PeerUsage> {
        let principal = config::principal(parts);
        let reported = parts.extensions.get::<PeerAddress>();
        if let (None, None, Some(remote)) = (principal, reported, remote) {
            return Arc::clone(&remote.usage);
        }
        let key = PeerKey::of_http(principal, address(parts, remote));
        self.server.peers.usage(key)
    }
}

/// Returns the address of the client: what a trusted proxy reports, otherwise that of the connection.
fn address(parts: &Parts, remote: Option<&RemotePeer>) -> Option<IpAddr> {
    let reported = parts.extensions.get::<PeerAddress>();
    let connection = || parts.extensions.get::<SocketAddr>().map(SocketAddr::ip);
    let remote = || remote.map(|remote| remote.address.ip());
    let address = reported.map(|reported| reported.0);
    address.or_else(connection).or_else(remote)
}

partial_debug!(HttpService, |it| server: it.endpoint.server.info, config: it.endpoint.config);
