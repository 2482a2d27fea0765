//! A connection of HTTP/1.1 that needs little memory and processor time.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};

/// The number of addresses that connections come from: an address has limits of its own.
const ADDRESSES: usize = 16;

/// A connection, and what the server sent on it beyond what was read.
pub(super) struct Connection {
    stream: TcpStream,
    server: SocketAddr,
    received: Vec<u8>,
}

/// The head of a response, in lower case.
pub(super) struct Head(String);

impl Head {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.0.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(super) fn expect(&self, status: &str) -> Result<()> {
        let found = self.0.split(' ').nth(1);
        ensure!(found == Some(status), "expected {status}, found {}", self.0);
        Ok(())
    }
}

/// Returns the address of the server with this URL.
pub(super) fn address(url: &str) -> Result<SocketAddr> {
    let address = url.strip_prefix("http://");
    let address = address.and_then(|rest| rest.split('/').next());
    Ok(address.context("a URL without an address")?.parse()?)
}

impl Connection {
    /// Connects from one of several addresses.
    pub(super) async fn open(server: SocketAddr, at: usize) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        let last = u8::try_from(2 + at % ADDRESSES)?;
        socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into())?;
        let stream = socket.connect(server).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            server,
            received: Vec::new(),
        })
    }

    /// Sends a message with further headers.
    pub(super) async fn post(&mut self, headers: &str, message: &Value) -> Result<()> {
        let body = message.to_string();
        let size = body.len();
        let headers =
            format!("Content-Type: application/json\r\nContent-Length: {size}\r\n{headers}");
        self.send("POST", &headers, &body).await
    }

    pub(super) async fn send(&mut self, method: &str, headers: &str, body: &str) -> Result<()> {
        let server = self.server;
        let request = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {server}\r\n\
             Accept: application/json, text/event-stream\r\n{headers}\r\n{body}"
        );
        Ok(self.stream.write_all(request.as_bytes()).await?)
    }

    /// Sends a request of 2026-07-28.
    pub(super) async fn request(&mut self, method: &str, params: Value) -> Result<()> {
        let mut headers = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n");
        if let Some(name) = params["name"].as_str() {
            headers.push_str(&format!("Mcp-Name: {name}\r\n"));
        }
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(&headers, &request).await
    }

    /// Reads a response with a body of known size. Returns its head.
    pub(super) async fn response(&mut self) -> Result<Head> {
        let head = self.head().await?;
        let size: usize = head.header("content-length").unwrap_or("0").parse()?;
        while self.received.len() < size {
            self.read().await?;
        }
        self.received.drain(..size);
        Ok(head)
    }

    /// Reads the head of a response.
    pub(super) async fn head(&mut self) -> Result<Head> {
        let end = self.until(b"\r\n\r\n").await?;
        let head: Vec<u8> = self.received.drain(..end).collect();
        Ok(Head(String::from_utf8_lossy(&head).to_ascii_lowercase()))
    }

    /// Reads until some bytes have arrived. Returns where they end.
    pub(super) async fn until(&mut self, end: &[u8]) -> Result<usize> {
        loop {
            if let Some(at) = find(&self.received, end) {
                return Ok(at + end.len());
            }
            self.read().await?;
        }
    }

    async fn read(&mut self) -> Result<()> {
        self.stream.readable().await?;
        let mut bytes = [0; 4 << 10];
        match self.stream.try_read(&mut bytes) {
            Ok(0) => anyhow::bail!("the server closed a connection"),
            Ok(size) => self.received.extend_from_slice(&bytes[..size]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Waits for bytes, and returns how often a text is among them. A text may arrive in two pieces.
    pub(super) async fn count(&mut self, text: &[u8]) -> Result<u64> {
        self.read().await?;
        let mut count = 0;
        let mut from = 0;
        while let Some(at) = find(&self.received[from..], text) {
            count += 1;
            from += at + text.len();
        }
        // The rest may be the beginning of a text.
        let kept = self.received.len().saturating_sub(text.len() - 1);
        self.received.drain(..from.max(kept));
        self.received.shrink_to(text.len());
        Ok(count)
    }
}

fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).position(|found| found == text)
}
