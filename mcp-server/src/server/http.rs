//! The endpoint of a server as a service of HTTP, and waiting until it has shut down.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::server::handle::Server;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::endpoint::service::HttpService;
use crate::transport::http::listener::connection::SocketServices;

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
