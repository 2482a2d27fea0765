//! [`Server::into_router`]: the endpoint with all its paths, for axum.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::map_request;

use crate::server::handle::Server;
use crate::transport::http::config::HttpConfig;

impl Server {
    /// Returns a router of axum with the endpoint at a path, and with all other paths that the
    /// endpoint serves: health, readiness and metrics, the deprecated transport HTTP+SSE, the
    /// metadata for authorization, and the URLs of resources below the path of their base URL.
    ///
    /// The address of the connection, by which the server counts peers, comes from
    /// [`ConnectInfo`]: serve the router with `into_make_service_with_connect_info`.
    ///
    /// ```no_run
    /// use std::net::SocketAddr;
    ///
    /// use mcp_server::{HttpConfig, Server};
    ///
    /// # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let config = HttpConfig::new().allow_hosts(["mcp.example.com"]).health_path("/healthz");
    /// let app = axum::Router::new()
    ///     .route("/", axum::routing::get(async || "Hello!"))
    ///     .merge(server.into_router("/mcp", config));
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    /// let app = app.into_make_service_with_connect_info::<SocketAddr>();
    /// axum::serve(listener, app).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If a path is not one of axum, for example because it does not begin with a slash.
    pub fn into_router<S>(self, path: &str, config: HttpConfig) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
    {
        let mut paths = BTreeSet::from([path.to_owned()]);
        paths.extend(config.other_paths());
        let mut router = Router::new();
        #[cfg(feature = "https-url")]
        if let (Some(urls), Some(service)) = (&self.catalogs.urls, self.resource_urls()) {
            let below = format!("{}{{*token}}", urls.path());
            router = router.route_service(&below, service.allow_pages(&config));
        }
        let service = self.into_service(config);
        for path in &paths {
            router = router.route_service(path, service.clone());
        }
        router.layer(map_request(attach_address))
    }
}

/// Attaches the address of the connection in the form in which the endpoint looks for it.
async fn attach_address(mut request: Request) -> Request {
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
    if let Some(ConnectInfo(address)) = address.copied() {
        request.extensions_mut().insert(address);
    }
    request
}
