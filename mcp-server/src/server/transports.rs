//! [`Transport`]: the transports of a server, as values.

use std::future::Future;

use tokio::io::{AsyncRead, AsyncWrite, ReadHalf, WriteHalf, split};

use crate::protocol::caller::Extensions;
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
