//! How a server ends without losing requests.
//!
//! [`Server::shutdown`](crate::Server::shutdown) begins the end, on every transport that serves the
//! server:
//!
//! 1. New requests are refused: with status 503 over HTTP, with -32603 elsewhere.
//! 2. Subscriptions end with their result. Streams without a request, such as those for
//!    announcements to sessions, are closed.
//! 3. Requests in flight continue for [`Limits::grace_time`](crate::Limits), 10 seconds by default.
//!    Answers to questions that their handlers ask, and cancellations, are still accepted.
//! 4. Requests that are not done by then end with an error, and their handlers are dropped.
//! 5. [Tasks](super::tasks) have the same time. Those that are not done by then are handed over to
//!    another process, or fail. This may take up to [`Limits::store_time`](crate::Limits) more.
//!
//! Then the future that serves resolves. [`Server::until`](crate::Server::until) calls `shutdown`
//! when a signal arrives, and waits for that:
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use mcp_server::{Limits, Server, Stdio};
//!
//! /// Resolves when the process is asked to end: Ctrl-C, or SIGTERM from an orchestrator.
//! async fn signal() -> std::io::Result<()> {
//!     #[cfg(unix)]
//!     {
//!         use tokio::signal::unix::{SignalKind, signal};
//!
//!         let mut terminate = signal(SignalKind::terminate())?;
//!         tokio::select! {
//!             interrupted = tokio::signal::ctrl_c() => interrupted,
//!             _ = terminate.recv() => Ok(()),
//!         }
//!     }
//!     #[cfg(not(unix))]
//!     tokio::signal::ctrl_c().await
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let server = Server::builder("demo", "1.0.0")
//!         .limits(Limits::default().grace_time(Duration::from_secs(30)))
//!         .tool("today", "Returns the day of the week", async || "Monday")
//!         .build()?;
//!     if std::env::args().any(|argument| argument == "--http") {
//!         server.until(signal(), server.serve_http("127.0.0.1:3000")?).await?;
//!     } else {
//!         server.until(signal(), server.serve(Stdio::new())).await?;
//!     }
//!     Ok(())
//! }
//! ```
//!
//! The signal is any future: a signal of the operating system, a message of a channel, a timer. Its
//! output does not matter. Give orchestrators more time than the grace time before they kill the
//! process, and with tasks the time for the store as well.
//!
//! # Standard input and output
//!
//! A client usually ends a server by closing its standard input. The server then finishes the
//! requests in flight, for the grace time at most, and the future resolves by itself. A program
//! that does something else as well should end when it does. Tasks of the extension are not waited
//! for then: that client was the only one, unless processes share a store.
//!
//! # HTTP
//!
//! [`serve_http`](crate::Server::serve_http) stops accepting connections when no request is in
//! flight any more: handlers may wait for an answer that the client sends on a new connection. Idle
//! connections are closed. A readiness check (see [`HttpConfig`](crate::HttpConfig)) answers 503
//! from the beginning of the shutdown, so that a load balancer sends new requests elsewhere.
//!
//! # axum
//!
//! axum has a graceful shutdown of its own, which stops accepting connections at once and waits for
//! those that are open. Streams of sessions never end by themselves, so the server has to be shut
//! down as well, and first: [`drain`](crate::Server::drain) shuts it down, and waits until no
//! request is in flight.
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
//!
//! # In handlers
//!
//! A handler does not have to do anything for the shutdown. One that started tasks of its own can
//! end them when [`Context::cancelled`](crate::Context::cancelled) resolves: when the request was
//! answered, cancelled, or ended by the grace time.
