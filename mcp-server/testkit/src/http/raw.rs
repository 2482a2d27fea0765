//! An HTTP client that writes and reads bytes.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

pub use crate::peer::soon;

/// The `_meta` of requests of the modern era.
pub const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"}"#;

/// Returns a tool call of the modern era.
pub fn call(id: u32, tool: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{}},{META}}}}}"#
    )
}

/// Returns the headers of a tool call of the modern era.
pub fn call_headers(tool: &str) -> Vec<(&'static str, String)> {
    let mut headers = media();
    headers.push(("MCP-Protocol-Version", "2026-07-28".into()));
    headers.push(("Mcp-Method", "tools/call".into()));
    headers.push(("Mcp-Name", tool.into()));
    headers
}

/// Returns the headers that every POST needs.
pub fn media() -> Vec<(&'static str, String)> {
    vec![
        ("Content-Type", "application/json".into()),
        ("Accept", "application/json, text/event-stream".into()),
    ]
}

/// Returns the headers with one of them changed, or removed if the value is empty.
pub fn with_header(
    mut headers: Vec<(&'static str, String)>,
    name: &'static str,
    value: &str,
) -> Vec<(&'static str, String)> {
    headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
    if !value.is_empty() {
        headers.push((name, value.into()));
    }
    headers
}

/// A connection.
pub struct Raw {
    stream: TcpStream,
    address: SocketAddr,
    path: String,
    read: Vec<u8>,
}

/// The head of a response.
#[derive(Debug)]
pub struct Head {
    /// The status.
    pub status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    /// Returns the first value of a header.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Returns all values of a header.
    pub fn all(&self, name: &str) -> Vec<&str> {
        let headers = self.headers.iter();
        let found = headers.filter(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str()).collect()
    }
}

impl Raw {
    /// Connects to a server.
    pub async fn connect(address: SocketAddr) -> Self {
        Self {
            stream: soon(TcpStream::connect(address)).await.expect("connected"),
            address,
            path: "/mcp".into(),
            read: Vec::new(),
        }
    }

    /// Connects from another address of this machine.
    pub async fn connect_from(local: &str, address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        let local = SocketAddr::new(local.parse().expect("an address"), 0);
        socket.bind(local).expect("bound");
        Self {
            stream: soon(socket.connect(address)).await.expect("connected"),
            address,
            path: "/mcp".into(),
            read: Vec::new(),
        }
    }

    /// Returns the port of this side.
    pub fn port(&self) -> u16 {
        self.stream.local_addr().expect("an address").port()
    }

    /// Waits for the server's next action. Returns `true` if it has closed the connection.
    pub async fn is_closed(&mut self) -> bool {
        match soon(self.stream.read_buf(&mut self.read)).await {
            Ok(size) => size == 0,
            // Closed with a reset, because unread bytes were left.
            Err(_) => true,
        }
    }

    /// Changes the path of the requests.
    #[must_use]
    pub fn at(mut self, path: &str) -> Self {
        self.path = path.into();
        self
    }

    /// Writes bytes.
    pub async fn write(&mut self, bytes: &[u8]) {
        soon(self.stream.write_all(bytes)).await.expect("written");
    }

    /// Closes the sending side.
    pub async fn finish(&mut self) {
        soon(self.stream.shutdown()).await.expect("shut down");
    }

    /// Writes a request. Adds a `Host` header with the address if the request lacks one.
    pub async fn request(&mut self, method: &str, headers: &[(&'static str, String)], body: &str) {
        let text = self.request_text(method, headers, body);
        self.write(text.as_bytes()).await;
    }

    /// Formats a request. Adds a `Host` header with the address if the request lacks one.
    pub fn request_text(
        &self,
        method: &str,
        headers: &[(&'static str, String)],
        body: &str,
    ) -> String {
        let mut text = format!("{method} {} HTTP/1.1\r\n", self.path);
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        text
    }

    /// Reads at least one byte. Returns `false` at the end.
    pub async fn more(&mut self) -> bool {
        self.read.reserve(64 << 10);
        soon(self.stream.read_buf(&mut self.read))
            .await
            .expect("read")
            > 0
    }

    /// Like [`more`](Self::more), without a timeout.
    pub async fn anything(&mut self) -> bool {
        self.stream.read_buf(&mut self.read).await.expect("read") > 0
    }

    /// Returns the bytes that were read but not consumed.
    pub fn unused(&self) -> &[u8] {
        &self.read
    }

    async fn until(&mut self, end: &[u8]) -> Vec<u8> {
        loop {
            let found = self.read.windows(end.len()).position(|part| part == end);
            if let Some(at) = found {
                let rest = self.read.split_off(at + end.len());
                return std::mem::replace(&mut self.read, rest);
            }
            assert!(
                self.more().await,
                "the stream ended early: {:?}",
                self.text()
            );
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.read).into_owned()
    }

    /// Reads the head of a response.
    pub async fn head(&mut self) -> Head {
        let head = String::from_utf8(self.until(b"\r\n\r\n").await).expect("ASCII");
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        Head {
            status: status.and_then(|code| code.parse().ok()).expect("a status"),
            headers: lines
                .filter_map(|line| line.split_once(": "))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        }
    }

    /// Returns the next chunk, which is empty at the end.
    pub async fn chunk(&mut self) -> String {
        let size = String::from_utf8(self.until(b"\r\n").await).expect("ASCII");
        let size = usize::from_str_radix(size.trim(), 16).expect("a size");
        while self.read.len() < size + 2 {
            assert!(self.more().await, "the stream ended early");
        }
        let rest = self.read.split_off(size + 2);
        let mut chunk = std::mem::replace(&mut self.read, rest);
        chunk.truncate(size);
        String::from_utf8(chunk).expect("UTF-8")
    }

    /// Reads chunks until one contains this text.
    pub async fn chunks_until(&mut self, text: &str) -> String {
        // The timeout applies to all chunks together, because comments may arrive forever.
        soon(async {
            let mut read = String::new();
            while !read.contains(text) {
                let chunk = self.chunk().await;
                assert!(!chunk.is_empty(), "{text} did not come: {read}");
                read.push_str(&chunk);
            }
            read
        })
        .await
    }

    /// Reads the remaining chunks of a body.
    pub async fn rest(&mut self) -> String {
        soon(async {
            let mut body = String::new();
            loop {
                let chunk = self.chunk().await;
                if chunk.is_empty() {
                    return body;
                }
                body.push_str(&chunk);
            }
        })
        .await
    }

    /// Reads the complete body.
    pub async fn body(&mut self, head: &Head) -> String {
        soon(self.whole(head)).await
    }

    async fn whole(&mut self, head: &Head) -> String {
        if let Some(size) = head.get("content-length") {
            let size: usize = size.parse().expect("a size");
            while self.read.len() < size {
                assert!(self.more().await, "the stream ended early");
            }
            let rest = self.read.split_off(size);
            let body = std::mem::replace(&mut self.read, rest);
            return String::from_utf8(body).expect("UTF-8");
        }
        if head.status == 204 {
            return String::new();
        }
        self.rest().await
    }

    /// Sends a request and reads the response.
    pub async fn ask(
        &mut self,
        method: &str,
        headers: &[(&'static str, String)],
        body: &str,
    ) -> (Head, String) {
        self.request(method, headers, body).await;
        let head = self.head().await;
        let body = self.body(&head).await;
        (head, body)
    }

    /// Sends a POST on a new connection.
    pub async fn post(
        address: SocketAddr,
        headers: &[(&'static str, String)],
        body: &str,
    ) -> (Head, String) {
        Self::connect(address)
            .await
            .ask("POST", headers, body)
            .await
    }
}

/// Returns the error code of a response.
pub fn code(body: &str) -> i64 {
    let message: serde_json::Value = serde_json::from_str(body).expect("JSON");
    message["error"]["code"].as_i64().expect("an error")
}
