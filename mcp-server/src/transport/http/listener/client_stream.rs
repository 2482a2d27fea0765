//! [`ClientStream`]: the stream on which hyper serves a connection.

use std::future::Future;
use std::io;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::transport::http::activity::Activity;

/// The maximum number of bytes that are discarded after the response.
const DISCARDED_BYTES: usize = 16 << 20;
/// The maximum time for discarding them.
const DISCARD_TIME: Duration = Duration::from_secs(5);

/// A stream that first returns bytes that were read from it before. After it was shut down, it
/// discards what the client still sends, if the body of a request was not read.
pub(crate) struct ClientStream<S> {
    first: Bytes,
    stream: S,
    activity: Arc<Activity>,
    discarding: Option<Discarding>,
}

struct Discarding {
    timeout: Pin<Box<Sleep>>,
    count: usize,
}

impl<S> ClientStream<S> {
    pub(crate) fn new(first: Bytes, stream: S, activity: &Arc<Activity>) -> Self {
        Self {
            first,
            stream,
            activity: Arc::clone(activity),
            discarding: None,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ClientStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.first.is_empty() {
            return Pin::new(&mut self.stream).poll_read(task, buffer);
        }
        let size = self.first.len().min(buffer.remaining());
        buffer.put_slice(self.first.get(..size).unwrap_or_default());
        self.first.advance(size);
        if self.first.is_empty() {
            // Frees the memory.
            self.first = Bytes::new();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for ClientStream<S> {
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
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(task, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(task)
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.discarding.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(task))?;
            if !this.activity.has_unread_body() {
                return Poll::Ready(Ok(()));
            }
        }
        let discarding = this.discarding.get_or_insert_with(|| Discarding {
            timeout: Box::pin(sleep(DISCARD_TIME)),
            count: 0,
        });
        let mut bytes = [0; 8 << 10];
        while discarding.count < DISCARDED_BYTES
            && discarding.timeout.as_mut().poll(task).is_pending()
        {
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut this.stream).poll_read(task, &mut buffer));
            // The client has closed its side, or the connection failed.
            if read.is_err() || buffer.filled().is_empty() {
                break;
            }
            discarding.count += buffer.filled().len();
        }
        Poll::Ready(Ok(()))
    }
}

/// A connection that fails if a write makes no progress within a time limit.
///
/// The kernel reports a socket as writable only when a large part of its buffer is free, so a
/// client that reads single bytes makes no progress.
pub(crate) struct WriteTimeout {
    stream: TcpStream,
    limit: Duration,
    /// Runs while a write is pending.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl WriteTimeout {
    pub(crate) fn new(stream: TcpStream, limit: Duration) -> Self {
        Self {
            stream,
            limit,
            stalled: None,
        }
    }

    fn watch(
        &mut self,
        task: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let limit = self.limit;
        let timer = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        timer.as_mut().poll(task).map(|()| {
            let message = "the client does not read its responses";
            Err(io::Error::new(io::ErrorKind::TimedOut, message))
        })
    }
}

impl AsyncRead for WriteTimeout {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(task, buffer)
    }
}

impl AsyncWrite for WriteTimeout {
    fn poll_write(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(task, bytes);
        self.watch(task, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(task, buffers);
        self.watch(task, written)
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
