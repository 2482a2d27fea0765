//! Servers for tests that are controlled by them, and what observes clients.

pub(crate) mod example;
pub(crate) mod faults;
#[cfg(all(target_os = "linux", feature = "http"))]
pub(crate) mod keepalive;
#[cfg(feature = "tls")]
pub(crate) mod proxy;
pub(crate) mod script;

use mcp_client::{ByteStream, CallError, Transport, TransportError};
use mcp_server::Server;
pub(crate) use mcp_testkit::{TIMEOUT, soon};

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
