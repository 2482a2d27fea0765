//! [`Transport`]: the transports of a server, as values.

use std::future::Future;
use std::pin::pin;

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadHalf, WriteHalf, split};

use crate::protocol::caller::Extensions;
use crate::protocol::core::Context;
use crate::protocol::error::ServeError;
use crate::server::handle::Server;
use crate::transport::{stdio, stream};

/// A transport for [`Server::serve`]: [`Stdio`], [`ByteStream`] and, with the feature
/// `http`, [`Http`](crate::Http).
pub trait Transport {
    /// Serves the server until the client or the server ends it.
    fn serve(self, server: &Server) -> impl Future<Output = Result<(), ServeError>>;
}

/// Standard input and output of this process: the client started it.
///
/// Nothing else may read standard input or write to standard output: no `println!`. Logs go to
/// standard error.
///
/// Handlers start on the thread that reads. A handler that computes for long, or blocks, delays the
/// messages that follow; it should use `tokio::task::spawn_blocking`.
///
/// Dropping the future of [`Server::serve`] ends the connection and all its requests. The thread
/// that reads standard input cannot be interrupted: it ends after the next input, which it
/// consumes, or with the process.
///
/// ```no_run
/// use mcp_server::{Principal, Server, Stdio};
///
/// # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
/// // Handlers extract the principal, as from a request over HTTP.
/// let user = Principal(std::env::var("USER")?);
/// server.serve(Stdio::new().extension(user)).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Stdio {
    extensions: Extensions,
}

impl Stdio {
    /// Creates the transport.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Attaches these values to all requests, instead of those that were attached before.
    #[must_use]
    pub fn extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// Attaches a value to all requests: see [`Context::extension`](crate::Context::extension).
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }
}

impl Transport for Stdio {
    async fn serve(self, server: &Server) -> Result<(), ServeError> {
        stdio::serve(&server.core, self.extensions).await
    }
}

/// A pair of byte streams with one message in each line, as over standard input and output: a
/// socket, a pipe, or a duplex in memory.
///
/// The program that accepts connections decides how many of them there are at once. A connection on
/// which nothing is received ends after [`Limits::first_message_time`](crate::Limits).
///
/// ```
/// use mcp_server::{ByteStream, Principal, ServeError, Server};
///
/// # #[cfg(unix)]
/// async fn accept(server: &Server, socket: tokio::net::UnixStream) -> Result<(), ServeError> {
///     let user = socket.peer_cred()?.uid();
///     let stream = ByteStream::of(socket).extension(Principal(user.to_string()));
///     server.serve(stream).await
/// }
/// ```
#[derive(Debug)]
pub struct ByteStream<R, W> {
    reader: R,
    writer: W,
    extensions: Extensions,
}

impl<S: AsyncRead + AsyncWrite> ByteStream<ReadHalf<S>, WriteHalf<S>> {
    /// Creates a transport from one stream for both directions.
    pub fn of(stream: S) -> Self {
        let (reader, writer) = split(stream);
        Self::new(reader, writer)
    }
}

impl<R: AsyncRead, W: AsyncWrite> ByteStream<R, W> {
    /// Creates a transport from the stream that the client writes and the one that it reads.
    pub fn new(reader: R, writer: W) -> Self {
        Self {
            reader,
            writer,
            extensions: Extensions::new(),
        }
    }

    /// Attaches these values to all requests, instead of those that were attached before.
    #[must_use]
    pub fn extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// Attaches a value to all requests: see [`Context::extension`](crate::Context::extension).
    /// Sealed state is bound to a [`Principal`](crate::Principal) among the values.
    #[must_use]
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }
}

impl<R: AsyncRead, W: AsyncWrite> Transport for ByteStream<R, W> {
    async fn serve(self, server: &Server) -> Result<(), ServeError> {
        stream::serve(&server.core, self.reader, self.writer, self.extensions).await
    }
}

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
