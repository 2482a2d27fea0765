//! [`ByteStream`]: messages over a pair of byte streams, one per line.

use std::io;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mcp_types::Revision;
use mcp_wire::{LineInput, WriteQueue};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf, split};
use tokio::task::coop::consume_budget;
use tokio::time::timeout;

use crate::protocol::connection::{Connection, MessageSender, OutgoingRequest, SendFuture};
use crate::protocol::error::TransportError;
use crate::protocol::limits::Limits;
use crate::protocol::transport::{OpenTransport, OpenedTransport};

/// The maximum capacity of the write buffer between two writes, in bytes.
const KEPT: usize = 64 << 10;

/// The time in which a closing client writes the queued messages.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// A pair of byte streams with one message per line: a Unix socket, TCP, a duplex stream in memory.
///
/// A line of more than [`Limits::message_bytes`] is skipped, and all pending calls fail with
/// [`TransportError::TooLong`], because the line may have been the response to any of them.
///
/// [`Client::close`](crate::Client::close) writes the queued messages, for at most a second, and
/// shuts down the writer.
///
/// ```no_run
/// # #[cfg(unix)]
/// # async fn connect() -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_client::{ByteStream, Client};
///
/// let socket = tokio::net::UnixStream::connect("/run/demo.sock").await?;
/// let client = Client::builder("demo", "1.0.0").connect(ByteStream::of(socket)).await?;
/// # drop(client);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ByteStream<R, W> {
    reader: R,
    writer: W,
}

impl<S> ByteStream<ReadHalf<S>, WriteHalf<S>>
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    /// Creates a transport from one stream for both directions.
    pub fn of(stream: S) -> Self {
        let (reader, writer) = split(stream);
        Self { reader, writer }
    }
}

impl<R, W> ByteStream<R, W>
where
    R: AsyncRead + Send + 'static,
    W: AsyncWrite + Send + 'static,
{
    /// Creates a transport from the stream that the server writes and the one that it reads.
    pub fn new(reader: R, writer: W) -> Self {
        Self { reader, writer }
    }
}

impl<R, W> OpenTransport for ByteStream<R, W>
where
    R: AsyncRead + Send + 'static,
    W: AsyncWrite + Send + 'static,
{
    fn open(self, limits: &Limits) -> Result<OpenedTransport, TransportError> {
        let queue = Arc::new(WriteQueue::new(limits.queued_bytes));
        let sender = StreamSender::new(Arc::clone(&queue));
        Ok(OpenedTransport {
            sender: Arc::new(sender),
            driver: Box::new(move |connection| {
                Box::pin(async move {
                    let mut running = pin!(run(&connection, &queue, self.reader, self.writer));
                    tokio::select! {
                        error = &mut running => {
                            queue.close();
                            connection.pending.close(error);
                        }
                        () = connection.state.shutdown_requested() => {
                            queue.close();
                            // The client does not wait longer for a server that does not read.
                            let _ = timeout(FLUSH_TIME, running).await;
                        }
                    }
                })
            }),
        })
    }
}

/// Sends messages over a byte stream.
pub(crate) struct StreamSender {
    queue: Arc<WriteQueue>,
    /// The revision of the server. Remembered for a restart of its process.
    revision: Mutex<Option<Revision>>,
}

impl StreamSender {
    pub(crate) fn new(queue: Arc<WriteQueue>) -> Self {
        Self {
            queue,
            revision: Mutex::default(),
        }
    }
}

impl MessageSender for StreamSender {
    fn send_request<'a>(
        &'a self,
        _: &'a Arc<Connection>,
        request: OutgoingRequest<'a>,
    ) -> SendFuture<'a> {
        Box::pin(async move {
            queue(&self.queue, &request.message).await?;
            request.sent.store(true, Ordering::Relaxed);
            Ok(())
        })
    }

    fn send_notification<'a>(
        &'a self,
        _: &'a Arc<Connection>,
        _: &'a str,
        message: Vec<u8>,
    ) -> SendFuture<'a> {
        Box::pin(async move { queue(&self.queue, &message).await })
    }

    fn send_now(&self, message: Vec<u8>) {
        self.queue.force_send(&message);
    }

    fn cancels_on_drop(&self, _: &Connection) -> bool {
        false
    }

    fn remembered_revision(&self) -> Option<Revision> {
        *self.revision.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember_revision(&self, revision: Option<Revision>) {
        *self.revision.lock().unwrap_or_else(PoisonError::into_inner) = revision;
    }
}

/// Queues a message. Waits while the queue is full.
async fn queue(queue: &WriteQueue, message: &[u8]) -> Result<(), TransportError> {
    let is_queued = queue.send(message).await;
    is_queued.then_some(()).ok_or(TransportError::Closed)
}

/// Moves messages in both directions until one of them ends, and returns the reason.
pub(crate) async fn run(
    connection: &Arc<Connection>,
    queue: &WriteQueue,
    reader: impl AsyncRead,
    writer: impl AsyncWrite,
) -> TransportError {
    let ended = tokio::select! {
        ended = read(connection, queue, reader) => ended,
        ended = write(queue, writer) => ended,
    };
    ended.map_or_else(TransportError::from, |()| TransportError::Closed)
}

pub(crate) async fn read(
    connection: &Arc<Connection>,
    queue: &WriteQueue,
    reader: impl AsyncRead,
) -> io::Result<()> {
    let mut reader = std::pin::pin!(reader);
    let limit = connection.limits.message_bytes;
    let mut lines = LineInput::new(limit);
    loop {
        // A server that sends requests without reading the responses has to wait.
        queue.wait_forced_capacity().await;
        let count = reader.read(lines.spare()).await?;
        lines.filled(count);
        while let Some(line) = lines.next_line() {
            match line {
                Ok(line) => connection.receive(line),
                // It may have been the response to any request.
                Err(_) => connection
                    .pending
                    .fail_all(TransportError::TooLong { limit }),
            }
            // A flood of lines must not keep the timeouts of the same thread waiting.
            consume_budget().await;
        }
        if lines.has_ended() {
            return Ok(());
        }
    }
}

pub(crate) async fn write(queue: &WriteQueue, writer: impl AsyncWrite) -> io::Result<()> {
    let mut writer = std::pin::pin!(writer);
    let mut lines = Vec::new();
    while queue.next(&mut lines).await {
        writer.write_all(&lines).await?;
        writer.flush().await?;
        lines.clear();
        lines.shrink_to(KEPT);
    }
    writer.shutdown().await
}
