//! Ways to a server: a child process, byte streams, HTTP; and the end of a connection.
//!
//! # A child process
//!
//! With the feature `process`, [`ChildProcess`](crate::ChildProcess) starts a server and speaks to its
//! standard streams.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use mcp_client::{ChildProcess, Client, Restart, Stderr};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let server = ChildProcess::new("npx")
//!     .args(["-y", "@modelcontextprotocol/server-filesystem", "/home/me/work"])
//!     .env_remove("AWS_SECRET_ACCESS_KEY")
//!     .stderr(Stderr::capture(|line| eprintln!("server: {line}")))
//!     .restart(Restart::new(3, Duration::from_secs(60)));
//! let client = Client::builder("demo", "1.0.0").connect(server).await?;
//! println!("{} tools", client.tools().all().await?.items.len());
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! - **Its environment** is the client's, unless it is [cleared](crate::ChildProcess::env_clear):
//!   think of what it holds before you start a program that you do not know.
//! - **Its standard error** goes where the client's goes, to `tracing`, to a function, or nowhere
//!   ([`Stderr`](crate::Stderr)). The last lines of what is captured stand in the error when it ends.
//! - **Its end**: its input is closed; after the [grace time](crate::ChildProcess::grace) of 2 seconds
//!   it gets `SIGTERM`, and after the same time again `SIGKILL`, on Unix with all that it started. The
//!   same happens when the last clone of the client is dropped, with nobody waiting for it.
//! - **If it ends by itself**, calls that wait end with
//!   [`TransportError::Exited`](crate::TransportError), and so does the connection, unless it is to be
//!   [started again](crate::Restart). Then calls that begin meanwhile wait for the new process, and
//!   subscriptions are made anew. No call is made twice.
//!
//! # Byte streams
//!
//! [`ByteStream`](crate::ByteStream) takes anything that can be read and written: a socket, a pipe, a
//! tunnel, or a server in the same process:
//!
//! ```
//! use mcp_client::{ByteStream, Client};
//! use mcp_server::Server;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder("hello", "1.0.0")
//!     .tool("hello", "Says hello", async || "Hello!")
//!     .build()?;
//! let transport = ByteStream::of(server.in_memory());
//! let client = Client::builder("demo", "1.0.0").connect(transport).await?;
//! assert_eq!(client.call_tool("hello").await?.text(), "Hello!");
//! # Ok(())
//! # }
//! ```
//!
//! # HTTP
//!
//! With the feature `http`, [`Http`](crate::Http) speaks Streamable HTTP of both eras, and where
//! nothing else works the HTTP+SSE of 2024-11-05. `https` asks for the feature `tls`: rustls, with the
//! certificates that the system trusts and [those that are added](crate::Http::tls_roots).
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use mcp_server::Server;
//! # let server = Server::builder("hello", "1.0.0")
//! #     .tool("hello", "Says hello", async || "Hello!")
//! #     .build()?;
//! # let serving = server.serve_http("127.0.0.1:0")?;
//! # let url = format!("http://{}/mcp", serving.local_addr());
//! # tokio::spawn(serving.into_future());
//! use mcp_client::{Client, Http};
//!
//! let server = Http::new(url).header("x-tenant", "blue");
//! let client = Client::builder("demo", "1.0.0").connect(server).await?;
//! assert_eq!(client.call_tool("hello").await?.text(), "Hello!");
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! Of which era a server is takes a request to find out. An [`EraCache`](crate::EraCache) remembers it by
//! the origin, for the next client:
//!
//! ```no_run
//! use mcp_client::{Client, EraCache, Http};
//!
//! # async fn run() -> Result<(), mcp_client::ConnectError> {
//! let eras = EraCache::new();
//! for name in ["one", "two"] {
//!     let server = Http::new("https://example.com/mcp").era_cache(eras.clone());
//!     let client = Client::builder(name, "1.0.0").connect(server).await?;
//!     client.close().await;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! - **Headers.** Those that the protocol asks for are set, also `Mcp-Method`, `Mcp-Name`, and
//!   `Mcp-Param-...` for arguments that a tool marks by `x-mcp-header`. For the latter the tool has to
//!   have been listed; where the server misses them, the client reads its list and tries once more. A
//!   tool whose marks break the rules is left out of lists, with a warning by `tracing`.
//! - **Answers** are JSON or a stream of events, as the server likes. A stream of the older era that
//!   breaks off is taken up where it broke off (`Last-Event-ID`), after the time that the server names.
//! - **Sessions** of the older era are begun anew when the server has forgotten them (404), and the
//!   call is sent again, once. [`close`](crate::Client::close) ends them by `DELETE`.
//! - **Connections** are used again. A redirect is followed within the origin, with 307 and 308.
//! - **Old servers** are not let to send messages elsewhere: the place to which HTTP+SSE posts has to be
//!   of the same origin.
//!
//! # Authorization
//!
//! A fixed token is a [header](crate::Http::header). One that has to be fetched and renewed comes from
//! [`Authorize`](crate::Authorize), which is asked before each request, and told when the server
//! refuses one with 401 or 403:
//!
//! ```
//! use std::sync::Mutex;
//!
//! use mcp_client::{Authorize, Challenge, Http, Token};
//!
//! struct Refreshed {
//!     token: Mutex<String>,
//! }
//!
//! async fn refresh(_realm: Option<&str>) -> Result<String, std::io::Error> {
//!     Ok("another one".to_owned())
//! }
//!
//! impl Refreshed {
//!     fn value(&self) -> Option<String> {
//!         Some(format!("Bearer {}", self.token.lock().ok()?))
//!     }
//! }
//!
//! impl Authorize for Refreshed {
//!     fn authorization<'a>(&'a self, _url: &'a http::Uri) -> Token<'a> {
//!         Box::pin(async { Ok(self.value()) })
//!     }
//!
//!     fn challenged<'a>(&'a self, challenge: Challenge<'a>) -> Token<'a> {
//!         Box::pin(async move {
//!             let asked = challenge.headers.get("www-authenticate");
//!             let new = refresh(asked.and_then(|asked| asked.to_str().ok())).await?;
//!             if let Ok(mut token) = self.token.lock() {
//!                 *token = new;
//!             }
//!             Ok(self.value()) // the request is sent once more
//!         })
//!     }
//! }
//!
//! let server = Http::new("http://127.0.0.1:8080/mcp")
//!     .auth(Refreshed { token: Mutex::new("one".to_owned()) });
//! # drop(server);
//! ```
//!
//! Headers and tokens go to the origin of the server and nowhere else, and they are not printed.
//!
//! # The end
//!
//! [`close`](crate::Client::close) ends a connection for all clones of the client: calls that wait end
//! with [`TransportError::Closed`](crate::TransportError), what is on its way is sent, the session is
//! ended, the process is gone. It returns when that is done, in bounded time. Dropping the last clone,
//! call and subscription does the same without anybody waiting; if the runtime ends before that, a
//! process is killed, and a session is left to the server.
