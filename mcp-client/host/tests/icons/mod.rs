//! Icons and websites, over real sockets, with all kinds of failures.

mod choosing;
mod embedded;
mod extremes;
mod loading;
mod websites;

use mcp_client::{ByteStream, Transport};
use mcp_server::Server;

/// Serves at the other end of a stream in memory.
fn serve(server: &Server) -> impl Transport + use<> {
    ByteStream::of(server.in_memory())
}
