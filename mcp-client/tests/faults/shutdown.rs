//! The end of the runtime while a request of the server is read.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{ByteStream, Client};
use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};
use tokio::net::unix::pipe::{Receiver, pipe};
use tokio::runtime::{Builder, Runtime};

use super::pipe::{Script, soon};

/// A server's output that shuts the runtime down when the first bytes after the negotiation are
/// read.
struct Last {
    pipe: Receiver,
    runtime: Option<Runtime>,
    armed: Arc<AtomicUsize>,
    _gone: mpsc::Sender<()>,
}

impl AsyncRead for Last {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let read = Pin::new(&mut self.pipe).poll_read(cx, buffer);
        if read.is_ready()
            && self.armed.load(Ordering::SeqCst) == 1
            && let Some(runtime) = self.runtime.take()
        {
            runtime.shutdown_background();
            while !takes_no_tasks() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        read
    }
}

/// Returns `true` if the runtime of this thread drops tasks as soon as they are spawned.
fn takes_no_tasks() -> bool {
    let held = Arc::new(());
    let holds = Arc::clone(&held);
    tokio::spawn(async move {
        std::future::pending::<()>().await;
        drop(holds);
    });
    Arc::strong_count(&held) == 1
}

#[test]
fn request_read_during_runtime_shutdown_does_not_block_a_thread() {
    let mut builder = Builder::new_multi_thread();
    let doomed = builder.worker_threads(2).enable_all().build();
    let doomed = doomed.expect("a runtime");
    let handle = doomed.handle().clone();
    let (gone, is_gone) = mpsc::channel();
    let armed = Arc::new(AtomicUsize::new(0));
    let arming = Arc::clone(&armed);
    let test = Builder::new_current_thread().enable_all().build();
    let test = test.expect("a runtime");
    let mut writer = test.block_on(async {
        let (theirs, reader) = pipe().expect("a pipe");
        let (writer, ours) = pipe().expect("a pipe");
        // Registered with the runtime that uses them.
        let reader = reader.into_nonblocking_fd().expect("a pipe");
        let writer = writer.into_nonblocking_fd().expect("a pipe");
        let connecting = handle.spawn(async move {
            let reader = Last {
                pipe: Receiver::from_owned_fd(reader).expect("a pipe"),
                runtime: Some(doomed),
                armed,
                _gone: gone,
            };
            let writer = tokio::net::unix::pipe::Sender::from_owned_fd(writer).expect("a pipe");
            let builder = Client::builder("test", "1").on_roots(std::future::pending);
            let way = ByteStream::new(reader, writer);
            builder.revision(Revision::V2025_11_25).connect(way).await
        });
        let mut server = Script::over(ours, theirs);
        server.negotiate(Revision::V2025_11_25).await;
        let client = soon(connecting).await.expect("no panic");
        (client.expect("connected"), server)
    });
    arming.store(1, Ordering::SeqCst);
    let request: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n";
    let written = test.block_on(writer.1.writer.write_all(request));
    written.expect("the client reads");
    // The input is dropped together with the reading task, unless that task is blocked.
    let dropped = is_gone.recv_timeout(Duration::from_secs(20));
    assert_eq!(dropped, Err(mpsc::RecvTimeoutError::Disconnected));
}
