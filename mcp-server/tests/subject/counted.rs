//! A server on one worker thread, for the tests that count the memory of the process.

use std::net::SocketAddr;

use mcp_server::Server;
use tokio::runtime::{Builder, Runtime};

/// Serves HTTP until the runtime is dropped.
pub(crate) fn serve(server: &Server) -> (Runtime, SocketAddr) {
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
