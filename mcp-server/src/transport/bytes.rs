//! Reading and writing bytes: what `tokio` has as a feature of its own, which would take longer to
//! compile than all transports.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Reads what there is, as much as has room; nothing is the end. Dropped, it has read nothing.
pub(crate) async fn read(
    mut reader: Pin<&mut impl AsyncRead>,
    room: &mut [u8],
) -> io::Result<usize> {
    let mut room = ReadBuf::new(room);
    poll_fn(|task| reader.as_mut().poll_read(task, &mut room)).await?;
    Ok(room.filled().len())
}

/// Writes all of it.
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

/// Sees to it that what was written leaves.
pub(crate) async fn flush(mut writer: Pin<&mut impl AsyncWrite>) -> io::Result<()> {
    poll_fn(|task| writer.as_mut().poll_flush(task)).await
}

/// Ends what is written.
pub(crate) async fn shutdown(mut writer: Pin<&mut impl AsyncWrite>) -> io::Result<()> {
    poll_fn(|task| writer.as_mut().poll_shutdown(task)).await
}
