// A server of 2024-11-05 for the guide, which includes this file.

/// Serves with HTTP+SSE alone, and returns the URL: POST to the path of the stream is rejected, as
/// servers of that revision do it.
async fn serve_http_sse(server: mcp_server::Server) -> std::io::Result<String> {
    use tokio::io::AsyncWriteExt;
    use tokio::net::{TcpListener, TcpStream};

    const REJECTED: &[u8] = b"HTTP/1.1 405 Method Not Allowed\r\nallow: GET\r\n\
        connection: close\r\ncontent-length: 0\r\n\r\n";
    let config = mcp_server::HttpConfig::new().http_sse("/sse");
    let serving = server
        .serve_http(mcp_server::Http::at("127.0.0.1:0").config(config))
        .map_err(std::io::Error::other)?;
    let address = serving.local_addr();
    tokio::spawn(serving.into_future());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/sse", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut begin = [0; 10];
                while client.peek(&mut begin).await? < begin.len() {}
                // With a query, it is the endpoint for messages of a stream.
                if begin == *b"POST /sse " {
                    return client.write_all(REJECTED).await;
                }
                let mut server = TcpStream::connect(address).await?;
                let copied = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                copied.map(drop)
            });
        }
    });
    Ok(url)
}
