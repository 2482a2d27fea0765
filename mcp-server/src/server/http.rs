//! How a server is served over HTTP.

use crate::util::select::select;
use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

use crate::protocol::error::ServeError;
use crate::server::handle::Server;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::connection::{Encryption, SocketServices};
use crate::transport::http::serve::HttpServer;
use crate::transport::http::service::HttpService;

/// How often [`Server::drain`] looks for requests in flight.
const DRAIN_INTERVAL: Duration = Duration::from_millis(10);

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
        HttpService::new(self.core, config)
    }

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
        HttpServer::bind(&self.core, address, self.front(config), Encryption::Plain)
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
        HttpServer::bind(
            &self.core,
            address,
            self.front(config),
            Encryption::Tls(tls.into()),
        )
    }
    /// What is served at a socket: the endpoint, and beside it the URLs of resources.
    fn front(&self, config: HttpConfig) -> SocketServices {
        #[cfg(feature = "https-url")]
        let urls = self.resource_urls().map(|urls| urls.allow_pages(&config));
        let front = SocketServices::new(HttpService::new(Arc::clone(&self.core), config));
        #[cfg(feature = "https-url")]
        if let Some(urls) = urls {
            return front.with_service(Arc::new(urls));
        }
        front
    }

    /// Shuts the server down as [`shutdown`](Self::shutdown) does, and waits until no request is in
    /// flight over HTTP, at most for [`Limits::grace_time`](crate::Limits).
    ///
    /// For programs that mount the [service](Self::into_service) in a stack of their own: until
    /// this resolves, the stack has to accept connections, since handlers may wait for answers of
    /// their clients, which send them on connections of their own. `serve_http` does this by
    /// itself.
    ///
    /// ```no_run
    /// use mcp_server::{HttpConfig, Server};
    ///
    /// # async fn run(server: mcp_server::Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let service = server.clone().into_service(HttpConfig::new());
    /// let app: axum::Router = axum::Router::new().route_service("/mcp", service);
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    /// axum::serve(listener, app)
    ///     .with_graceful_shutdown(async move {
    ///         let _ = tokio::signal::ctrl_c().await;
    ///         server.drain().await;
    ///     })
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn drain(&self) {
        self.shutdown();
        // Looked at from time to time: a notification by each request that ends would cost
        // something while the server runs.
        let requests = &self.core.peers.all().requests;
        let ended = async {
            while requests.get() > 0 {
                sleep(DRAIN_INTERVAL).await;
            }
        };
        select(ended, self.core.grace_over()).await;
    }
}
