//! The standard streams of this process.
//!
//! An asynchronous read of standard input is one on another thread, and costs a hand-over for
//! each chunk. So the connection itself lives on the thread that reads: what can be answered at
//! once is answered there, in one write for all lines of a chunk.

use std::io::{self, Read as _, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use mcp_types::lines::LineReader;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::line_connection::{CHUNK, LineConnection};
use crate::protocol::core::Core;
use crate::protocol::error::ServeError;
use crate::protocol::extensions::Extensions;
use crate::protocol::inbound::TransportInfo;
use crate::transport::write_queue::WriteQueue;

/// Serves the peer on standard input and output.
pub(crate) async fn serve(core: &Arc<Core>) -> Result<(), ServeError> {
    let info = TransportInfo {
        network: Some("pipe"),
        protocol: None,
    };
    let (connection, owner) = LineConnection::open(core, Extensions::new(), info);
    let max_line = core.limits().message_bytes;
    let way_out = Arc::new(WayOut {
        outbox: Arc::clone(connection.outbox()),
        turn: Mutex::default(),
    });
    let runtime = Handle::current();
    let input = {
        let (runtime, way_out) = (runtime.clone(), Arc::clone(&way_out));
        on_thread("mcp-stdin", move || {
            let _entered = runtime.enter();
            read(connection, &way_out, max_line)
        })?
    };
    let output = on_thread("mcp-stdout", move || {
        let mut answers = Vec::new();
        while runtime.block_on(way_out.outbox.filled()) {
            way_out.flush(&mut answers)?;
        }
        Ok(())
    })?;
    owner.run(async { Ok(input.await?) }, output).await
}

/// Where answers leave, from the thread that reads and from the one that only writes.
struct WayOut {
    outbox: Arc<WriteQueue>,
    /// Held while lines are taken and written, so that they leave in order.
    turn: Mutex<()>,
}

impl WayOut {
    fn flush(&self, buffer: &mut Vec<u8>) -> io::Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        while self.outbox.take(buffer) {
            let mut stdout = io::stdout().lock();
            stdout.write_all(buffer)?;
            stdout.flush()?;
        }
        Ok(())
    }
}

fn read(mut connection: LineConnection, way_out: &WayOut, max_line: usize) -> io::Result<()> {
    let outbox = &way_out.outbox;
    let mut stdin = io::stdin().lock();
    let mut lines = LineReader::new(max_line);
    let mut answers = Vec::new();
    while !outbox.is_closed() {
        // Larger than the buffer of standard input, which is passed by then.
        let count = match stdin.read(lines.spare(CHUNK)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        lines.filled(count);
        let mut longest = 0;
        while !outbox.is_closed()
            && let Some(line) = lines.next_line()
        {
            longest = longest.max(line.map_or(0, <[u8]>::len));
            connection.line(line);
            if outbox.is_full() {
                way_out.flush(&mut answers)?;
            }
        }
        if count == 0 {
            while !outbox.is_closed()
                && let Some(line) = lines.finish()
            {
                connection.line(line);
            }
            return way_out.flush(&mut answers);
        }
        way_out.flush(&mut answers)?;
        if longest > CHUNK {
            lines.shrink_to(CHUNK);
        }
    }
    Ok(())
}

/// Runs on a thread of its own, which nobody joins: it may never end.
fn on_thread(
    name: &str,
    run: impl FnOnce() -> io::Result<()> + Send + 'static,
) -> io::Result<impl Future<Output = io::Result<()>>> {
    let (sender, result) = oneshot::channel();
    thread::Builder::new().name(name.into()).spawn(move || {
        // Nobody waits where the connection was dropped.
        let _ = sender.send(run());
    })?;
    Ok(async {
        result
            .await
            .unwrap_or_else(|_| Err(io::Error::other("a thread of the connection panicked")))
    })
}
