//! Reads the first bytes of a connection, before anything is allocated to serve HTTP on it.
//!
//! hyper allocates buffers of 16 KiB for each connection that it serves. Until a complete head or
//! HTTP/2 preface has arrived, a connection needs only the memory of the bytes received so far.

use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::io::{AsyncRead, ReadBuf};

/// The first bytes that an HTTP/2 client sends.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The maximum number of bytes of a head that are read here: as many as hyper reads at once. hyper
/// reads the rest of a longer head.
const MAX_BYTES: usize = 8 << 10;

/// The number of bytes that are read at once.
const CHUNK: usize = 4 << 10;

/// The first bytes that a client has sent.
pub(crate) struct FirstBytes {
    pub(crate) protocol: Protocol,
    /// All bytes that were read. They are read again by the stream of the connection.
    pub(crate) bytes: Bytes,
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http1,
    Http2,
}

/// Reads until a complete request head or HTTP/2 preface has arrived, or bytes that hyper has to
/// reject. Returns `None` if the client closes the connection before that: it waits for no
/// response.
///
/// # Errors
///
/// If reading from the connection fails.
pub(crate) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<FirstBytes>> {
    let mut bytes = Vec::new();
    loop {
        let scanned = bytes.len();
        let read = poll_fn(|task| poll_chunk(Pin::new(&mut *stream), task, &mut bytes)).await?;
        if read == 0 {
            return Ok(None);
        }
        if let Some(protocol) = detect(&bytes, scanned) {
            let bytes = bytes.into();
            return Ok(Some(FirstBytes { protocol, bytes }));
        }
    }
}

/// Appends received bytes to `bytes`, and returns their number. The read buffer is on the stack, so
/// that a connection with few bytes uses little memory.
fn poll_chunk(
    stream: Pin<&mut impl AsyncRead>,
    task: &mut Context<'_>,
    bytes: &mut Vec<u8>,
) -> Poll<io::Result<usize>> {
    let mut space = [MaybeUninit::uninit(); CHUNK];
    let mut chunk = ReadBuf::uninit(&mut space);
    stream.poll_read(task, &mut chunk).map_ok(|()| {
        bytes.extend_from_slice(chunk.filled());
        chunk.filled().len()
    })
}

/// Returns the version of HTTP as soon as hyper can take over. `scanned` bytes were checked before.
fn detect(bytes: &[u8], scanned: usize) -> Option<Protocol> {
    if bytes.starts_with(PREFACE) {
        return Some(Protocol::Http2);
    }
    let is_complete = bytes.len() >= MAX_BYTES
        || !is_start_of_request(bytes)
        || (!PREFACE.starts_with(bytes) && has_end_of_head(bytes, scanned));
    is_complete.then_some(Protocol::Http1)
}

/// Returns `true` if the first byte can be that of a request. hyper rejects all others at once,
/// such as those of TLS.
fn is_start_of_request(bytes: &[u8]) -> bool {
    let first = bytes.first();
    first.is_some_and(|byte| byte.is_ascii_graphic() || matches!(byte, b'\r' | b'\n'))
}

/// Returns `true` if an empty line has arrived after the `scanned` bytes. Lines may end without a
/// carriage return. Empty lines before a request do not end its head, but hyper can take over then.
fn has_end_of_head(bytes: &[u8], scanned: usize) -> bool {
    // The line ends may be split between scanned and new bytes.
    let from = scanned.saturating_sub(3);
    let fresh = bytes.get(from..).unwrap_or_default();
    fresh.windows(2).any(|pair| pair == b"\n\n") || fresh.windows(3).any(|three| three == b"\n\r\n")
}
