//! [`run`]: drives the connection to a process, and to its successors if it is restarted.

use std::future::{Future, pending};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use mcp_types::peer_text::PeerDisplay;
use tokio::time::{Instant, sleep, timeout};

use super::command::{ChildProcess, Started};
use super::restart::Restarts;
use super::stderr;
use super::stderr::{LastLines, Stderr};
use crate::protocol::connection::Connection;
use crate::protocol::error::TransportError;
use crate::protocol::negotiation::negotiate;
use crate::transport::stream::{read, write};
use crate::transport::write_queue::WriteQueue;

/// How long what a process wrote before it ended may take to be read, where another process that
/// is not of its group still holds the pipe.
const REST: Duration = Duration::from_millis(500);

/// Drives the connection until the client closes it, or the process exits and is not restarted.
pub(super) async fn run(
    connection: &Arc<Connection>,
    queue: &WriteQueue,
    mut process: ChildProcess,
    started: Started,
) {
    let mut restarts = Restarts::new(process.restart.clone());
    // Older servers may exit when they receive the probe for the revision.
    let mut may_die = connection.pinned.is_none();
    // The builder negotiates with the first process.
    let mut ended = serve(connection, queue, &process, started, pending()).await;
    loop {
        // Messages that are sent from now on fail with `Closed`.
        queue.close();
        let ServeEnd::Alone(error) = ended else {
            return;
        };
        let agreed = connection.negotiated().is_some();
        let delay = if agreed {
            restarts.next()
        } else {
            std::mem::take(&mut may_die).then_some(Duration::ZERO)
        };
        let Some(delay) = delay else {
            connection.pending.close(error);
            return;
        };
        tracing::warn!(error = %PeerDisplay(&error), ?delay, "the server is started again");
        connection.state.set_reconnecting();
        connection.inbound.abort_requests();
        connection.pending.fail_all(error);
        tokio::select! {
            () = connection.state.shutdown_requested() => {
                ended = ServeEnd::Asked;
                continue;
            }
            () = sleep(delay) => {}
        }
        let started = match process.start() {
            Ok(started) => started,
            Err(error) => {
                ended = ServeEnd::Alone(error);
                continue;
            }
        };
        queue.reopen();
        ended = if agreed {
            serve(connection, queue, &process, started, agree(connection)).await
        } else {
            connection.state.set_connected();
            serve(connection, queue, &process, started, pending()).await
        };
    }
}

/// Negotiates with a new process, then lets calls continue. Returns only if that fails.
async fn agree(connection: &Arc<Connection>) -> TransportError {
    if let Err(source) = negotiate(connection).await {
        let source = Box::new(source);
        return TransportError::Restarted { source };
    }
    connection.state.set_connected();
    pending().await
}

/// Why the work with a process ended.
enum ServeEnd {
    /// The client closed the connection.
    Asked,
    /// The process exited, or cannot be used.
    Alone(TransportError),
}

/// Drives the connection to one process until it exits or `useless` returns, then ends it.
async fn serve(
    connection: &Arc<Connection>,
    queue: &WriteQueue,
    process: &ChildProcess,
    started: Started,
    useless: impl Future<Output = TransportError>,
) -> ServeEnd {
    let Started {
        mut group,
        stdin,
        stdout,
        stderr,
    } = started;
    let mut last = LastLines::default();
    let mut reading = Task::new(read(connection, queue, stdout));
    let mut writing = Task::new(write(queue, stdin));
    let mut hearing = Task::new(hear(stderr, &process.stderr, &mut last));

    let reason = {
        let mut useless = pin!(useless);
        let mut closing = pin!(connection.state.shutdown_requested());
        loop {
            tokio::select! {
                () = &mut closing => break ServeEnd::Asked,
                error = &mut useless => break ServeEnd::Alone(error),
                ended = reading.end() => break why(ended),
                ended = writing.end() => break why(ended),
                // Its status is read below.
                _ = group.wait() => break ServeEnd::Alone(TransportError::Closed),
                // Its logs may end before it does.
                _ = hearing.end() => {}
            }
        }
    };
    let wanted = matches!(reason, ServeEnd::Asked);
    if wanted {
        queue.close();
    }

    let (status, asked) = {
        // The process exits when its input ends.
        let begun = Instant::now();
        let mut ending = pin!(async {
            if wanted {
                tokio::select! {
                    _ = timeout(process.grace, writing.finish()) => {}
                    _ = group.wait() => {}
                }
            }
            drop(writing);
            group.end(begun, process.grace).await
        });
        // What it wrote before it exited is still read.
        let mut rest = pin!(async { tokio::join!(reading.finish(), hearing.finish()) });
        tokio::select! {
            ended = &mut ending => {
                let _ = timeout(REST, rest).await;
                ended
            }
            _ = &mut rest => ending.await,
        }
    };
    drop(hearing);
    match (reason, status) {
        (ServeEnd::Alone(TransportError::Closed | TransportError::Io(_)), Ok(status)) if !asked => {
            let stderr = last.text();
            ServeEnd::Alone(TransportError::Exited { status, stderr })
        }
        (reason, _) => reason,
    }
}

fn why(ended: io::Result<()>) -> ServeEnd {
    ServeEnd::Alone(ended.map_or_else(TransportError::from, |()| TransportError::Closed))
}

async fn hear(
    pipe: Option<tokio::process::ChildStderr>,
    stderr: &Stderr,
    last: &mut LastLines,
) -> io::Result<()> {
    match pipe {
        Some(pipe) => stderr::read(pipe, stderr, last).await,
        None => Ok(()),
    }
}

/// One of several futures that run at once and end at different times.
struct Task<'a>(Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send + 'a>>>);

impl<'a> Task<'a> {
    fn new(part: impl Future<Output = io::Result<()>> + Send + 'a) -> Self {
        Self(Some(Box::pin(part)))
    }

    /// Returns when the future ends; afterwards, never again.
    async fn end(&mut self) -> io::Result<()> {
        let Some(part) = &mut self.0 else {
            return pending().await;
        };
        let ended = part.await;
        self.0 = None;
        ended
    }

    /// Returns when the future ends, or at once if it has ended.
    async fn finish(&mut self) {
        if self.0.is_some() {
            // The connection is over, so the error does not matter.
            let _ = self.end().await;
        }
    }
}
