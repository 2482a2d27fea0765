//! [`Server::into_router`]: the endpoint with all its paths, for axum.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, NestedPath, Request, State};
use axum::middleware::map_request_with_state;
use axum::response::Response;

use crate::server::handle::Server;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::response::answer;

impl Server {
    /// Returns a router of axum with the endpoint at a path, and with all other paths that the
    /// endpoint serves: health, readiness and metrics, the deprecated transport HTTP+SSE, the
    /// metadata for authorization, and the URLs of resources below the path of their base URL.
    ///
    /// The address of the connection, by which the server counts peers, comes from
    /// [`ConnectInfo`]: serve the router with [`serve_router`](Self::serve_router), or with
    /// `into_make_service_with_connect_info`.
    ///
    /// ```no_run
    /// use mcp_server::{HttpConfig, Server, terminated};
    ///
    /// # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let config = HttpConfig::new().allow_hosts(["mcp.example.com"]).health_path("/healthz");
    /// let app = axum::Router::new()
    ///     .route("/", axum::routing::get(async || "Hello!"))
    ///     .merge(server.clone().into_router("/mcp", config));
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    /// server.serve_router(listener, app, terminated()?).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// All paths are those that clients use, so the router is merged, and not nested. For an
    /// endpoint at `/api/mcp`, merge `server.into_router("/api/mcp", config)`; a layer for it is
    /// added to this router before. A router that is nested, and serves metadata for authorization,
    /// URLs of resources or HTTP+SSE, answers each request with 500 and the path to use, because
    /// clients would not find these.
    ///
    /// An application may have several endpoints. Each of them needs an
    /// [`Authenticate`](crate::Authenticate) of its own, for access tokens an `OAuth` of
    /// `mcp-server-oauth` with the URL of the endpoint, which decides about the path of its metadata.
    /// The metadata have this path only: the root, where `serve_http` serves them as well, would
    /// belong to all endpoints.
    ///
    /// # Panics
    ///
    /// If a path is not one of axum, for example because it does not begin with a slash. The router
    /// of the application panics if two endpoints have the same path for anything.
    pub fn into_router<S>(self, path: &str, config: HttpConfig) -> Router<S>
    where
        S: Clone + Send + Sync + 'static,
    {
        let mut paths = BTreeSet::from([path.to_owned()]);
        paths.extend(config.other_paths());
        let fixed = config.fixed_paths();
        let mut router = Router::new();
        #[cfg(feature = "proposals")]
        let fixed = fixed.or(self.catalogs.urls.as_ref().map(|_| "URLs of resources"));
        #[cfg(feature = "proposals")]
        if let (Some(urls), Some(service)) = (&self.catalogs.urls, self.resource_urls()) {
            let below = format!("{}{{*token}}", urls.path());
            router = router.route_service(&below, service.allow_pages(&config));
        }
        let service = self.into_service(config);
        for path in &paths {
            router = router.route_service(path, service.clone());
        }
        let place = Arc::new(Place {
            path: path.to_owned(),
            fixed,
            is_logged: AtomicBool::new(false),
        });
        router.layer(map_request_with_state(place, check_place))
    }
}

/// Where an endpoint is in the router of its application.
struct Place {
    /// The path of the endpoint in its own router.
    path: String,
    /// What clients would not find if the router were nested.
    fixed: Option<&'static str>,
    is_logged: AtomicBool,
}

/// Refuses requests for an endpoint that does not work below another path. Attaches the address of
/// the connection in the form in which the endpoint looks for it.
async fn check_place(
    State(place): State<Arc<Place>>,
    mut request: Request,
) -> Result<Request, Response> {
    if let Some(fixed) = place.fixed
        && let Some(nested) = request.extensions().get::<NestedPath>()
    {
        let refusal = Refusal::Nested {
            fixed,
            below: nested.as_str().to_owned(),
            path: format!("{}{}", nested.as_str().trim_end_matches('/'), place.path),
        };
        if !place.is_logged.swap(true, Ordering::Relaxed) {
            tracing::error!("{refusal}");
        }
        return Err(answer::refusal(&refusal).map(Body::new));
    }
    let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
    if let Some(ConnectInfo(address)) = address.copied() {
        request.extensions_mut().insert(address);
    }
    Ok(request)
}
