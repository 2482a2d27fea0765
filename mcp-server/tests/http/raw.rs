//! A client that writes and reads bytes, and the server under test.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mcp_server::types::{
    CallToolOutcome, CallToolRequest, CallToolRequestParams, CallToolResult, ContentBlock,
    TextContent,
};
use mcp_server::{Context, HandlerError, HttpConfig, Limits, Server, ServerBuilder};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, mpsc};

/// Longer than anything takes that works.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .expect("it takes too long")
}

/// What a test knows of the handlers at work.
pub(crate) struct Probe {
    /// Lets the tools `wait` and `say_and_wait` go on.
    pub(crate) go: Arc<Notify>,
    /// Tells of handlers that were dropped in the middle.
    pub(crate) dropped: mpsc::UnboundedReceiver<String>,
    /// Tells of handlers that began to wait.
    pub(crate) waiting: mpsc::UnboundedReceiver<String>,
}

#[derive(Clone)]
struct Hands {
    go: Arc<Notify>,
    dropped: mpsc::UnboundedSender<String>,
    waiting: mpsc::UnboundedSender<String>,
}

struct Guard(Option<(String, mpsc::UnboundedSender<String>)>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some((name, dropped)) = self.0.take() {
            let _ = dropped.send(name);
        }
    }
}

impl Hands {
    async fn wait(&self, name: &str) {
        let mut guard = Guard(Some((name.to_owned(), self.dropped.clone())));
        let _ = self.waiting.send(name.to_owned());
        self.go.notified().await;
        guard.0 = None;
    }

    async fn call(
        self,
        params: CallToolRequestParams,
        cx: Context,
    ) -> Result<CallToolOutcome, HandlerError> {
        let text = match &*params.name {
            "echo" => "echo".to_owned(),
            "say" => {
                cx.progress(1.0, 2.0, None).await?;
                cx.progress(2.0, 2.0, None).await?;
                "said".to_owned()
            }
            "wait" => {
                self.wait("wait").await;
                "waited".to_owned()
            }
            "say_and_wait" => {
                cx.progress(1.0, 2.0, None).await?;
                self.wait("say_and_wait").await;
                "said and waited".to_owned()
            }
            "ask" => {
                let roots = cx.roots().await?;
                format!("{} roots", roots.len())
            }
            "poll" => {
                cx.close_stream();
                self.wait("poll").await;
                "polled".to_owned()
            }
            "flood" => {
                for at in 1..=64 {
                    let text = "x".repeat(1 << 10);
                    let done = f64::from(at);
                    cx.progress(done, done, text.as_str()).await?;
                }
                "flooded".to_owned()
            }
            "torrent" => {
                let text = "x".repeat(256 << 10);
                let mut guard = Guard(Some(("torrent".to_owned(), self.dropped.clone())));
                for at in 1..=128 {
                    let done = f64::from(at);
                    cx.progress(done, done, text.as_str()).await?;
                }
                guard.0 = None;
                "spent".to_owned()
            }
            "parts" => {
                let parts = cx.extension::<http::request::Parts>();
                let path = parts.map(|parts| parts.uri.path().to_owned());
                let claim = cx.extension::<Claim>().map(|claim| claim.0);
                format!("{path:?} {claim:?}")
            }
            "panic" => panic!("as asked"),
            other => return Err(HandlerError::invalid_params(format!("no tool `{other}`"))),
        };
        let text = ContentBlock::Text(TextContent::new(text));
        Ok(CallToolResult::new([text]).into())
    }
}

/// What a middleware attaches.
#[derive(Clone)]
pub(crate) struct Claim(pub(crate) &'static str);

/// A server with the tools of the tests.
pub(crate) fn server(change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> (Server, Probe) {
    let (dropped, dropped_reader) = mpsc::unbounded_channel();
    let (waiting, waiting_reader) = mpsc::unbounded_channel();
    let go = Arc::new(Notify::new());
    let hands = Hands {
        go: Arc::clone(&go),
        dropped,
        waiting,
    };
    let builder = Server::builder("tested", "1").on::<CallToolRequest, _>(move |params, cx| {
        let hands = hands.clone();
        hands.call(params, cx)
    });
    let builder = builder.capabilities(|has| {
        has.tools(mcp_server::types::ToolsCapability::new().list_changed(true))
    });
    let server = change(builder).build().expect("the definition is sound");
    let probe = Probe {
        go,
        dropped: dropped_reader,
        waiting: waiting_reader,
    };
    (server, probe)
}

/// Serves at a free port until the test ends.
pub(crate) fn serve(server: &Server) -> SocketAddr {
    serve_with(server, HttpConfig::default())
}

pub(crate) fn serve_with(server: &Server, config: HttpConfig) -> SocketAddr {
    let http = server
        .serve_http_with("127.0.0.1:0", config)
        .expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    address
}

pub(crate) fn limits(
    change: impl FnOnce(&mut Limits),
) -> impl FnOnce(ServerBuilder) -> ServerBuilder {
    let mut limits = Limits::default();
    change(&mut limits);
    move |builder| builder.limits(limits)
}

pub(crate) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"}"#;

/// A modern call of a tool.
pub(crate) fn call(id: u32, tool: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{}},{META}}}}}"#
    )
}

/// The headers of a modern call, and of nothing else.
pub(crate) fn call_headers(tool: &str) -> Vec<(&'static str, String)> {
    let mut headers = media();
    headers.push(("MCP-Protocol-Version", "2026-07-28".into()));
    headers.push(("Mcp-Method", "tools/call".into()));
    headers.push(("Mcp-Name", tool.into()));
    headers
}

pub(crate) fn media() -> Vec<(&'static str, String)> {
    vec![
        ("Content-Type", "application/json".into()),
        ("Accept", "application/json, text/event-stream".into()),
    ]
}

/// The same headers with one changed, or taken out where the value is empty.
pub(crate) fn with(
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
pub(crate) struct Raw {
    stream: TcpStream,
    address: SocketAddr,
    path: String,
    read: Vec<u8>,
}

/// The head of a response.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

impl Raw {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self {
            stream: soon(TcpStream::connect(address)).await.expect("connected"),
            address,
            path: "/mcp".into(),
            read: Vec::new(),
        }
    }

    /// Sends its requests to another path.
    pub(crate) fn at(mut self, path: &str) -> Self {
        self.path = path.into();
        self
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        soon(self.stream.write_all(bytes)).await.expect("written");
    }

    /// Writes a request; a `Host` of the address is added where there is none.
    pub(crate) async fn request(
        &mut self,
        method: &str,
        headers: &[(&'static str, String)],
        body: &str,
    ) {
        let mut text = format!("{method} {} HTTP/1.1\r\n", self.path);
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        self.write(text.as_bytes()).await;
    }

    /// Reads what comes, at least one byte; `false` at the end.
    pub(crate) async fn more(&mut self) -> bool {
        self.read.reserve(64 << 10);
        soon(self.stream.read_buf(&mut self.read))
            .await
            .expect("read")
            > 0
    }

    /// What was read and not used.
    pub(crate) fn unused(&self) -> &[u8] {
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
                "the end came too early: {:?}",
                self.text()
            );
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.read).into_owned()
    }

    pub(crate) async fn head(&mut self) -> Head {
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

    /// The next chunk; empty at the end.
    pub(crate) async fn chunk(&mut self) -> String {
        let size = String::from_utf8(self.until(b"\r\n").await).expect("ASCII");
        let size = usize::from_str_radix(size.trim(), 16).expect("a size");
        while self.read.len() < size + 2 {
            assert!(self.more().await, "the end came too early");
        }
        let rest = self.read.split_off(size + 2);
        let mut chunk = std::mem::replace(&mut self.read, rest);
        chunk.truncate(size);
        String::from_utf8(chunk).expect("UTF-8")
    }

    /// Chunks until one has this text.
    pub(crate) async fn chunks_until(&mut self, text: &str) -> String {
        let mut read = String::new();
        while !read.contains(text) {
            let chunk = self.chunk().await;
            assert!(!chunk.is_empty(), "{text} did not come: {read}");
            read.push_str(&chunk);
        }
        read
    }

    /// The whole body.
    pub(crate) async fn body(&mut self, head: &Head) -> String {
        if let Some(size) = head.get("content-length") {
            let size: usize = size.parse().expect("a size");
            while self.read.len() < size {
                assert!(self.more().await, "the end came too early");
            }
            let rest = self.read.split_off(size);
            let body = std::mem::replace(&mut self.read, rest);
            return String::from_utf8(body).expect("UTF-8");
        }
        let mut body = String::new();
        if head.status == 204 {
            return body;
        }
        loop {
            let chunk = self.chunk().await;
            if chunk.is_empty() {
                return body;
            }
            body.push_str(&chunk);
        }
    }

    /// Sends and reads one response.
    pub(crate) async fn ask(
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

    /// Posts on a connection of its own.
    pub(crate) async fn post(
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

/// The error code of a response message.
pub(crate) fn code(body: &str) -> i64 {
    let message: serde_json::Value = serde_json::from_str(body).expect("JSON");
    message["error"]["code"].as_i64().expect("an error")
}
