// What the examples of the guide talk to: they include this file.

/// Serves a server at the other end of a stream in memory.
fn serve(server: mcp_server::Server) -> impl mcp_client::Transport {
    mcp_client::ByteStream::of(server.in_memory())
}
