//! [`HttpServer`]: an endpoint with a socket of its own.

use std::future::Future;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::guard::HttpConfig;
use super::patient::Patient;
use super::service::{HttpFuture, HttpService};
use crate::error::ServeError;
use crate::limits::Limits;
#[cfg(feature = "tls")]
use crate::metrics::RefusalCause;
use crate::race::{Either, race};
use crate::server::Server;

/// How long a client may take for the head of a request, and how long a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(60);
/// How long a client may take to agree on keys.
#[cfg(feature = "tls")]
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
/// The least that hyper can hold of a head.
const LEAST_HEAD: usize = 8 << 10;

/// A server at a socket. It is bound already; it serves while it is awaited, and resolves after
/// [`Server::shutdown`]. Dropping it closes all connections.
#[must_use = "nothing is served until it is awaited"]
pub struct HttpServer {
    local_addr: SocketAddr,
    serving: Pin<Box<dyn Future<Output = Result<(), ServeError>> + Send>>,
}

impl Server {
    /// Serves Streamable HTTP at an address of this machine, to programs of this machine, at any
    /// path.
    ///
    /// ```no_run
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = mcp_server::Server::builder("calculator", "1.0.0").build()?;
    /// let http = server.serve_http("127.0.0.1:8080")?;
    /// eprintln!("listening on http://{}/mcp", http.local_addr());
    /// http.await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ServeError::Io`] where the address cannot be bound, [`ServeError::NoHosts`] where it can
    /// be reached from other machines.
    pub fn serve_http(&self, address: impl ToSocketAddrs) -> Result<HttpServer, ServeError> {
        self.serve_http_with(address, HttpConfig::default())
    }

    /// Serves Streamable HTTP at an address, under the names that `config` allows, at any path.
    ///
    /// # Errors
    ///
    /// As [`serve_http`](Self::serve_http).
    pub fn serve_http_with(
        &self,
        address: impl ToSocketAddrs,
        config: HttpConfig,
    ) -> Result<HttpServer, ServeError> {
        HttpServer::bind(self, address, config, Way::Plain)
    }

    /// Serves Streamable HTTP over TLS at an address of this machine, to programs of this machine,
    /// at any path: HTTP/1.1 and HTTP/2, as ALPN finds out.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    ///
    /// use mcp_server::rustls::ServerConfig;
    /// use mcp_server::rustls::crypto::ring::default_provider;
    /// use mcp_server::rustls::pki_types::pem::PemObject;
    /// use mcp_server::rustls::pki_types::{CertificateDer, PrivateKeyDer};
    ///
    /// # async fn run(server: mcp_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let chain = CertificateDer::pem_file_iter("chain.pem")?.collect::<Result<_, _>>()?;
    /// let key = PrivateKeyDer::from_pem_file("key.pem")?;
    /// let tls = ServerConfig::builder_with_provider(Arc::new(default_provider()))
    ///     .with_safe_default_protocol_versions()?
    ///     .with_no_client_auth()
    ///     .with_single_cert(chain, key)?;
    /// server.serve_https("127.0.0.1:8443", Arc::new(tls))?.await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`serve_http`](Self::serve_http).
    #[cfg(feature = "tls")]
    pub fn serve_https(
        &self,
        address: impl ToSocketAddrs,
        tls: Arc<crate::rustls::ServerConfig>,
    ) -> Result<HttpServer, ServeError> {
        self.serve_https_with(address, tls, HttpConfig::default())
    }

    /// Serves Streamable HTTP over TLS at an address, under the names that `config` allows, at any
    /// path.
    ///
    /// # Errors
    ///
    /// As [`serve_http`](Self::serve_http).
    #[cfg(feature = "tls")]
    pub fn serve_https_with(
        &self,
        address: impl ToSocketAddrs,
        tls: Arc<crate::rustls::ServerConfig>,
        config: HttpConfig,
    ) -> Result<HttpServer, ServeError> {
        let mut tls = tls;
        if tls.alpn_protocols.is_empty() {
            Arc::make_mut(&mut tls).alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        }
        HttpServer::bind(self, address, config, Way::Tls(tls.into()))
    }
}

/// How connections are taken.
#[derive(Clone)]
enum Way {
    Plain,
    #[cfg(feature = "tls")]
    Tls(tokio_rustls::TlsAcceptor),
}

/// What is served at a socket: the endpoint, and beside it the URLs of resources.
#[derive(Clone)]
struct Front {
    endpoint: HttpService,
    #[cfg(feature = "https-url")]
    urls: Option<crate::urls::UrlService>,
}

impl Front {
    fn new(server: &Server, config: HttpConfig) -> Self {
        Self {
            #[cfg(feature = "https-url")]
            urls: server.resource_urls().map(|urls| urls.allow_pages(&config)),
            endpoint: server.clone().into_service(config),
        }
    }

    fn respond(&self, request: Request<Incoming>, remote: SocketAddr) -> HttpFuture {
        #[cfg(feature = "https-url")]
        if let Some(urls) = &self.urls
            && urls.takes(request.uri().path())
        {
            return urls.respond(request);
        }
        self.endpoint.respond(request, Some(remote))
    }
}

impl HttpServer {
    fn bind(
        server: &Server,
        address: impl ToSocketAddrs,
        config: HttpConfig,
        way: Way,
    ) -> Result<Self, ServeError> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let local_addr = listener.local_addr()?;
        if config.is_local() && !local_addr.ip().is_loopback() {
            return Err(ServeError::NoHosts(local_addr));
        }
        let server = server.clone();
        let front = Front::new(&server, config);
        let serving = async move {
            let listener = TcpListener::from_std(listener)?;
            accept(&server, &listener, &front, &way).await;
            Ok(())
        };
        Ok(Self {
            local_addr,
            serving: Box::pin(serving),
        })
    }

    /// Where it listens: the port that the system chose, where 0 was asked for.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }
}

impl Future for HttpServer {
    type Output = Result<(), ServeError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        self.serving.as_mut().poll(task)
    }
}

impl std::fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpServer")
            .field("local_addr", &self.local_addr)
            .finish_non_exhaustive()
    }
}

/// Takes connections until the server stops, then waits for those that there are.
async fn accept(server: &Server, listener: &TcpListener, front: &Front, way: &Way) {
    let places = Arc::new(Semaphore::new(server.limits().connections));
    let mut connections = JoinSet::new();
    let mut beat = pin!(beat(server.limits()));
    loop {
        let next = async {
            // Closed by nobody.
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let next = race(server.stopping(), race(next, beat.as_mut()));
        let Either::Second(Either::First((place, accepted))) = next.await else {
            break;
        };
        while connections.try_join_next().is_some() {}
        let (stream, remote) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                pause(&error).await;
                continue;
            }
        };
        let (server, front, way) = (server.clone(), front.clone(), way.clone());
        connections.spawn(async move {
            let _place = place;
            let _open = server.count_connection();
            connection(&server, stream, remote, &front, &way).await;
        });
    }
    while connections.join_next().await.is_some() {}
}

/// Sleeps for ever, never longer than connections and requests do.
///
/// For a timer that is due before all others, tokio wakes its driver, by a system call and another
/// turn of the loop. With this one, that is not so for the timers of each request.
async fn beat(limits: &Limits) {
    let time = limits.keep_alive.min(limits.request_time).min(HEAD_TIME);
    loop {
        sleep(time.max(Duration::from_secs(1))).await;
    }
}

/// Waits where the fault is the system's: it is out of descriptors, and would tell so at once
/// again.
async fn pause(error: &io::Error) {
    tracing::warn!(%error, "a connection could not be taken");
    let of_peer = matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    );
    if !of_peer {
        sleep(Duration::from_millis(100)).await;
    }
}

async fn connection(
    server: &Server,
    stream: TcpStream,
    remote: SocketAddr,
    front: &Front,
    way: &Way,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no TCP_NODELAY");
    }
    // A request whose answer nobody reads ends first.
    let patience = server.limits().request_time + server.limits().grace_time;
    let stream = Patient::new(stream, patience);
    match way {
        Way::Plain => requests(server, stream, remote, front).await,
        #[cfg(feature = "tls")]
        Way::Tls(acceptor) => {
            let shaken = race(acceptor.accept(stream), sleep(HANDSHAKE_TIME));
            match race(server.stopping(), shaken).await {
                Either::Second(Either::First(Ok(stream))) => {
                    requests(server, stream, remote, front).await;
                }
                Either::Second(Either::First(Err(error))) => {
                    tracing::debug!(%error, "no handshake");
                }
                Either::Second(Either::Second(())) => {
                    server
                        .inner
                        .counters
                        .refused(RefusalCause::ConnectionTimeout);
                    tracing::debug!("a handshake took too long");
                }
                Either::First(()) => {}
            }
        }
    }
}

/// Serves the requests of a connection.
async fn requests(
    server: &Server,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    remote: SocketAddr,
    front: &Front,
) {
    let builder = builder(server.limits());
    let respond = service_fn(|request| front.respond(request, remote));
    let serving = builder.serve_connection(TokioIo::new(stream), respond);
    let mut serving = pin!(serving);
    let ended = match race(serving.as_mut(), server.stopping()).await {
        Either::First(ended) => ended,
        Either::Second(()) => {
            serving.as_mut().graceful_shutdown();
            match race(serving, sleep(server.limits().grace_time)).await {
                Either::First(ended) => ended,
                Either::Second(()) => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error = %crate::error::Chain(&*error), "a connection broke");
    }
}

fn builder(limits: &Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(limits.header_bytes.max(LEAST_HEAD));
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(HEAD_TIME)
        .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX));
    builder
}
