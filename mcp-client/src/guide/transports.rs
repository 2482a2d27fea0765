//! Transports: child processes, byte streams, HTTP; and closing a connection.
//!
//! # A child process
//!
//! With the feature `process`, [`ChildProcess`](crate::ChildProcess) starts a server and exchanges
//! messages over its standard streams.
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
//! - **Environment**: the process inherits that of the client, unless it is
//!   [cleared](crate::ChildProcess::env_clear). It may contain secrets, so clear it for programs
//!   that you do not trust.
//! - **Standard error**: it is inherited, or goes to `tracing`, to a function or nowhere
//!   ([`Stderr`](crate::Stderr)). If the process exits, the error contains the last captured lines.
//! - **Shutdown**: the client closes the input of the process. After the [grace
//!   time](crate::ChildProcess::grace) of 2 seconds it sends `SIGTERM`, and after the same time
//!   `SIGKILL`, on Unix to the whole process group. The same happens in the background when the
//!   last clone of the client is dropped.
//! - **Unexpected exit**: pending calls fail with
//!   [`TransportError::Exited`](crate::TransportError), and the connection is closed, unless a
//!   [restart](crate::Restart) is configured. Then later calls wait for the new process, and
//!   subscriptions are opened again. No call is sent twice.
//!
//! # Byte streams
//!
//! [`ByteStream`](crate::ByteStream) uses any reader and writer: a socket, a pipe, a tunnel, or a
//! server in the same process:
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
//! With the feature `http`, [`Http`](crate::Http) supports Streamable HTTP of both eras, and as a
//! last resort the HTTP+SSE of 2024-11-05. `https` requires the feature `tls`, which uses rustls
//! with the certificates of the system and [additional ones](crate::Http::tls_roots). Connections
//! are direct unless the program sets a [`Proxy`](crate::Proxy), for example that of the
//! environment.
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
//! Detecting the era of a server takes a request. An [`EraCache`](crate::EraCache) remembers it,
//! and the revision, by the origin of the server, for the next client:
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
//! - **Headers**: the client sets those of the protocol, including `Mcp-Method`, `Mcp-Name`, and
//!   `Mcp-Param-...` for arguments that a tool marks with `x-mcp-header`. For the latter, the tool
//!   must have been listed; if the server reports them as missing, the client lists the tools and
//!   sends the call again. A tool with invalid marks is left out of lists, with a warning in
//!   `tracing`.
//! - **Responses** are JSON or an event stream, as the server chooses. An interrupted stream of the
//!   older era is resumed (`Last-Event-ID`), after the time that the server names.
//! - **Sessions** of the older era are started again if the server has ended them (404), and the
//!   call is sent again. [`close`](crate::Client::close) ends them with `DELETE`.
//! - **Connections** are pooled. Redirects are followed within the origin, with 307 and 308.
//! - **HTTP+SSE**: the URL for messages must be of the same origin.
//!
//! # Authorization
//!
//! Send a fixed token as a [header](crate::Http::header). For OAuth, see the page
//! [`authorization`](super::authorization). For other schemes, implement
//! [`Authorize`](crate::Authorize): it returns headers for each request, sees the headers of each
//! response, and decides whether a request that was rejected with 401 or 403 is sent again.
//!
//! ```
//! use std::sync::Mutex;
//!
//! use http::{HeaderMap, HeaderValue};
//! use mcp_client::{Authorize, AuthorizeFuture, AuthorizeRequest, AuthorizeResponse, Http};
//!
//! struct Signed {
//!     key: Mutex<String>,
//! }
//!
//! async fn next_key() -> Result<String, std::io::Error> {
//!     Ok("new key".to_owned())
//! }
//!
//! impl Authorize for Signed {
//!     fn authorize<'a>(&'a self, request: AuthorizeRequest<'a>) -> AuthorizeFuture<'a, HeaderMap> {
//!         Box::pin(async move {
//!             let key = self.key.lock().map(|key| key.clone()).unwrap_or_default();
//!             // A real scheme would sign the method and the URL.
//!             let signature = format!("{key} {} {}", request.method, request.url);
//!             let mut headers = HeaderMap::new();
//!             headers.insert("x-signature", HeaderValue::try_from(signature)?);
//!             Ok(headers)
//!         })
//!     }
//!
//!     fn rejected<'a>(&'a self, _response: AuthorizeResponse<'a>) -> AuthorizeFuture<'a, bool> {
//!         Box::pin(async move {
//!             let next = next_key().await?;
//!             if let Ok(mut key) = self.key.lock() {
//!                 *key = next;
//!             }
//!             Ok(true) // The request is sent again.
//!         })
//!     }
//! }
//!
//! let server = Http::new("http://127.0.0.1:8080/mcp")
//!     .auth(Signed { key: Mutex::new("one".to_owned()) });
//! # drop(server);
//! ```
//!
//! Headers and tokens are sent only to the origin of the server, and are not printed.
//!
//! # Closing a connection
//!
//! [`close`](crate::Client::close) closes a connection for all clones of the client: pending calls
//! fail with [`TransportError::Closed`](crate::TransportError), queued messages are sent, the
//! session is ended, and the process has exited. It returns when that is done, in bounded time.
//! Dropping the last clone, call and subscription does the same in the background. If the runtime
//! ends before that, a process is killed, and a session is not ended.
