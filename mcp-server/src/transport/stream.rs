//! Any pair of byte streams: a Unix socket, TCP, a pipe, a duplex in memory.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;

use mcp_types::lines::LineReader;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::sleep;

use super::bytes;
use super::line_connection::{CHUNK, LineConnection};
use crate::protocol::core::Core;
use crate::protocol::error::ServeError;
use crate::protocol::extensions::Extensions;
use crate::protocol::inbound::TransportInfo;
use crate::protocol::limits::Limits;
use crate::transport::write_queue::WriteQueue;
use crate::util::select::{Either, select};

/// Serves a peer on a pair of byte streams.
pub(crate) async fn serve(
    core: &Arc<Core>,
    reader: impl AsyncRead,
    writer: impl AsyncWrite,
    extensions: Extensions,
) -> Result<(), ServeError> {
    let (connection, owner) = LineConnection::open(core, extensions, TransportInfo::default());
    let outbox = connection.outbox().clone();
    let (reader, writer) = (pin!(reader), pin!(writer));
    let input = read(reader, connection, core.limits());
    owner.run(input, write(writer, &outbox)).await
}

async fn read(
    mut reader: Pin<&mut impl AsyncRead>,
    mut connection: LineConnection,
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
            match select(read, silent.as_mut()).await {
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

async fn write(mut writer: Pin<&mut impl AsyncWrite>, outbox: &WriteQueue) -> io::Result<()> {
    let mut buffer = Vec::new();
    while outbox.filled().await {
        while outbox.take(&mut buffer) {
            bytes::write_all(writer.as_mut(), &buffer).await?;
        }
        bytes::flush(writer.as_mut()).await?;
    }
    bytes::shutdown(writer).await
}
