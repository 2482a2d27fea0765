//! [`run`]: drives the connection to a process, and to its successors if it is restarted.

use std::future::{Future, pending, ready};
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::{AsFd, OwnedFd};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mcp_types::peer_text::PeerDisplay;
use mcp_wire::WriteQueue;
use tokio::process::ChildStdin;
use tokio::time::{Instant, sleep, timeout};

use super::command::{ChildProcess, RunningProcess};
use super::restart::Restarts;
use super::stderr;
use super::stderr::Stderr;
use crate::protocol::connection::Connection;
use crate::protocol::error::server_output::LastLines;
use crate::protocol::error::{ServerOutput, TransportError};
use crate::protocol::negotiation::negotiate;
use crate::transport::stream::{read, write};

/// How long to read the remaining output of an exited process. Another process outside of its group
/// may hold the pipe open.
const DRAIN_TIME: Duration = Duration::from_millis(500);

/// Drives the connection until the client closes it, or the process exits and is not restarted.
pub(super) async fn run(
    connection: &Arc<Connection>,
    queue: &WriteQueue,
    mut process: ChildProcess,
    started: RunningProcess,
) {
    let mut restarts = Restarts::new(process.restart.clone());
    // Older servers may exit when they have read the probe for the revision.
    let mut may_exit_once = connection.pinned.is_none();
    // The builder negotiates with the first process.
    let mut ended = serve(connection, queue, &process, started, pending()).await;
    loop {
        // Messages that are sent from now on fail with `Closed`.
        queue.close();
        let (error, has_read) = match ended {
            ServeEnd::ShutDown => return,
            ServeEnd::Failed(error) => (error, true),
            ServeEnd::Crashed(error) => (error, false),
        };
        let was_negotiated = connection.negotiated().is_some();
        let delay = if was_negotiated {
            restarts.next()
        } else {
            let may_exit = std::mem::take(&mut may_exit_once) && has_read;
            may_exit.then_some(Duration::ZERO)
        };
        let Some(delay) = delay else {
            connection.pending.close(error);
            return;
        };
        tracing::warn!(error = %PeerDisplay(&error), ?delay, "the server process is restarted");
        connection.state.set_reconnecting();
        connection.inbound.abort_requests();
        connection.pending.fail_all(error);
        tokio::select! {
            () = connection.state.shutdown_requested() => {
                ended = ServeEnd::ShutDown;
                continue;
            }
            () = sleep(delay) => {}
        }
        let started = match process.start() {
            Ok(started) => started,
            Err(error) => {
                ended = ServeEnd::Failed(error);
                continue;
            }
        };
        queue.reopen();
        ended = if was_negotiated {
            serve(
                connection,
                queue,
                &process,
                started,
                renegotiate(connection),
            )
            .await
        } else {
            connection.state.set_connected();
            serve(connection, queue, &process, started, pending()).await
        };
    }
}

/// Negotiates with a new process, then lets calls continue. Returns only if that fails.
async fn renegotiate(connection: &Arc<Connection>) -> TransportError {
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
    ShutDown,
    /// The process exited, or cannot be used.
    Failed(TransportError),
    /// The process exited, and did not read what the client had sent.
    Crashed(TransportError),
}

/// Drives the connection to one process until it exits or `failure` returns, then ends it.
async fn serve(
    connection: &Arc<Connection>,
    queue: &WriteQueue,
    process: &ChildProcess,
    started: RunningProcess,
    failure: impl Future<Output = TransportError>,
) -> ServeEnd {
    let RunningProcess {
        mut group,
        stdin,
        stdout,
        stderr,
    } = started;
    let last = &connection.last_output;
    last.stderr.clear();
    last.other.clear();
    let unread = UnreadInput::of(&stdin);
    let mut reading = Task::new(read(connection, queue, stdout));
    let has_message = AtomicBool::new(false);
    let mut writing = Task::new(async {
        has_message.store(queue.wait_filled().await, Ordering::Relaxed);
        write(queue, stdin).await
    });
    let mut logging = Task::new(read_stderr(stderr, &process.stderr, &last.stderr));

    let reason = {
        let mut failure = pin!(failure);
        let mut closing = pin!(connection.state.shutdown_requested());
        loop {
            tokio::select! {
                () = &mut closing => break ServeEnd::ShutDown,
                error = &mut failure => break ServeEnd::Failed(error),
                ended = reading.end() => break end_of(ended),
                ended = writing.end() => break end_of(ended),
                // Its status is read below.
                _ = group.wait() => break ServeEnd::Failed(TransportError::Closed),
                // The process may close its standard error early.
                _ = logging.end() => {}
            }
        }
    };
    let shut_down = matches!(reason, ServeEnd::ShutDown);
    if shut_down {
        queue.close();
    }
    // The output of a process may end in the same moment in which a write to it fails.
    let can_write = tokio::select! {
        biased;
        written = writing.end(), if !shut_down => written.is_ok(),
        () = ready(()) => !matches!(reason, ServeEnd::Failed(TransportError::Io(_))),
    };
    let is_sent = can_write && has_message.load(Ordering::Relaxed);

    let ((status, terminated), has_read) = {
        // The process exits when its input ends.
        let start = Instant::now();
        let mut ending = pin!(async {
            if shut_down {
                tokio::select! {
                    _ = timeout(process.grace, writing.finish()) => {}
                    _ = group.wait() => {}
                }
            }
            drop(writing);
            let has_read = is_sent && queue.queued_bytes() == 0 && unread.bytes() == 0;
            (group.end(start, process.grace).await, has_read)
        });
        // Output from before the exit is still read.
        let mut rest = pin!(async { tokio::join!(reading.finish(), logging.finish()) });
        tokio::select! {
            ended = &mut ending => {
                let _ = timeout(DRAIN_TIME, rest).await;
                ended
            }
            _ = &mut rest => ending.await,
        }
    };
    drop(logging);
    match (reason, status) {
        (ServeEnd::Failed(TransportError::Closed | TransportError::Io(_)), Ok(status))
            if !terminated =>
        {
            let ServerOutput { stderr, other, .. } = last.get();
            let error = TransportError::Exited {
                status,
                stderr,
                other,
            };
            if has_read {
                ServeEnd::Failed(error)
            } else {
                ServeEnd::Crashed(error)
            }
        }
        (reason, _) => reason,
    }
}

fn end_of(ended: io::Result<()>) -> ServeEnd {
    ServeEnd::Failed(ended.map_or_else(TransportError::from, |()| TransportError::Closed))
}

async fn read_stderr(
    pipe: Option<tokio::process::ChildStderr>,
    stderr: &Stderr,
    last: &LastLines,
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

/// The pipe to the input of a process. It stays open until this is dropped. Only Linux tells the
/// writing end how many bytes are in a pipe.
struct UnreadInput {
    #[cfg(target_os = "linux")]
    pipe: Option<OwnedFd>,
}

impl UnreadInput {
    #[cfg_attr(not(target_os = "linux"), expect(unused_variables))]
    fn of(input: &ChildStdin) -> Self {
        Self {
            #[cfg(target_os = "linux")]
            pipe: input.as_fd().try_clone_to_owned().ok(),
        }
    }

    /// Returns the number of bytes in the pipe; 0 if it is unknown.
    #[cfg(target_os = "linux")]
    fn bytes(self) -> u64 {
        let bytes = self.pipe.map(rustix::io::ioctl_fionread);
        bytes.and_then(Result::ok).unwrap_or(0)
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "on Linux it is known")]
    fn bytes(self) -> u64 {
        0
    }
}
