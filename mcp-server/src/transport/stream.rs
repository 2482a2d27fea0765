//! Serves a pair of byte streams: a Unix socket, TCP, a pipe, or a duplex in memory.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;

use mcp_wire::{LineInput, WriteQueue};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::sleep;

use super::line_connection::LineConnection;
use crate::protocol::caller::Extensions;
use crate::protocol::core::Core;
use crate::protocol::dispatch::inbound::TransportInfo;
use crate::protocol::error::ServeError;
use crate::protocol::limits::Limits;

/// Serves a peer on a pair of byte streams.
pub(crate) async fn serve(
    core: &Arc<Core>,
    reader: impl AsyncRead,
    writer: impl AsyncWrite,
    extensions: Extensions,
) -> Result<(), ServeError> {
    let (connection, driver) = LineConnection::open(core, extensions, TransportInfo::default());
    let write_queue = connection.write_queue.clone();
    let (reader, writer) = (pin!(reader), pin!(writer));
    let input = read(reader, connection, &core.limits);
    driver.run(input, write(writer, &write_queue)).await
}

async fn read(
    mut reader: Pin<&mut impl AsyncRead>,
    mut connection: LineConnection,
    limits: &Limits,
) -> Result<(), ServeError> {
    let write_queue = connection.write_queue.clone();
    let mut lines = LineInput::new(limits.message_bytes);
    let mut first_message_timeout = pin!(sleep(limits.first_message_time));
    loop {
        let read = reader.read(lines.spare());
        let count = if connection.has_received {
            read.await?
        } else {
            tokio::select! {
                biased;
                count = read => count?,
                () = &mut first_message_timeout => return Err(ServeError::Silent),
            }
        };
        lines.filled(count);
        while let Some(line) = lines.next_line() {
            connection.handle_line(line);
            if write_queue.is_full() && !lines.has_ended() {
                // Reads no more from a peer that does not read its responses.
                write_queue.notify_writer();
                write_queue.wait_capacity().await;
            }
        }
        write_queue.notify_writer();
        if lines.has_ended() {
            return Ok(());
        }
    }
}

async fn write(mut writer: Pin<&mut impl AsyncWrite>, write_queue: &WriteQueue) -> io::Result<()> {
    let mut buffer = Vec::new();
    while write_queue.wait_filled().await {
        while write_queue.take(&mut buffer) {
            writer.write_all(&buffer).await?;
        }
        writer.flush().await?;
    }
    writer.shutdown().await
}
