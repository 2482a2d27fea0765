//! Memory for a download of 1 GB by URL.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::pin::Pin;
use std::task::{Context, Poll};

use mcp_server::types::Resource;
use mcp_server::{HttpUrls, Proposal, ResourceDef, ResourceStream, Server};
use serde_json::Value;
use tokio::io::{AsyncRead, ReadBuf};

use crate::{MEMORY, alone, serve};

const SIZE: u64 = 1 << 30;

/// The maximum number of bytes for the connection and its buffers. hyper queues up to 16 chunks of
/// 64 KiB.
const MOST: usize = 2 << 20;

/// As many bytes as are wanted.
struct Endless;

impl AsyncRead for Endless {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let count = buffer.remaining();
        buffer.initialize_unfilled().fill(7);
        buffer.advance(count);
        Poll::Ready(Ok(()))
    }
}

fn send(address: SocketAddr, head: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("connected");
    let length = body.len();
    let request = format!("{head}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).expect("written");
    stream
}

/// Returns the path of the URL of the only resource.
fn path(address: SocketAddr) -> String {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: resources/list\r\n"
    );
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let mut reply = String::new();
    let mut stream = send(address, &head, body);
    stream.read_to_string(&mut reply).expect("read");
    let (_, body) = reply.split_once("\r\n\r\n").expect("a body");
    let answer: Value = body.parse().expect("JSON");
    let url = answer["result"]["resources"][0]["httpUrl"].as_str();
    let url = url.expect("a URL").to_owned();
    url.strip_prefix("https://files.example.com")
        .expect("below the base")
        .to_owned()
}

#[test]
fn download_of_a_gigabyte_needs_constant_memory() {
    let _guard = alone();
    let size = i64::try_from(SIZE).expect("it fits");
    let film = ResourceDef::new("demo://film", "film")
        .handler(async || ResourceStream::new(Endless))
        .describe(move |film: Resource| async move { film.size(size).version("1") });
    let urls = HttpUrls::new("https://files.example.com/r/").expect("a base");
    let server = Server::builder("memory", "1")
        .proposals([Proposal::HttpsUrl])
        .http_urls(urls)
        .add_resource(film)
        .build()
        .expect("valid");
    let (_runtime, address) = serve(&server);
    let path = path(address);

    let head = format!("GET {path} HTTP/1.1\r\nHost: files.example.com\r\n");
    let mut buffer = vec![0; 1 << 20];
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let mut stream = send(address, &head, "");
    let mut total = stream.read(&mut buffer).expect("read") as u64;
    assert!(buffer.starts_with(b"HTTP/1.1 200"));
    loop {
        let count = stream.read(&mut buffer).expect("read");
        if count == 0 {
            break;
        }
        total += count as u64;
    }
    let peak = MEMORY.peak_usage().saturating_sub(before);
    println!("{peak} bytes for a download of {total} bytes");
    assert!(total > SIZE, "{total}");
    assert!(peak <= MOST, "{peak} bytes");
}
