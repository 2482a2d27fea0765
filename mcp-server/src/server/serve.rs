//! Serves a server over a transport, and shuts it down on a signal.

use std::future::Future;
use std::pin::pin;

use tokio::io::DuplexStream;

use crate::protocol::caller::Extensions;
use crate::protocol::core::Context;
use crate::protocol::error::ServeError;
use crate::server::handle::Server;
use crate::server::transports::{ByteStream, Stdio, Transport};

/// Bytes that a stream in memory holds until they are read.
const IN_MEMORY: usize = 64 << 10;

impl Server {
    /// Serves clients over a transport: [`Stdio`], a [`ByteStream`] or, with the feature `http`,
    /// [`Http`](crate::Http).
    ///
    /// A connection ends when the input has ended and the requests in flight are done, or
    /// [`Limits::grace_time`](crate::Limits) has passed; and after [`Server::shutdown`], which also
    /// waits for tasks. Dropping the future ends the connection and all its requests.
    ///
    /// ```
    /// use mcp_server::{ByteStream, ServeError, Server};
    ///
    /// async fn accept(server: &Server, socket: tokio::net::TcpStream) -> Result<(), ServeError> {
    ///     server.serve(ByteStream::of(socket)).await
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ServeError::Io`] if reading or writing fails, a thread cannot be started or an address
    /// cannot be bound, [`ServeError::Silent`] if no message arrives in time, and
    /// [`ServeError::NoHosts`](crate::ServeError) for HTTP on an address that other machines reach.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with time enabled, and for sockets IO.
    pub async fn serve(&self, transport: impl Transport) -> Result<(), ServeError> {
        let served = transport.serve(self).await;
        self.core.background_ended().await;
        served
    }

    /// Serves the client that started this process, over standard input and output: short for
    /// [`serve`](Self::serve) with [`Stdio`], whose documentation lists what a program must not do.
    ///
    /// # Errors
    ///
    /// As [`serve`](Self::serve).
    ///
    /// # Panics
    ///
    /// As [`serve`](Self::serve).
    pub async fn serve_stdio(&self) -> Result<(), ServeError> {
        self.serve(Stdio::new()).await
    }

    /// Serves a client in the same process, over the stream that this returns. For tests:
    ///
    /// ```
    /// use mcp_client::{ByteStream, Client};
    /// use mcp_server::Server;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder("demo", "1.0.0")
    ///     .tool("today", "Returns the day of the week", async || "Monday")
    ///     .build()?;
    /// let transport = ByteStream::of(server.in_memory());
    /// let client = Client::builder("test", "1.0.0").connect(transport).await?;
    /// assert_eq!(client.call_tool("today").await?.text(), "Monday");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A task serves the stream until it is dropped.
    ///
    /// # Panics
    ///
    /// As [`serve`](Self::serve).
    #[must_use]
    pub fn in_memory(&self) -> DuplexStream {
        self.in_memory_as(Extensions::new())
    }

    /// Serves an authenticated client in the same process, as [`in_memory`](Self::in_memory) does:
    /// each request has a [`Principal`](crate::Principal), an
    /// [`AccessToken`](crate::AccessToken) with the principal that it names, or any
    /// [`Extensions`].
    ///
    /// ```
    /// use mcp_client::{ByteStream, Client};
    /// use mcp_server::{Principal, Server};
    ///
    /// async fn who(Principal(name): Principal) -> String {
    ///     name
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder("demo", "1.0.0").tool("who", "Returns the user", who).build()?;
    /// let transport = ByteStream::of(server.in_memory_as(Principal("ada".to_owned())));
    /// let client = Client::builder("test", "1.0.0").connect(transport).await?;
    /// assert_eq!(client.call_tool("who").await?.text(), "ada");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`serve`](Self::serve).
    #[must_use]
    pub fn in_memory_as(&self, client: impl Into<Extensions>) -> DuplexStream {
        let (near, far) = tokio::io::duplex(IN_MEMORY);
        let transport = ByteStream::of(far).extensions(client.into());
        let server = self.clone();
        tokio::spawn(async move {
            if let Err(error) = server.serve(transport).await {
                tracing::debug!(%error, "a connection in memory ended");
            }
        });
        near
    }

    /// Creates a context that belongs to no request, for unit tests of functions that take one.
    /// What it sends is discarded, and questions to the client fail.
    ///
    /// ```
    /// use mcp_server::{Context, HandlerError, Principal, Server};
    ///
    /// async fn greet(cx: Context) -> Result<String, HandlerError> {
    ///     cx.progress(1, 1, None).await?;
    ///     let user = cx.extension::<Principal>().map_or("stranger", |user| &user.0);
    ///     Ok(format!("Hello, {user}!"))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder("test", "1.0.0").build()?;
    /// let cx = server.context().with_extension(Principal("Ada".to_owned()));
    /// assert_eq!(greet(cx).await.ok().as_deref(), Some("Hello, Ada!"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn context(&self) -> Context {
        Context::without_client(&self.core, "", Extensions::new())
    }

    /// Awaits `serving`, and shuts the server down when `signal` resolves.
    ///
    /// `serving` is a future that serves this server, over any transport. It resolves at the latest
    /// [`Limits::grace_time`](crate::Limits) after the [`shutdown`](Self::shutdown), and up to
    /// [`Limits::store_time`](crate::Limits) later if tasks are handed over then. The output of
    /// `signal` does not matter. If `serving` ends by itself, the signal is dropped.
    ///
    /// ```no_run
    /// # async fn run(server: mcp_server::Server) -> Result<(), mcp_server::ServeError> {
    /// server.until(tokio::signal::ctrl_c(), server.serve_stdio()).await
    /// # }
    /// ```
    pub async fn until<T>(&self, signal: impl Future, serving: impl Future<Output = T>) -> T {
        let mut serving = pin!(serving);
        tokio::select! {
            biased;
            served = &mut serving => served,
            _ = signal => {
                self.shutdown();
                serving.await
            }
        }
    }
}
