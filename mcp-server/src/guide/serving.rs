//! How a server is served: transports, bounds, several processes, the end.
//!
//! # Byte streams
//!
//! [`serve_stdio`](crate::Server::serve_stdio) serves the process that started this one;
//! [`serve`](crate::Server::serve) any pair of byte streams, each connection in a task of its own:
//!
//! ```no_run
//! # #[cfg(unix)]
//! async fn listen(server: mcp_server::Server) -> std::io::Result<()> {
//!     let socket = tokio::net::UnixListener::bind("/run/demo.sock")?;
//!     loop {
//!         let (stream, _) = socket.accept().await?;
//!         let server = server.clone();
//!         tokio::spawn(async move {
//!             let (reader, writer) = tokio::io::split(stream);
//!             if let Err(error) = server.serve(mcp_server::ByteStream::new(reader, writer)).await {
//!                 tracing::warn!(%error, "connection lost");
//!             }
//!         });
//!     }
//! }
//! ```
//!
//! # HTTP
//!
//! One endpoint serves both eras of Streamable HTTP. By itself:
//!
//! ```no_run
//! # async fn run(server: mcp_server::Server) -> Result<(), Box<dyn std::error::Error>> {
//! server.serve_http("127.0.0.1:3000")?.await?;
//! # Ok(())
//! # }
//! ```
//!
//! over TLS, with the feature `tls`, by [`serve_https`](crate::Server::serve_https), which takes a
//! configuration of rustls; in axum, with whatever layers stand before it:
//!
//! ```no_run
//! use mcp_server::{HttpConfig, Server};
//!
//! # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
//! let config = HttpConfig::new()
//!     .allow_hosts(["mcp.example.com"])
//!     .allow_origins(["https://app.example.com"]);
//! let app: axum::Router = axum::Router::new().route_service("/mcp", server.into_service(config));
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
//! axum::serve(listener, app).await?;
//! # Ok(())
//! # }
//! ```
//!
//! and in plain hyper, since the service is one of tower's, whose errors never happen.
//!
//! A browser must not reach a server on its user's machine by way of any page: the headers `Host`
//! and `Origin` are checked. Without [`HttpConfig`](crate::HttpConfig) only local names pass;
//! whoever binds another address says which names are its own.
//!
//! Clients that know nothing but the deprecated transport HTTP+SSE of 2024-11-05 are served as
//! well where [`HttpConfig::http_sse`](crate::HttpConfig::http_sse) says so.
//!
//! # In public
//!
//! A server that other machines reach needs names, TLS, and usually a proxy, pages and an operator:
//!
//! ```no_run
//! use mcp_server::{HttpConfig, Server};
//!
//! # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
//! let config = HttpConfig::new()
//!     // The names in the header `Host`.
//!     .allow_hosts(["mcp.example.com"])
//!     // Pages in browsers that may be clients.
//!     .allow_origins(["https://app.example.com"])
//!     // Who may report the address of a client.
//!     .trusted_proxies(["127.0.0.1", "10.0.0.0/8"])?
//!     .health_path("/healthz")
//!     .readiness_path("/readyz")
//!     .metrics_path("/metrics");
//! server.serve_http(mcp_server::Http::at("0.0.0.0:3000").config(config))?.await?;
//! # Ok(())
//! # }
//! ```
//!
//! ## Pages as clients
//!
//! A browser lets a page use a server of another origin only if the server agrees (CORS). Preflight
//! requests of the origins in [`allow_origins`](crate::HttpConfig::allow_origins), and of pages of
//! the server's own hosts, are answered, and these pages can read every response, refusals
//! included. Requests of any other page are refused with 403.
//!
//! Pages may send the headers of the protocol, `Authorization` and trace context; further ones have
//! to be named by [`allow_headers`](crate::HttpConfig::allow_headers). Cookies are never allowed,
//! so no page can act with rights that the browser attaches by itself. Allowed pages may also reach
//! a server in a private network (`Access-Control-Allow-Private-Network`). Downloads by URL follow
//! the same rules under `serve_http`; in another stack,
//! `UrlService::allow_pages` says so.
//!
//! A middleware that authenticates stands before the service, so it also gets the preflight
//! requests, which never have credentials. It has to pass them on, and its own refusals need CORS
//! headers, or a page cannot read why it was refused:
//!
//! ```
//! use axum::extract::Request;
//! use axum::http::{Method, StatusCode, header};
//! use axum::middleware::{Next, from_fn};
//! use axum::response::{IntoResponse, Response};
//! use mcp_server::{HttpConfig, Server};
//!
//! const PAGE: &str = "https://app.example.com";
//!
//! async fn authenticate(request: Request, next: Next) -> Response {
//!     let headers = request.headers();
//!     let is_preflight = request.method() == Method::OPTIONS
//!         && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
//!     // A real program checks the token here, and attaches a `Principal`.
//!     if is_preflight || headers.contains_key(header::AUTHORIZATION) {
//!         return next.run(request).await;
//!     }
//!     let refusal = [
//!         (header::WWW_AUTHENTICATE, "Bearer"),
//!         (header::ACCESS_CONTROL_ALLOW_ORIGIN, PAGE),
//!         (header::ACCESS_CONTROL_EXPOSE_HEADERS, "www-authenticate"),
//!     ];
//!     (StatusCode::UNAUTHORIZED, refusal).into_response()
//! }
//!
//! fn app(server: Server) -> axum::Router {
//!     let config = HttpConfig::new().allow_hosts(["mcp.example.com"]).allow_origins([PAGE]);
//!     axum::Router::new()
//!         .route_service("/mcp", server.into_service(config))
//!         .layer(from_fn(authenticate))
//! }
//! # let _ = app;
//! ```
//!
//! ## Behind a proxy
//!
//! Behind a proxy all connections come from one address, so limits for each peer would count all
//! clients as one. [`trusted_proxies`](crate::HttpConfig::trusted_proxies) names the proxies whose
//! `Forwarded` or `X-Forwarded-For` is believed. Handlers find the client's address as
//! [`PeerAddress`](crate::PeerAddress). Under axum the program attaches the address of the
//! connection itself:
//!
//! ```
//! use std::net::SocketAddr;
//!
//! use axum::extract::{ConnectInfo, Request};
//! use axum::middleware::{Next, from_fn};
//! use axum::response::Response;
//! use mcp_server::HttpService;
//!
//! async fn attach(
//!     ConnectInfo(address): ConnectInfo<SocketAddr>,
//!     mut request: Request,
//!     next: Next,
//! ) -> Response {
//!     request.extensions_mut().insert(address);
//!     next.run(request).await
//! }
//!
//! async fn serve(service: HttpService, listener: tokio::net::TcpListener) -> std::io::Result<()> {
//!     let app = axum::Router::new().route_service("/mcp", service).layer(from_fn(attach));
//!     axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await
//! }
//! # let _ = serve;
//! ```
//!
//! What else the proxy has to do:
//!
//! - Terminate TLS, and refuse or redirect plain HTTP: tokens and session ids travel in headers.
//! - Pass on `Host`, or set it to a name in [`allow_hosts`](crate::HttpConfig::allow_hosts).
//! - Append the client's address to one of the two headers, and delete the other one. If a request
//!   has both and they disagree, it counts for the proxy.
//! - Not buffer responses: events have to leave at once. The server sends `X-Accel-Buffering: no`,
//!   which nginx honours.
//! - Keep quiet connections open for longer than
//!   [`Limits::keep_alive`](crate::Limits::keep_alive), after which an open stream gets a comment,
//!   and responses for as long as [`Limits::request_time`](crate::Limits::request_time).
//! - Send the requests of one session to one process, unless the processes share their sessions,
//!   see below.
//!
//! ## Operation
//!
//! Three paths are off by default. [`health_path`](crate::HttpConfig::health_path) answers 200 as
//! long as the process serves requests, [`readiness_path`](crate::HttpConfig::readiness_path) 503
//! while the server is shutting down or full. Both are served under any `Host`, since orchestrators
//! probe by address. [`metrics_path`](crate::HttpConfig::metrics_path) serves gauges and counters
//! in the text format of OpenMetrics. It checks `Host` and `Origin`, but anybody who may send
//! requests can read it; a program that wants it elsewhere serves
//! [`Server::metrics`](crate::Server::metrics) itself:
//!
//! ```
//! use axum::routing::get;
//! use mcp_server::{Metrics, Server};
//!
//! /// To be served at an address that only the operator reaches.
//! fn operator(server: Server) -> axum::Router {
//!     let metrics = move || {
//!         let text = server.metrics().to_open_metrics();
//!         std::future::ready(([("content-type", Metrics::OPEN_METRICS)], text))
//!     };
//!     axum::Router::new().route("/metrics", get(metrics))
//! }
//! # let _ = operator;
//! ```
//!
//! # Bounds
//!
//! Everything that a peer could make grow is bounded, with the defaults of
//! [`Limits`](crate::Limits):
//!
//! ```
//! use std::time::Duration;
//!
//! use mcp_server::{Limits, Server};
//!
//! let mut limits = Limits::default();
//! limits.request_time = Duration::from_secs(30);
//! limits.concurrent_requests = 100;
//! let server = Server::builder("demo", "1.0.0").limits(limits).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! A handler that panics fails its own request with -32603, and the panic is logged by `tracing`,
//! as is everything that goes wrong and no peer is told of. Each request has a span with fields
//! named by OpenTelemetry's conventions; the `traceparent` of a request's `_meta` is among them.
//!
//! # Several processes
//!
//! A request of 2026-07-28 can be served by any process that has the same
//! [`Keys`](crate::Keys). What else processes must share stands behind traits: changes, answers
//! and ends of sessions ([`Bus`](crate::Bus)), sessions of older peers
//! ([`SessionStore`](crate::SessionStore)) and the events that these come back for
//! ([`EventStore`](crate::EventStore)). The defaults live in the memory of one process.
//!
//! ```
//! use std::sync::Arc;
//!
//! use mcp_server::{
//!     Bus, EventStore, HttpConfig, HttpService, Keys, MemoryEvents, MemorySessions, Server,
//!     SessionStore,
//! };
//!
//! fn process(
//!     secret: [u8; 32],
//!     bus: Arc<dyn Bus>,
//!     sessions: Arc<dyn SessionStore>,
//!     events: Arc<dyn EventStore>,
//! ) -> Result<HttpService, mcp_server::BuildErrors> {
//!     let server = Server::builder("demo", "1.0.0")
//!         .keys(Keys::from_bytes(secret))
//!         .bus(bus)
//!         .build()?;
//!     let config = HttpConfig::new().session_store(sessions).event_store(events);
//!     Ok(server.into_service(config))
//! }
//! # let _ = process;
//! ```
//!
//! Keys are changed without losing what is under way: a new one that still opens what
//! [the one before](crate::Keys::with_previous) sealed, then, after
//! [`Limits::state_time`](crate::Limits), without it. A running server takes them by
//! [`rotate_keys`](crate::Server::rotate_keys).
//!
//! # Shutdown
//!
//! [`shutdown`](crate::Server::shutdown) refuses new requests, ends subscriptions with their
//! result and all streams on which nothing is served, and gives requests in flight the
//! [grace time](crate::Limits). Requests that run longer are ended with an error. A handler that
//! waits for an answer of its client can still get it: answers and cancellations are accepted until
//! the end. This holds on every way of serving. With a signal, for a server of its own:
//!
//! ```no_run
//! # async fn run(server: mcp_server::Server) -> Result<(), Box<dyn std::error::Error>> {
//! let http = server.serve_http("127.0.0.1:3000")?;
//! http.until(tokio::signal::ctrl_c()).await?; // resolves when all is done
//! # Ok(())
//! # }
//! ```
//!
//! for anything else, such as standard input, by [`Server::until`](crate::Server::until):
//!
//! ```no_run
//! # async fn run(server: mcp_server::Server) -> Result<(), Box<dyn std::error::Error>> {
//! server.until(tokio::signal::ctrl_c(), server.serve_stdio()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! and in axum together with its own graceful shutdown. axum waits for its connections, and those
//! with a stream of a session would never end: the server has to be shut down as well. When axum
//! begins its shutdown, it accepts no more connections, and clients often send answers on new ones:
//! [`drain`](crate::Server::drain) shuts the server down and lets axum accept them until no request
//! is in flight.
//!
//! ```no_run
//! use mcp_server::{HttpConfig, Server};
//!
//! # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
//! let service = server.clone().into_service(HttpConfig::new());
//! let app: axum::Router = axum::Router::new().route_service("/mcp", service);
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
//! axum::serve(listener, app)
//!     .with_graceful_shutdown(async move {
//!         let _ = tokio::signal::ctrl_c().await;
//!         server.drain().await;
//!     })
//!     .await?;
//! # Ok(())
//! # }
//! ```
