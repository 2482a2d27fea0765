//! Reads and writes bytes. These few functions replace tokio's feature `io-util`, which takes
//! longer to compile than all transports.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Reads up to `buffer.len()` bytes, and returns their number: 0 at the end. Cancel safe.
pub(crate) async fn read(
    mut reader: Pin<&mut impl AsyncRead>,
    buffer: &mut [u8],
) -> io::Result<usize> {
    let mut buffer = ReadBuf::new(buffer);
    poll_fn(|task| reader.as_mut().poll_read(task, &mut buffer)).await?;
    Ok(buffer.filled().len())
}

/// Writes all bytes.
pub(crate) async fn write_all(
    mut writer: Pin<&mut impl AsyncWrite>,
    mut bytes: &[u8],
) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = poll_fn(|task| writer.as_mut().poll_write(task, bytes)).await?;
        bytes = match bytes.get(written..) {
            Some(rest) if written > 0 => rest,
            _ => return Err(io::ErrorKind::WriteZero.into()),
        };
    }
    Ok(())
}

/// Flushes the writer.
pub(crate) async fn flush(mut writer: Pin<&mut impl AsyncWrite>) -> io::Result<()> {
    poll_fn(|task| writer.as_mut().poll_flush(task)).await
}

/// Shuts down the writer.
pub(crate) async fn shutdown(mut writer: Pin<&mut impl AsyncWrite>) -> io::Result<()> {
    poll_fn(|task| writer.as_mut().poll_shutdown(task)).await
}
