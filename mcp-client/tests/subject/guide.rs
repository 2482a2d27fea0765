// The servers for the examples of the guide, which include this file.

/// Serves at the other end of a stream in memory.
fn serve(server: mcp_server::Server) -> impl mcp_client::Transport {
    mcp_client::ByteStream::of(server.in_memory())
}
