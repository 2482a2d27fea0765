//! Any pair of byte streams: a Unix socket, TCP, a pipe, a duplex in memory.

use std::io;
use std::pin::{Pin, pin};

use mcp_types::lines::LineReader;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::connection::{CHUNK, Connection};
use super::outbox::Outbox;
use crate::error::ServeError;
use crate::server::Server;

impl Server {
    /// Serves a peer over a pair of byte streams, one message a line, as over stdio.
    ///
    /// Resolves when the input has ended and work in flight is done, or
    /// [`Limits::grace_time`](crate::Limits) has passed; and after [`Server::shutdown`].
    /// Dropping the future ends the connection and everything that runs for it.
    ///
    /// # Errors
    ///
    /// Where reading or writing fails.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with time enabled.
    pub async fn serve(
        &self,
        reader: impl AsyncRead,
        writer: impl AsyncWrite,
    ) -> Result<(), ServeError> {
        let (connection, owner) = Connection::open(self);
        let outbox = connection.outbox().clone();
        let max_line = self.limits().message_bytes;
        let (reader, writer) = (pin!(reader), pin!(writer));
        let input = read(reader, connection, max_line);
        owner.run(input, write(writer, &outbox)).await
    }
}

async fn read(
    mut reader: Pin<&mut impl AsyncRead>,
    mut connection: Connection,
    max_line: usize,
) -> io::Result<()> {
    let outbox = connection.outbox().clone();
    let mut lines = LineReader::new(max_line);
    loop {
        let count = reader.read(lines.spare(CHUNK)).await?;
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
            writer.write_all(&buffer).await?;
        }
        writer.flush().await?;
    }
    writer.shutdown().await
}
