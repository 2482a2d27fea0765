//! Servers for tests that are controlled by them, and what observes clients.

pub(crate) mod example;
pub(crate) mod faults;
#[cfg(all(target_os = "linux", feature = "http"))]
pub(crate) mod keepalive;
#[cfg(feature = "skills")]
pub(crate) mod liar;
pub(crate) mod log;
#[cfg(feature = "tls")]
pub(crate) mod proxy;
pub(crate) mod script;
#[cfg(feature = "tls")]
pub(crate) mod web;

use std::time::Duration;

use mcp_client::{ByteStream, CallError, Transport, TransportError};
use mcp_server::Server;

/// Longer than any successful operation.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Waits for a future, with a timeout.
pub(crate) async fn soon<F: IntoFuture>(future: F) -> F::Output {
    let done = tokio::time::timeout(TIMEOUT, future.into_future()).await;
    done.expect("timed out")
}

/// Serves at the other end of a stream in memory.
pub(crate) fn serve(server: &Server) -> impl Transport + use<> {
    ByteStream::of(server.in_memory())
}

/// Returns the transport error of a failed call.
pub(crate) fn transport_error(error: &CallError) -> &TransportError {
    match error {
        CallError::Lost { source, .. } => source,
        other => panic!("another error: {other}"),
    }
}
