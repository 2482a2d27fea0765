//! How a server is served on byte streams, and shut down with a signal.

use std::future::Future;
use std::pin::pin;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::protocol::error::ServeError;
use crate::protocol::extensions::Extensions;
use crate::server::handle::Server;
use crate::transport::{stdio, stream};
use crate::util::select::{Either, select};

impl Server {
    /// Serves the peer that started this process, over standard input and output.
    ///
    /// Resolves when standard input has ended and work in flight is done, or
    /// [`Limits::grace_time`](crate::Limits) has passed; and after [`Server::shutdown`].
    /// Dropping the future ends the connection and everything that runs for it. Only a thread
    /// that waits for input cannot be woken: it ends with the next input, which it takes, or
    /// with the process. So standard input is not to be read by anyone else, before or after.
    ///
    /// Nothing else may write to standard output: no `println!`. Logs go to standard error.
    ///
    /// Handlers begin on the thread that reads. One that computes for long, or blocks, holds up
    /// what comes after it: that is what `tokio::task::spawn_blocking` is for.
    ///
    /// # Errors
    ///
    /// Where reading or writing fails, as when the peer no longer reads, or a thread cannot be
    /// started.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with time enabled.
    pub async fn serve_stdio(&self) -> Result<(), ServeError> {
        stdio::serve(&self.core).await
    }

    /// Serves a peer over a pair of byte streams, one message a line, as over stdio.
    ///
    /// Resolves when the input has ended and work in flight is done, or
    /// [`Limits::grace_time`](crate::Limits) has passed; and after [`Server::shutdown`].
    /// Dropping the future ends the connection and everything that runs for it.
    ///
    /// How many connections there are at once is up to who accepts them. One on which nothing is
    /// said ends after [`Limits::first_message_time`](crate::Limits).
    ///
    /// # Errors
    ///
    /// Where reading or writing fails, and [`ServeError::Silent`].
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with time enabled.
    pub async fn serve(
        &self,
        reader: impl AsyncRead,
        writer: impl AsyncWrite,
    ) -> Result<(), ServeError> {
        self.serve_with(reader, writer, Extensions::new()).await
    }

    /// Serves a peer over a pair of byte streams, as [`serve`](Self::serve), with what is known of
    /// it: handlers find it by [`Context::extension`](crate::Context::extension), and sealed state
    /// is bound to the [`Principal`](crate::Principal) among it.
    ///
    /// ```
    /// # use mcp_server::{Extensions, Principal, ServeError, Server};
    /// # #[cfg(unix)]
    /// async fn accept(server: &Server, socket: tokio::net::UnixStream) -> Result<(), ServeError> {
    ///     let user = socket.peer_cred()?.uid();
    ///     let mut extensions = Extensions::new();
    ///     extensions.insert(Principal(user.to_string()));
    ///     let (reader, writer) = socket.into_split();
    ///     server.serve_with(reader, writer, extensions).await
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`serve`](Self::serve).
    ///
    /// # Panics
    ///
    /// As [`serve`](Self::serve).
    pub async fn serve_with(
        &self,
        reader: impl AsyncRead,
        writer: impl AsyncWrite,
        extensions: Extensions,
    ) -> Result<(), ServeError> {
        stream::serve(&self.core, reader, writer, extensions).await
    }

    /// Drives `serving` to its end, and shuts the server down when `signal` resolves.
    ///
    /// `serving` is what serves this server, on whatever way: it ends some time after
    /// [`shutdown`](Self::shutdown). What the signal resolves to does not matter. Where `serving`
    /// ends by itself, the signal is dropped.
    ///
    /// ```no_run
    /// # async fn run(server: mcp_server::Server) -> Result<(), mcp_server::ServeError> {
    /// server.until(tokio::signal::ctrl_c(), server.serve_stdio()).await
    /// # }
    /// ```
    pub async fn until<T>(&self, signal: impl Future, serving: impl Future<Output = T>) -> T {
        let mut serving = pin!(serving);
        match select(serving.as_mut(), signal).await {
            Either::First(served) => served,
            Either::Second(_) => {
                self.shutdown();
                serving.await
            }
        }
    }
}
