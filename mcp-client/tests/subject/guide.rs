// What the examples of the guide talk to: they include this file.

/// A server at the other end of a stream in memory.
fn serve(server: mcp_server::Server) -> impl mcp_client::Transport {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        server.serve(mcp_server::ByteStream::new(reader, writer)).await
    });
    mcp_client::ByteStream::of(ours)
}
