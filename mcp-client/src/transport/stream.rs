//! Any pair of byte streams: a pipe, a socket, a duplex in memory. One message a line.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_types::lines::LineReader;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};

use crate::core::Core;
use crate::error::TransportError;
use crate::link::{Link, Sending};

/// Bytes that one read asks for.
const CHUNK: usize = 64 << 10;
/// Messages that wait for the writer before calls have to wait.
const QUEUE: usize = 64;

/// The way to a server over a byte stream.
pub(crate) struct StreamLink {
    queue: mpsc::Sender<Vec<u8>>,
    /// What cannot wait: no more than the calls that it ends.
    urgent: Arc<Urgent>,
}

#[derive(Default)]
struct Urgent {
    messages: Mutex<Vec<Vec<u8>>>,
    added: Notify,
}

impl Urgent {
    fn take(&self) -> Vec<Vec<u8>> {
        std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What the writer takes messages from.
pub(crate) struct Outgoing {
    queue: mpsc::Receiver<Vec<u8>>,
    urgent: Arc<Urgent>,
}

impl StreamLink {
    pub(crate) fn new() -> (Self, Outgoing) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let urgent = Arc::<Urgent>::default();
        let outgoing = Outgoing {
            queue: receiver,
            urgent: Arc::clone(&urgent),
        };
        let link = Self {
            queue: sender,
            urgent,
        };
        (link, outgoing)
    }
}

impl Link for StreamLink {
    fn send(&self, message: Vec<u8>) -> Sending<'_> {
        Box::pin(async move {
            let sent = self.queue.send(message).await;
            sent.map_err(|_| TransportError::Closed)
        })
    }

    fn send_now(&self, message: Vec<u8>) {
        let mut messages = self
            .urgent
            .messages
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        messages.push(message);
        drop(messages);
        self.urgent.added.notify_one();
    }
}

/// Moves messages both ways until one of them ends.
pub(crate) async fn run(
    core: Arc<Core>,
    outgoing: Outgoing,
    reader: impl AsyncRead,
    writer: impl AsyncWrite,
) {
    let ended = tokio::select! {
        ended = read(&core, reader) => ended,
        ended = write(outgoing, writer) => ended,
    };
    let error = ended.err().map(TransportError::from);
    core.calls.lose(error.unwrap_or(TransportError::Closed));
}

async fn read(core: &Core, reader: impl AsyncRead) -> io::Result<()> {
    let mut reader = std::pin::pin!(reader);
    let limit = core.limits.message_bytes;
    let mut lines = LineReader::new(limit);
    loop {
        let count = reader.read(lines.spare(CHUNK)).await?;
        if count == 0 {
            if let Some(Ok(line)) = lines.finish() {
                core.receive(line);
            }
            return Ok(());
        }
        lines.filled(count);
        while let Some(line) = lines.next_line() {
            match line {
                Ok(line) if line.trim_ascii().is_empty() => {}
                Ok(line) => core.receive(line),
                // Whose answer it was cannot be told.
                Err(_) => core.calls.fail(TransportError::TooLong { limit }),
            }
        }
    }
}

async fn write(mut outgoing: Outgoing, writer: impl AsyncWrite) -> io::Result<()> {
    let mut writer = std::pin::pin!(writer);
    let mut messages = Vec::with_capacity(QUEUE);
    let mut lines = Vec::new();
    loop {
        tokio::select! {
            count = outgoing.queue.recv_many(&mut messages, QUEUE) => if count == 0 {
                return Ok(());
            },
            () = outgoing.urgent.added.notified() => {}
        }
        // A request stands before the news that it was given up.
        for _ in 0..QUEUE {
            let Ok(message) = outgoing.queue.try_recv() else {
                break;
            };
            messages.push(message);
        }
        messages.append(&mut outgoing.urgent.take());
        for message in messages.drain(..) {
            lines.extend_from_slice(&message);
            lines.push(b'\n');
        }
        writer.write_all(&lines).await?;
        writer.flush().await?;
        lines.clear();
        lines.shrink_to(CHUNK);
    }
}
