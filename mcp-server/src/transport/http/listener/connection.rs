//! [`Connection`]: an accepted connection, until it is closed.

use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Request;
use http::request::Parts;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use crate::protocol::core::Core;
use crate::protocol::limits::Limits;
use crate::protocol::metrics::refusals::RefusalCause;
use crate::protocol::quota::peer_key::PeerKey;
use crate::transport::http::activity::{Activity, CloseReason, InFlightRequest};
use crate::transport::http::endpoint::service::{HttpService, RemotePeer};
use crate::transport::http::listener::client_stream::{ClientStream, WriteTimeout};
use crate::transport::http::listener::http_connection::HttpConnection;
use crate::transport::http::listener::opening::{self, FirstBytes, Protocol};
use crate::transport::http::listener::watched_body::WatchedBody;
use crate::transport::http::response::body::HttpFuture;
use crate::transport::http::stream_executor::StreamExecutor;

/// The maximum number of concurrent streams of an HTTP/2 connection.
const STREAMS: u32 = 200;
/// The maximum time for rejecting a connection.
const REFUSAL_TIME: Duration = Duration::from_secs(1);
/// The maximum number of bytes of a request that are read after the connection was rejected.
const REFUSED_BYTES: usize = 64 << 10;
/// The maximum number of bytes of all bodies of an HTTP/2 connection that are received before the
/// server reads them: the smallest window of a connection that HTTP/2 allows.
const WINDOW_BYTES: u32 = (64 << 10) - 1;
/// The same for one stream. Smaller, so that one body that is not read does not block the other
/// streams of a proxy.
const STREAM_WINDOW_BYTES: u32 = 16 << 10;
/// The minimum size of hyper's buffer for a request head, in bytes.
const MIN_HEAD_BYTES: usize = 8 << 10;

/// Whether the connections of a listener use TLS.
#[derive(Clone)]
pub(crate) enum Encryption {
    Plain,
    #[cfg(feature = "tls")]
    Tls(tokio_rustls::TlsAcceptor),
}

/// A service for some paths at the same socket as the endpoint, for requests without a body.
pub(crate) trait PathService: Send + Sync {
    /// Returns `true` if the service serves a path.
    fn serves_path(&self, path: &str) -> bool;

    fn respond(&self, parts: Parts, remote: SocketAddr) -> HttpFuture;
}

/// The services at a socket: the endpoint, and optionally the URLs of resources.
#[derive(Clone)]
pub(crate) struct SocketServices {
    endpoint: HttpService,
    path_service: Option<Arc<dyn PathService>>,
}

impl SocketServices {
    pub(crate) fn new(endpoint: HttpService) -> Self {
        Self {
            endpoint,
            path_service: None,
        }
    }

    /// Adds a service for some paths.
    #[cfg(feature = "proposals")]
    pub(crate) fn with_service(mut self, service: Arc<dyn PathService>) -> Self {
        self.path_service = Some(service);
        self
    }

    /// Returns `true` if the endpoint allows only local names.
    pub(crate) fn is_local(&self) -> bool {
        self.endpoint.is_local()
    }

    /// Returns the peer for which a connection from this address is counted. Connections of a
    /// trusted proxy belong to no single peer.
    pub(crate) fn connection_peer(&self, address: IpAddr) -> PeerKey {
        if self.endpoint.trusts(address) {
            return PeerKey::Unknown;
        }
        PeerKey::at(address)
    }

    fn respond(
        &self,
        request: Request<WatchedBody>,
        remote: RemotePeer,
        in_flight: InFlightRequest,
    ) -> HttpFuture {
        if let Some(service) = &self.path_service
            && service.serves_path(request.uri().path())
        {
            let (parts, _) = request.into_parts();
            return service.respond(parts, remote.address).keep_busy(in_flight);
        }
        self.endpoint
            .respond(request, Some(remote))
            .keep_busy(in_flight)
    }
}

/// An accepted connection.
pub(crate) struct Connection {
    pub(crate) server: Arc<Core>,
    pub(crate) services: SocketServices,
    pub(crate) remote: SocketAddr,
    pub(crate) activity: Arc<Activity>,
    /// The time by which the head of the first request must have arrived.
    pub(crate) deadline: Instant,
}

impl Connection {
    pub(crate) async fn serve(&self, stream: TcpStream, encryption: &Encryption) {
        let limits = &self.server.limits;
        if let Err(error) = configure(&stream, limits) {
            tracing::debug!(%error, "cannot set all socket options of a connection");
        }
        let stream = WriteTimeout::new(stream, limits.write_time);
        match encryption {
            Encryption::Plain => self.requests(stream).await,
            // Boxed, because its state is large.
            #[cfg(feature = "tls")]
            Encryption::Tls(acceptor) => Box::pin(self.serve_tls(stream, acceptor)).await,
        }
    }

    #[cfg(feature = "tls")]
    async fn serve_tls(&self, stream: WriteTimeout, acceptor: &tokio_rustls::TlsAcceptor) {
        let accepted = tokio::select! {
            biased;
            accepted = acceptor.accept(stream) => accepted,
            reason = self.activity.overdue(self.deadline, &self.server.limits) => {
                return self.log_closed(reason);
            }
        };
        match accepted {
            Ok(stream) => self.requests(stream).await,
            Err(error) => tracing::debug!(%error, "TLS handshake failed"),
        }
    }

    /// Logs and counts that the server closes the connection.
    fn log_closed(&self, reason: CloseReason) {
        if reason == CloseReason::NoRequest {
            let counters = &self.server.counters;
            counters.refused(RefusalCause::ConnectionTimeout);
        }
        tracing::debug!(?reason, "closing a connection");
    }

    /// Waits for the first bytes of the client, then serves its requests.
    async fn requests<S>(&self, mut stream: S)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let opened = tokio::select! {
            biased;
            opened = opening::read(&mut stream) => opened,
            reason = self.activity.overdue(self.deadline, &self.server.limits) => {
                return self.log_closed(reason);
            }
        };
        match opened {
            // Boxed, because the state of a connection in use is large, and most idle connections
            // never need it.
            Ok(Some(first)) => Box::pin(self.serve_http(stream, first)).await,
            Err(error) => tracing::debug!(%error, "connection failed"),
            // The client closed the connection before it sent a request.
            Ok(None) => {}
        }
    }

    /// Serves the requests of a client that has sent its first bytes.
    async fn serve_http<S>(&self, stream: S, first: FirstBytes)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let limits = &self.server.limits;
        let usage = self.server.peers.usage(PeerKey::at(self.remote.ip()));
        let respond = service_fn(|request: Request<Incoming>| {
            let request = request.map(|body| WatchedBody::new(body, &self.activity));
            let remote = RemotePeer {
                address: self.remote,
                usage: Arc::clone(&usage),
            };
            self.services
                .respond(request, remote, self.activity.start_request())
        });
        let stream = ClientStream::new(first.bytes, stream, &self.activity);
        let io = TokioIo::new(stream);
        match first.protocol {
            Protocol::Http1 => {
                // hyper handles up to 16 requests in one poll if they have arrived already.
                let respond = service_fn(|request| {
                    let has_turn = self.activity.take_turn();
                    let response = respond.call(request);
                    if has_turn {
                        response
                    } else {
                        response.yield_first()
                    }
                });
                let serving = http1_builder(limits).serve_connection(io, respond);
                self.drive(pin!(serving)).await;
            }
            Protocol::Http2 => {
                let serving = http2_builder(limits).serve_connection(io, respond);
                self.drive(Box::pin(serving).as_mut()).await;
            }
        }
    }

    /// Drives a connection until the client closes it, it is overdue, or the server stops.
    async fn drive<C: HttpConnection>(&self, mut serving: Pin<&mut C>) {
        let limits = &self.server.limits;
        // A client may have connected to send a response that a handler waits for. Its connection
        // is closed after its first request, or evicted when no handler runs any more.
        let stopping = async {
            self.server.stopping().await;
            self.activity.wait_first_request().await;
        };
        let time = tokio::select! {
            biased;
            () = poll_fn(|task| self.poll(serving.as_mut(), task)) => return,
            // Requests that run longer end with an error, which still has to be sent.
            () = stopping => limits.grace_time + shutdown_write_time(limits),
            reason = self.activity.overdue(self.deadline, limits) => {
                self.log_closed(reason);
                match reason {
                    CloseReason::NoRequest | CloseReason::Unread => return,
                    // A request may have arrived in the meantime.
                    CloseReason::Evicted if self.activity.idle_since().is_some() => return,
                    CloseReason::Evicted => limits.request_time,
                    CloseReason::Idle => limits.write_time,
                }
            }
        };
        serving.as_mut().shut_down();
        tokio::select! {
            biased;
            () = poll_fn(|task| self.poll(serving.as_mut(), task)) => {}
            () = sleep(time) => {}
        }
    }

    /// Polls a connection, and logs its failure. It has ended as soon as its client has disconnected
    /// in the middle of a request.
    fn poll<C: HttpConnection>(&self, serving: Pin<&mut C>, task: &mut Context<'_>) -> Poll<()> {
        self.activity.start_turn();
        let polled = serving.poll(task);
        if self.activity.is_disconnected() {
            tracing::debug!("the client disconnected before its request was complete");
            return Poll::Ready(());
        }
        polled.map(|ended| {
            if let Err(error) = ended {
                tracing::debug!(error = %mcp_types::peer_text::Chain(&error), "connection failed");
            }
        })
    }
}

/// Disables the delay of small writes, and enables the detection of vanished clients.
fn configure(stream: &TcpStream, limits: &Limits) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = socket2::SockRef::from(stream);
    // Three probes in the second half of the idle time.
    let whole_second = |time: Duration| time.max(Duration::from_secs(1));
    let keepalive = socket2::TcpKeepalive::new()
        .with_time(whole_second(limits.connection_idle_time / 2))
        .with_interval(whole_second(limits.connection_idle_time / 6));
    socket.set_tcp_keepalive(&keepalive)?;
    // There are no probes while data is unacknowledged, so that needs its own limit.
    #[cfg(any(target_os = "android", target_os = "linux"))]
    socket.set_tcp_user_timeout(Some(limits.write_time))?;
    Ok(())
}

/// Returns the maximum time for writing the last responses of a server that shuts down.
pub(crate) fn shutdown_write_time(limits: &Limits) -> Duration {
    limits.write_time.min(Duration::from_secs(1))
}

fn http1_builder(limits: &Limits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.connection_idle_time)
        .max_buf_size(limits.header_bytes.max(MIN_HEAD_BYTES));
    builder
}

fn http2_builder(limits: &Limits) -> http2::Builder<StreamExecutor> {
    let mut builder = http2::Builder::new(StreamExecutor::new(limits.write_time));
    builder
        .timer(TokioTimer::new())
        .keep_alive_interval(limits.connection_idle_time)
        .max_concurrent_streams(STREAMS)
        .initial_connection_window_size(WINDOW_BYTES)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX));
    builder
}

/// The response to a client if all connections are in use.
const REFUSAL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Retry-After: 1\r\n\
    Connection: close\r\n\
    Content-Type: text/plain; charset=utf-8\r\n\
    Content-Length: 21\r\n\
    \r\n\
    too many connections\n";

/// Rejects a connection because all others are in use. The request is read and discarded for a
/// moment: otherwise the system would reset the connection, and the client might not receive the
/// response.
pub(crate) async fn refuse(mut stream: TcpStream) {
    let refuse = async {
        let mut rest = REFUSAL;
        while !rest.is_empty() {
            stream.writable().await?;
            match stream.try_write(rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        poll_fn(|task| Pin::new(&mut stream).poll_shutdown(task)).await?;
        let mut read = [0; 1 << 10];
        let mut total = 0;
        while total < REFUSED_BYTES {
            stream.readable().await?;
            match stream.try_read(&mut read) {
                Ok(0) => break,
                Ok(size) => total += size,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    };
    tokio::select! {
        biased;
        // Fails if the client has disconnected.
        _ = refuse => {}
        () = sleep(REFUSAL_TIME) => {}
    }
}
