//! Reads the first bytes of a connection, before anything is allocated to serve HTTP on it.
//!
//! hyper allocates 16 KiB of buffers for each connection as soon as it serves it. A connection on
//! which nothing, half a head or half an HTTP/2 preface has arrived costs only those bytes here.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What a client of HTTP/2 sends first.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Bytes of a head that are kept here. This is what hyper reads at once; it takes over whatever is
/// longer.
const MOST: usize = 8 << 10;

/// Bytes that are read at once.
const CHUNK: usize = 4 << 10;

/// What a client has sent first.
pub(super) struct Opening {
    pub(super) protocol: Protocol,
    /// All that was read. They have to be read again, see [`Rewound`].
    pub(super) bytes: Bytes,
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Http1,
    Http2,
}

/// Reads until there is a complete head of a request, a complete preface of HTTP/2, or something
/// that hyper has to judge. Returns `None` if the client closes the connection without a byte.
///
/// # Errors
///
/// If the connection breaks.
pub(super) async fn read(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Opening>> {
    let mut bytes = Vec::new();
    loop {
        let scanned = bytes.len();
        let is_end =
            poll_fn(|task| poll_chunk(Pin::new(&mut *stream), task, &mut bytes)).await? == 0;
        if bytes.is_empty() {
            return Ok(None);
        }
        if let Some(protocol) = judge(&bytes, scanned, is_end) {
            let bytes = bytes.into();
            return Ok(Some(Opening { protocol, bytes }));
        }
    }
}

/// Appends what the client has sent to `bytes`, and returns how much it is. The space to read into
/// is on the stack, so that a client that sends little does not keep more.
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

/// The version of HTTP, as soon as hyper can take over. `scanned` bytes were judged before.
fn judge(bytes: &[u8], scanned: usize, is_end: bool) -> Option<Protocol> {
    if bytes.starts_with(PREFACE) {
        return Some(Protocol::Http2);
    }
    let is_complete = is_end
        || bytes.len() >= MOST
        || !is_start_of_request(bytes)
        || (!PREFACE.starts_with(bytes) && has_end_of_head(bytes, scanned));
    is_complete.then_some(Protocol::Http1)
}

/// Whether the first byte can be that of a request. hyper refuses all others at once, such as those
/// of TLS.
fn is_start_of_request(bytes: &[u8]) -> bool {
    let first = bytes.first();
    first.is_some_and(|byte| byte.is_ascii_graphic() || matches!(byte, b'\r' | b'\n'))
}

/// Whether an empty line has arrived behind the bytes that were `scanned` before. Lines may end
/// without a carriage return. Empty lines in front of a request do not end it, but hyper can take
/// over there as well.
fn has_end_of_head(bytes: &[u8], scanned: usize) -> bool {
    // The end of a line may have been the last byte, with half of the end of the next one.
    let from = scanned.saturating_sub(3);
    let fresh = bytes.get(from..).unwrap_or_default();
    fresh.windows(2).any(|pair| pair == b"\n\n") || fresh.windows(3).any(|three| three == b"\n\r\n")
}

/// A stream of which some bytes were read already and are read again.
pub(super) struct Rewound<S> {
    bytes: Bytes,
    stream: S,
}

impl<S> Rewound<S> {
    pub(super) fn new(bytes: Bytes, stream: S) -> Self {
        Self { bytes, stream }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Rewound<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.bytes.is_empty() {
            return Pin::new(&mut self.stream).poll_read(task, buffer);
        }
        let size = self.bytes.len().min(buffer.remaining());
        buffer.put_slice(self.bytes.get(..size).unwrap_or_default());
        self.bytes.advance(size);
        if self.bytes.is_empty() {
            // Frees them.
            self.bytes = Bytes::new();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Rewound<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(task, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(task, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(task)
    }
}
