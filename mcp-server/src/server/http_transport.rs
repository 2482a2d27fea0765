//! [`Http`]: Streamable HTTP at a socket of its own, as a transport.

use std::net::{SocketAddr, ToSocketAddrs};
#[cfg(feature = "tls")]
use std::sync::Arc;
use std::{fmt, io};

use crate::protocol::error::ServeError;
use crate::server::handle::Server;
use crate::server::transports::Transport;
use crate::transport::http::authenticate::Authenticate;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::listener::connection::Encryption;
use crate::transport::http::listener::serve::HttpServer;

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

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}

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
