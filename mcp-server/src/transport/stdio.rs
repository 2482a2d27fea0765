//! Serves standard input and output of this process.
//!
//! Asynchronous reads of standard input run on another thread, with a thread switch for each chunk.
//! Therefore the connection lives on the reading thread: responses that are available at once are
//! written there, in one write for all lines of a chunk.

use std::io::{self, Read as _, Write as _};
use std::sync::{Arc, Mutex};
use std::thread;

use mcp_wire::{LineInput, WriteQueue};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::line_connection::LineConnection;
use crate::protocol::caller::Extensions;
use crate::protocol::core::Core;
use crate::protocol::dispatch::inbound::TransportInfo;
use crate::protocol::error::ServeError;
use crate::util::lock::lock;

/// Serves the peer on standard input and output.
pub(crate) async fn serve(core: &Arc<Core>, extensions: Extensions) -> Result<(), ServeError> {
    let info = TransportInfo {
        network: Some("pipe"),
        protocol: None,
    };
    let (connection, driver) = LineConnection::open(core, extensions, info);
    let max_line = core.limits.message_bytes;
    let stdout_writer = Arc::new(StdoutWriter {
        write_queue: Arc::clone(&connection.write_queue),
        write_lock: Mutex::default(),
    });
    let runtime = Handle::current();
    let input = {
        let (runtime, stdout_writer) = (runtime.clone(), Arc::clone(&stdout_writer));
        on_thread("mcp-stdin", move || {
            let _entered = runtime.enter();
            read(connection, &stdout_writer, max_line)
        })?
    };
    let output = on_thread("mcp-stdout", move || {
        let mut answers = Vec::new();
        while runtime.block_on(stdout_writer.write_queue.wait_filled()) {
            stdout_writer.flush(&mut answers)?;
        }
        Ok(())
    })?;
    driver.run(async { Ok(input.await?) }, output).await
}

/// Writes queued lines to standard output, from the reading thread and from the writing thread.
struct StdoutWriter {
    write_queue: Arc<WriteQueue>,
    /// Held while lines are taken and written, so that their order is kept.
    write_lock: Mutex<()>,
}

impl StdoutWriter {
    fn flush(&self, buffer: &mut Vec<u8>) -> io::Result<()> {
        let _guard = lock(&self.write_lock);
        while self.write_queue.take(buffer) {
            let mut stdout = io::stdout().lock();
            stdout.write_all(buffer)?;
            stdout.flush()?;
        }
        Ok(())
    }
}

fn read(
    mut connection: LineConnection,
    stdout_writer: &StdoutWriter,
    max_line: usize,
) -> io::Result<()> {
    let write_queue = &stdout_writer.write_queue;
    let mut stdin = io::stdin().lock();
    let mut lines = LineInput::new(max_line);
    let mut answers = Vec::new();
    while !write_queue.is_closed() {
        // Larger than the buffer of `Stdin`, so that it is bypassed.
        let count = match stdin.read(lines.spare()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        lines.filled(count);
        while !write_queue.is_closed()
            && let Some(line) = lines.next_line()
        {
            connection.handle_line(line);
            if write_queue.is_full() {
                stdout_writer.flush(&mut answers)?;
            }
        }
        stdout_writer.flush(&mut answers)?;
        if lines.has_ended() {
            break;
        }
    }
    Ok(())
}

/// Runs a function on its own thread. The thread is not joined, because it may never end.
fn on_thread(
    name: &str,
    run: impl FnOnce() -> io::Result<()> + Send + 'static,
) -> io::Result<impl Future<Output = io::Result<()>>> {
    let (sender, result) = oneshot::channel();
    thread::Builder::new().name(name.into()).spawn(move || {
        // Fails if the connection was dropped.
        let _ = sender.send(run());
    })?;
    Ok(async {
        result
            .await
            .unwrap_or_else(|_| Err(io::Error::other("a thread of the connection panicked")))
    })
}
