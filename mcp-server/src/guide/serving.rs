//! How a server is served: transports, the internet, limits, several processes.
//!
//! # Standard input and output, and byte streams
//!
//! [`Server::serve`](crate::Server::serve) takes a transport. [`Stdio`](crate::Stdio) is the client
//! that started this process; [`serve_stdio`](crate::Server::serve_stdio) is short for it. A
//! [`ByteStream`](crate::ByteStream) is a socket or a pipe. The program accepts connections, and
//! serves each of them in a task of its own:
//!
//! ```no_run
//! # #[cfg(unix)]
//! async fn listen(server: mcp_server::Server) -> std::io::Result<()> {
//!     let listener = tokio::net::UnixListener::bind("/run/demo.sock")?;
//!     loop {
//!         let (socket, _) = listener.accept().await?;
//!         let server = server.clone();
//!         tokio::spawn(async move {
//!             if let Err(error) = server.serve(mcp_server::ByteStream::of(socket)).await {
//!                 tracing::warn!(%error, "connection lost");
//!             }
//!         });
//!     }
//! }
//! ```
//!
//! A connection serves one client. A second `initialize` on it is rejected with -32600: the server
//! could not tell which client sent a message, so one client would get the questions and
//! subscriptions of the other. A tunnel that several clients use starts a process for each of them.
//!
//! # HTTP
//!
//! One endpoint serves both eras of Streamable HTTP. [`serve_http`](crate::Server::serve_http)
//! binds a socket, and serves while the returned future is awaited:
//!
//! ```no_run
//! # async fn run(server: mcp_server::Server) -> Result<(), Box<dyn std::error::Error>> {
//! server.serve_http("127.0.0.1:3000")?.await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Http`](crate::Http) has more settings: a configuration and, with the feature `tls`,
//! [`Http::tls`](crate::Http). In axum the server is a service, behind any layers:
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
//! It is a service of tower whose error type is `Infallible`, so plain hyper can serve it too. With
//! the feature `axum`, `Server::into_router` returns a router with all paths of the endpoint, which
//! also passes on the address of the connection.
//!
//! No web page may reach a server on its user's machine through the browser, so the headers `Host`
//! and `Origin` are checked. Without [`HttpConfig`](crate::HttpConfig) only the names of this
//! machine are allowed; a server at another address needs its names.
//!
//! Clients that only support the deprecated transport HTTP+SSE of 2024-11-05 are served if
//! [`HttpConfig::http_sse`](crate::HttpConfig::http_sse) enables it.
//!
//! # On the internet
//!
//! A server that other machines reach needs names and TLS, and usually a proxy, web pages that may
//! be clients, and paths for its operator:
//!
//! ```no_run
//! use mcp_server::{Http, HttpConfig, Server};
//!
//! # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
//! let config = HttpConfig::new()
//!     // Allowed values of the header `Host`.
//!     .allow_hosts(["mcp.example.com"])
//!     // Web pages that may be clients.
//!     .allow_origins(["https://app.example.com"])
//!     // Proxies that report the address of the client.
//!     .trusted_proxies(["127.0.0.1", "10.0.0.0/8"])?
//!     .health_path("/healthz")
//!     .readiness_path("/readyz")
//!     .metrics_path("/metrics");
//! server.serve(Http::at("0.0.0.0:3000").config(config)).await?;
//! # Ok(())
//! # }
//! ```
//!
//! ## Web pages as clients
//!
//! A browser lets a page use a server of another origin only if the server agrees (CORS). The
//! server answers preflight requests of the origins in
//! [`allow_origins`](crate::HttpConfig::allow_origins), and of pages of its own hosts. These pages
//! can read every response, also errors. Requests of other pages are rejected with 403.
//!
//! Pages may send the headers of the protocol, `Authorization` and trace context;
//! [`allow_headers`](crate::HttpConfig::allow_headers) allows more. Cookies are never allowed, so a
//! page cannot use rights that the browser adds by itself. Allowed pages may also reach a server in
//! a private network (`Access-Control-Allow-Private-Network`). Downloads by URL follow the same
//! rules with `serve_http`; in other stacks `UrlService::allow_pages` enables it.
//!
//! A layer that authenticates runs before the service, so it also gets the preflight requests,
//! which never have credentials. It has to pass them on. Its own errors need CORS headers, or pages
//! cannot read them:
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
//! Behind a proxy all connections come from one address, so limits for each client would count all
//! clients as one. [`trusted_proxies`](crate::HttpConfig::trusted_proxies) names the proxies whose
//! headers `Forwarded` or `X-Forwarded-For` are trusted. Handlers get the address of the client as
//! the extension [`PeerAddress`](crate::PeerAddress). A router of `into_router` attaches the
//! address of the connection; a program that mounts the service in axum does it itself:
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
//! The proxy must also:
//!
//! - Terminate TLS, and refuse or redirect plain HTTP: headers contain tokens and session ids.
//! - Pass `Host` on, or set it to a name in [`allow_hosts`](crate::HttpConfig::allow_hosts).
//! - Append the client's address to one of the two headers, and delete the other one. A request
//!   with both, which disagree, counts as a request of the proxy.
//! - Not buffer responses: events have to arrive at once. The server sends `X-Accel-Buffering: no`
//!   for nginx.
//! - Keep idle connections open for longer than
//!   [`Limits::keep_alive`](crate::Limits::keep_alive), the interval of comments on open streams,
//!   and wait for responses as long as [`Limits::request_time`](crate::Limits::request_time).
//! - Send the requests of one session to one process, unless the processes share their sessions,
//!   see below.
//!
//! ## Operation
//!
//! Three paths are disabled by default. [`health_path`](crate::HttpConfig::health_path) returns 200
//! while the process serves requests, [`readiness_path`](crate::HttpConfig::readiness_path) returns
//! 503 while the server is full or shutting down. Both accept any `Host`, since orchestrators probe
//! by address. [`metrics_path`](crate::HttpConfig::metrics_path) returns gauges and counters in the
//! text format of OpenMetrics, and for each method and tool the number of requests by outcome and a
//! histogram of durations. It checks `Host` and `Origin`, but every client can read it; to serve
//! it elsewhere, use [`Server::metrics`](crate::Server::metrics):
//!
//! ```
//! use axum::routing::get;
//! use mcp_server::{Metrics, Server};
//!
//! /// Serve this at an address that only the operator can reach.
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
//! The example `opentelemetry` makes instruments of OpenTelemetry of them.
//!
//! # Limits
//!
//! Everything that a client could make grow or last is limited. [`Limits`](crate::Limits) has the
//! defaults:
//!
//! ```
//! use std::time::Duration;
//!
//! use mcp_server::{Limits, Server};
//!
//! let limits = Limits::default()
//!     .request_time(Duration::from_secs(30))
//!     .concurrent_requests(100);
//! let server = Server::builder("demo", "1.0.0").limits(limits).build()?;
//! # drop(server);
//! # Ok::<(), mcp_server::BuildErrors>(())
//! ```
//!
//! If a handler panics, its request fails with -32603, and the panic is logged with `tracing`. Each
//! request has a span whose fields follow the conventions of OpenTelemetry; the `traceparent` in
//! `_meta` of the request is one of them.
//!
//! # Several processes
//!
//! Any process with the same [`Keys`](crate::Keys) can serve a request of 2026-07-28. Everything
//! else that processes share is in a [`Store`](crate::Store): sessions of older clients and the
//! events that they resume from, changes, answers to questions that another process asked, and
//! the values of [`Stored`](crate::Stored). By default the store is the memory of the process.
//!
//! ```
//! use mcp_server::{HttpConfig, HttpService, Keys, Server, Store};
//!
//! fn process(secret: [u8; 32], store: impl Store) -> Result<HttpService, mcp_server::BuildErrors> {
//!     let server = Server::builder("demo", "1.0.0")
//!         .keys(Keys::from_bytes(secret))
//!         .store(store)
//!         .build()?;
//!     Ok(server.into_service(HttpConfig::new()))
//! }
//! # let _ = process([0; 32], mcp_server::Memory::new());
//! ```
//!
//! New keys do not have to invalidate requests in progress: first use a key that still opens what
//! [the previous one](crate::Keys::with_previous) sealed, then, after
//! [`Limits::state_time`](crate::Limits), one without it.
//! [`rotate_keys`](crate::Server::rotate_keys) changes them in a running server.
//!
//! The page [`shutdown`](super::shutdown) shows how a server ends, and [`cluster`](super::cluster) a
//! complete program for several processes.
//!
//! # Logs and spans
//!
//! The crate writes its log with [`tracing`]. Each request runs in a span `mcp.request`, whose
//! fields name the method, the tool and the error, and each response is an event at the level
//! `DEBUG`. This prints the events, and each span with its duration when it ends. Standard output
//! belongs to the messages of the protocol, so the log goes to standard error:
//!
//! ```
//! use tracing_subscriber::fmt::format::FmtSpan;
//!
//! fn print_logs() {
//!     tracing_subscriber::fmt()
//!         .with_writer(std::io::stderr)
//!         .with_max_level(tracing::Level::DEBUG)
//!         .with_span_events(FmtSpan::CLOSE)
//!         .init();
//! }
//! # print_logs();
//! ```
