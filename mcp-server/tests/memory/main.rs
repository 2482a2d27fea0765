//! Heap memory of the server, as counted by the allocator for the whole process. The clients use
//! blocking sockets, which have no buffers on the heap.

mod connections;
#[cfg(feature = "proposals")]
mod download;

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_server::Server;
use peak_alloc::PeakAlloc;
use tokio::runtime::{Builder, Runtime};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Keeps other tests from running until the guard is dropped.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves HTTP on one worker thread, until the runtime is dropped.
fn serve(server: &Server) -> (Runtime, SocketAddr) {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let http = {
        let _entered = runtime.enter();
        server.serve_http("127.0.0.1:0").expect("bound")
    };
    let address = http.local_addr();
    runtime.spawn(http);
    (runtime, address)
}
