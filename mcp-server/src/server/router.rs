//! [`Server::into_router`]: the endpoint with all its paths, for axum.

use std::collections::BTreeSet;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, NestedPath, Request, State};
use axum::middleware::map_request_with_state;
use axum::response::Response;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::time::sleep;

use crate::protocol::error::ServeError;
use crate::server::handle::Server;
use crate::transport::http::authenticate::Authenticate;
use crate::transport::http::authenticate::authenticator::Authenticator;
use crate::transport::http::config::HttpConfig;
use crate::transport::http::listener::connection::shutdown_write_time;
use crate::transport::http::own_routes::TokenLayer;
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

impl Server {
    /// Returns a layer of axum that requires access tokens for the own routes of an application,
    /// with the responses of the endpoint: 401 without a valid token, 403 without the scopes.
    ///
    /// The handlers of the routes can extract the [`AccessToken`](crate::AccessToken), the
    /// [`Principal`](crate::Principal) and the [`TokenScopes`](crate::TokenScopes). Of the
    /// configuration, the layer uses the [trusted proxies](HttpConfig::trusted_proxies): requests
    /// count towards the [limit](field@crate::Limits::verifications_per_peer) of their client.
    ///
    /// ```
    /// use axum::Router;
    /// use axum::routing::get;
    /// use mcp_server::{AccessToken, HttpConfig, Principal, Server};
    /// use mcp_server_oauth::OAuth;
    ///
    /// async fn tickets(Principal(user): Principal) -> String {
    ///     format!("The tickets of {user}")
    /// }
    ///
    /// async fn close(token: AccessToken) -> String {
    ///     format!("Closed for {}", token.subject.unwrap_or_default())
    /// }
    ///
    /// fn app(server: Server, oauth: OAuth) -> Router {
    ///     let config = HttpConfig::new().any_host().authenticate(oauth.clone());
    ///     let tokens = server.token_layer(oauth, &config);
    ///     let close = get(close).layer(tokens.clone().scopes(["tickets:write"]));
    ///     Router::new()
    ///         .route("/tickets", get(tickets).layer(tokens))
    ///         .route("/close", close)
    ///         .merge(server.into_router("/mcp", config))
    /// }
    /// # let _ = app;
    /// ```
    ///
    /// The layer refuses preflight requests of browsers (CORS), which have no token: add a layer that
    /// answers them around it. It ends no stream of a route when the token expires; handlers see in
    /// the token when that is.
    #[must_use]
    pub fn token_layer(&self, authenticate: impl Authenticate, config: &HttpConfig) -> TokenLayer {
        let authenticator = Authenticator::new(authenticate);
        TokenLayer::new(Arc::clone(&self.core), authenticator, config.clone())
    }
}

impl Server {
    /// Serves an application in axum that contains the endpoint of this server, and shuts both down
    /// when `signal` resolves.
    ///
    /// ```no_run
    /// use mcp_server::{HttpConfig, Server, terminated};
    ///
    /// # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
    /// let app = axum::Router::new()
    ///     .route("/", axum::routing::get(async || "Hello!"))
    ///     .merge(server.clone().into_router("/mcp", HttpConfig::new()));
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    /// server.serve_router(listener, app, terminated()?).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The signal, whose output does not matter, has the effect of [`shutdown`](Self::shutdown),
    /// which has that of the signal as well. Requests in flight, also those for other routes, have
    /// [`Limits::grace_time`](crate::Limits) to finish. If processes share a
    /// [store](crate::ServerBuilder::store), the socket is closed at once, so that a load balancer
    /// goes on to the others. Otherwise connections are accepted until no request of the server is
    /// in flight: handlers may wait for answers that clients send on new connections.
    ///
    /// Resolves when all connections are closed and [tasks](crate::guide::tasks) have ended or were
    /// handed over, at most [`Limits::store_time`](crate::Limits) and a second after the grace
    /// time. Connections that are still open then are left to the runtime.
    ///
    /// In an application with several servers, the others have to be shut down as well: call their
    /// [`shutdown`](Self::shutdown) when the signal resolves, and await their
    /// [`drain`](Self::drain) after this.
    ///
    /// # Errors
    ///
    /// [`ServeError::Io`] if the socket cannot be used.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with IO and time enabled.
    pub async fn serve_router(
        &self,
        listener: TcpListener,
        router: Router,
        signal: impl Future,
    ) -> Result<(), ServeError> {
        let server = self.clone();
        let accepting_ends = async move {
            server.core.stopping().await;
            if !server.core.stores.connect_processes() {
                server.requests_ended().await;
            }
        };
        // As the server's own listener: events have to arrive at once.
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "cannot set TCP_NODELAY");
            }
        });
        let app = router.into_make_service_with_connect_info::<SocketAddr>();
        let serving = axum::serve(listener, app).with_graceful_shutdown(accepting_ends);
        let serving = async {
            // axum waits for each connection, however slow its client is.
            let limit = async {
                self.core.grace_over().await;
                sleep(shutdown_write_time(self.limits())).await;
            };
            tokio::select! {
                biased;
                result = serving => result,
                () = limit => {
                    tracing::warn!("connections are open after the grace time");
                    Ok(())
                }
            }
        };
        self.until(signal, serving).await?;
        self.core.background_ended().await;
        Ok(())
    }
}
