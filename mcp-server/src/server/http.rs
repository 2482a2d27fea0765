//! The endpoint of a server as a service of HTTP, and waiting until it has shut down.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::protocol::error::ServeError;
use crate::server::handle::Server;
use crate::server::transports::Transport;
use crate::transport::http::authenticate::Authenticate;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::endpoint::service::HttpService;
use crate::transport::http::listener::connection::{Encryption, SocketServices};
use crate::transport::http::listener::serve::HttpServer;
use crate::util::partial_debug::partial_debug;

/// How often [`Server::drain`] looks for requests in flight.
const DRAIN_INTERVAL: Duration = Duration::from_millis(10);

impl Server {
    /// Returns the server as a service that is an endpoint of Streamable HTTP.
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
        HttpService::new(self.core, config)
    }

    /// Returns the services of a socket: the endpoint, and the URLs of resources.
    pub(crate) fn socket_services(&self, config: HttpConfig) -> SocketServices {
        #[cfg(feature = "proposals")]
        let urls = self.resource_urls().map(|urls| urls.allow_pages(&config));
        let services = SocketServices::new(HttpService::new(Arc::clone(&self.core), config));
        #[cfg(feature = "proposals")]
        if let Some(urls) = urls {
            return services.with_service(Arc::new(urls));
        }
        services
    }

    /// Shuts the server down as [`shutdown`](Self::shutdown) does, and waits until no request is in
    /// flight over HTTP and no task runs, at most for [`Limits::grace_time`](crate::Limits).
    ///
    /// For programs that mount the [service](Self::into_service) in a stack of their own; in axum,
    /// [`serve_router`](Self::serve_router) does all of the following. When the signal arrives, the
    /// stack stops accepting connections and calls [`shutdown`](Self::shutdown), and the program
    /// awaits this function after the stack has ended. Without a shared
    /// [store](crate::ServerBuilder::store), the stack should accept connections until this
    /// resolves, since handlers may wait for answers that clients send on new connections.
    /// `serve_http` does this by itself.
    ///
    /// ```no_run
    /// use mcp_server::{HttpConfig, Server, terminated};
    ///
    /// # async fn run(server: mcp_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let service = server.clone().into_service(HttpConfig::new());
    /// let app: axum::Router = axum::Router::new().route_service("/mcp", service);
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    /// let (stopping, signal) = (server.clone(), terminated()?);
    /// axum::serve(listener, app)
    ///     .with_graceful_shutdown(async move {
    ///         signal.await;
    ///         stopping.shutdown(); // ends streams, which axum would wait for
    ///     })
    ///     .await?;
    /// server.drain().await;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn drain(&self) {
        self.shutdown();
        self.requests_ended().await;
        self.core.background_ended().await;
    }

    /// Waits until no request is in flight over HTTP, at most until the grace time is over.
    pub(crate) async fn requests_ended(&self) {
        // Polls, because a notification at the end of each request would cost time while the server
        // runs.
        let requests = &self.core.peers.all().requests;
        let ended = async {
            while requests.get() > 0 {
                sleep(DRAIN_INTERVAL).await;
            }
        };
        tokio::select! {
            biased;
            () = ended => {}
            () = self.core.grace_over() => {}
        }
    }
}

/// Streamable HTTP at a socket of its own, at any path.
///
/// By default it serves programs of this machine only. Addresses that other machines reach need the
/// names of the server, see [`HttpConfig::allow_hosts`].
///
/// ```no_run
/// use mcp_server::{Http, HttpConfig, Server};
///
/// # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
/// let config = HttpConfig::new().allow_hosts(["mcp.example.com"]);
/// server.serve(Http::at("0.0.0.0:8080").config(config)).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is served until the transport is passed to a server"]
pub struct Http {
    addresses: io::Result<Vec<SocketAddr>>,
    config: HttpConfig,
    #[cfg(feature = "tls")]
    tls: Option<Arc<crate::rustls::ServerConfig>>,
}

impl Http {
    /// Creates the transport for an address, such as `"127.0.0.1:8080"`. With port 0 the system
    /// chooses one: [`HttpServer::local_addr`] returns it.
    ///
    /// If the address has several socket addresses, the first one that can be bound is used. An
    /// error of resolving it is reported when the transport is used.
    pub fn at(address: impl ToSocketAddrs) -> Self {
        Self {
            addresses: address.to_socket_addrs().map(Iterator::collect),
            config: HttpConfig::default(),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// Sets names, origins, paths and the other settings. Those of
    /// [`authenticate`](Self::authenticate) are kept if the configuration has none of its own.
    pub fn config(mut self, config: HttpConfig) -> Self {
        self.config = config.or_authenticated_as(self.config);
        self
    }

    /// Authenticates every request, see [`HttpConfig::authenticate`].
    pub fn authenticate(mut self, authenticate: impl Authenticate) -> Self {
        self.config = self.config.authenticate(authenticate);
        self
    }

    /// Serves over TLS: HTTP/1.1 and HTTP/2, as the client chooses by ALPN.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    ///
    /// use mcp_server::Http;
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
    /// server.serve(Http::at("127.0.0.1:8443").tls(Arc::new(tls))).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "tls")]
    pub fn tls(mut self, tls: Arc<crate::rustls::ServerConfig>) -> Self {
        let mut tls = tls;
        if tls.alpn_protocols.is_empty() {
            Arc::make_mut(&mut tls).alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        }
        self.tls = Some(tls);
        self
    }

    fn bind(self, server: &Server) -> Result<HttpServer, ServeError> {
        #[cfg(feature = "tls")]
        let encryption = match self.tls {
            Some(tls) => Encryption::Tls(tls.into()),
            None => Encryption::Plain,
        };
        #[cfg(not(feature = "tls"))]
        let encryption = Encryption::Plain;
        let services = server.socket_services(self.config);
        HttpServer::bind(&server.core, &*self.addresses?, services, encryption)
    }
}

impl<A: ToSocketAddrs> From<A> for Http {
    fn from(address: A) -> Self {
        Self::at(address)
    }
}

impl Transport for Http {
    async fn serve(self, server: &Server) -> Result<(), ServeError> {
        self.bind(server)?.await
    }
}

partial_debug!(Http, |it| addresses: it.addresses);

impl Server {
    /// Binds a socket and serves Streamable HTTP there while the returned [`HttpServer`] is
    /// awaited. The argument is an address or an [`Http`] with more settings.
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
    /// [`ServeError::Io`] if the address cannot be resolved or bound, [`ServeError::NoHosts`] if
    /// other machines can reach it and the configuration does not name the server.
    pub fn serve_http(&self, http: impl Into<Http>) -> Result<HttpServer, ServeError> {
        http.into().bind(self)
    }
}
