//! The transports.

use std::net::SocketAddr;
use std::path::PathBuf;

use mcp_client::{ByteStream, ChildProcess, Client, ClientBuilder, Http};
use mcp_server::HttpConfig;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::support::example::example;

use super::server::server;

/// A transport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    Duplex,
    #[cfg(unix)]
    Unix,
    Tcp,
    Process,
    Http,
    /// HTTP with a server that supports only the transport of 2024-11-05.
    HttpSse,
}

impl Way {
    pub(crate) const ALL: &[Self] = &[
        Self::Duplex,
        #[cfg(unix)]
        Self::Unix,
        Self::Tcp,
        Self::Process,
        Self::Http,
        Self::HttpSse,
    ];

    /// Connects to a new server.
    pub(crate) async fn connect(self, builder: ClientBuilder) -> Client {
        let connected = match self {
            Self::Duplex => {
                let (ours, theirs) = tokio::io::duplex(64 << 10);
                let (reader, writer) = tokio::io::split(theirs);
                tokio::spawn(async move {
                    server()
                        .serve(mcp_server::ByteStream::new(reader, writer))
                        .await
                });
                let (reader, writer) = tokio::io::split(ours);
                builder.connect(ByteStream::new(reader, writer)).await
            }
            #[cfg(unix)]
            Self::Unix => {
                let (ours, theirs) = tokio::net::UnixStream::pair().expect("a pair");
                let (reader, writer) = theirs.into_split();
                tokio::spawn(async move {
                    server()
                        .serve(mcp_server::ByteStream::new(reader, writer))
                        .await
                });
                let (reader, writer) = ours.into_split();
                builder.connect(ByteStream::new(reader, writer)).await
            }
            Self::Tcp => {
                let listener = TcpListener::bind("127.0.0.1:0").await;
                let listener = listener.expect("bound");
                let address = listener.local_addr().expect("an address");
                tokio::spawn(async move {
                    let (stream, _) = listener.accept().await.expect("a client");
                    let (reader, writer) = stream.into_split();
                    server()
                        .serve(mcp_server::ByteStream::new(reader, writer))
                        .await
                });
                let stream = TcpStream::connect(address).await;
                let (reader, writer) = stream.expect("connected").into_split();
                builder.connect(ByteStream::new(reader, writer)).await
            }
            Self::Process => builder.connect(ChildProcess::new(subject())).await,
            Self::Http => {
                let url = format!("http://{}/mcp", serve());
                builder.connect(Http::new(url)).await
            }
            Self::HttpSse => {
                let url = format!("http://{}/sse", only_old(serve()).await);
                builder.connect(Http::new(url)).await
            }
        };
        connected.unwrap_or_else(|error| panic!("{self:?}: {error}"))
    }
}

/// Returns the address of a new server over HTTP.
fn serve() -> SocketAddr {
    let config = HttpConfig::new().http_sse("/sse");
    let http = server().serve_http(mcp_server::Http::at("127.0.0.1:0").config(config));
    let http = http.expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    address
}

/// The same server, which rejects POST at the path of the stream, like servers of that revision.
async fn only_old(server: SocketAddr) -> SocketAddr {
    const NOT_HERE: &[u8] =
        b"HTTP/1.1 405 Method Not Allowed\r\nallow: GET\r\nconnection: close\r\n\
        content-length: 0\r\n\r\n";
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut ours, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut begin = [0; 10];
                while ours.peek(&mut begin).await? < begin.len() {}
                // With a query, it is the endpoint for messages of a stream.
                if begin == *b"POST /sse " {
                    return ours.write_all(NOT_HERE).await;
                }
                let mut theirs = TcpStream::connect(server).await?;
                tokio::io::copy_bidirectional(&mut ours, &mut theirs)
                    .await
                    .map(drop)
            });
        }
    });
    address
}

/// The example `matrix-subject`.
fn subject() -> PathBuf {
    example("matrix-subject")
}
