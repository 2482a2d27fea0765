//! Any pair of byte streams: a Unix socket, TCP, a pipe, a duplex in memory.

use std::io;
use std::pin::{Pin, pin};

use mcp_types::lines::LineReader;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::sleep;

use super::bytes;
use super::line_connection::{CHUNK, Connection};
use super::write_queue::Outbox;
use crate::protocol::context::Extensions;
use crate::protocol::core::Server;
use crate::protocol::error::ServeError;
use crate::protocol::limits::Limits;
use crate::util::select::{Either, race};

impl Server {
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
        let (connection, owner) = Connection::open(self, extensions);
        let outbox = connection.outbox().clone();
        let (reader, writer) = (pin!(reader), pin!(writer));
        let input = read(reader, connection, self.limits());
        owner.run(input, write(writer, &outbox)).await
    }
}

async fn read(
    mut reader: Pin<&mut impl AsyncRead>,
    mut connection: Connection,
    limits: &Limits,
) -> Result<(), ServeError> {
    let outbox = connection.outbox().clone();
    let mut lines = LineReader::new(limits.message_bytes);
    let mut silent = pin!(sleep(limits.first_message_time));
    loop {
        let read = bytes::read(reader.as_mut(), lines.spare(CHUNK));
        let count = if connection.has_heard() {
            read.await?
        } else {
            match race(read, silent.as_mut()).await {
                Either::First(count) => count?,
                Either::Second(()) => return Err(ServeError::Silent),
            }
        };
        lines.filled(count);
        let mut longest = 0;
        while let Some(line) = lines.next_line() {
            longest = longest.max(line.map_or(0, <[u8]>::len));
            connection.line(line);
            if outbox.is_full() {
                // Who does not read is not read from.
                outbox.announce();
                outbox.has_room().await;
            }
        }
        if count == 0 {
            while let Some(line) = lines.finish() {
                connection.line(line);
            }
            outbox.announce();
            return Ok(());
        }
        outbox.announce();
        if longest > CHUNK {
            lines.shrink_to(CHUNK);
        }
    }
}

async fn write(mut writer: Pin<&mut impl AsyncWrite>, outbox: &Outbox) -> io::Result<()> {
    let mut buffer = Vec::new();
    while outbox.filled().await {
        while outbox.take(&mut buffer) {
            bytes::write_all(writer.as_mut(), &buffer).await?;
        }
        bytes::flush(writer.as_mut()).await?;
    }
    bytes::shutdown(writer).await
}
