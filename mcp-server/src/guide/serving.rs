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
//!             if let Err(error) = server.serve(reader, writer).await {
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
//! # Ok::<(), mcp_server::BuildError>(())
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
//! ) -> Result<HttpService, mcp_server::BuildError> {
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
//! [grace time](crate::Limits). Requests that run longer are ended with an error. This holds on
//! every way of serving. With a signal, for a server of its own:
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
//! with a stream of a session would never end: the server has to be shut down as well.
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
//!         server.shutdown();
//!     })
//!     .await?;
//! # Ok(())
//! # }
//! ```
