//! A client based on hyper, with a connection for each request.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use bytes::Buf;
use http::{HeaderMap, Request, Response, StatusCode};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// Longer than any successful operation.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future)
        .await
        .expect("timed out")
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) async fn read(response: Response<Incoming>) -> Self {
        let (parts, body) = response.into_parts();
        let mut body = pin!(body);
        let mut bytes = Vec::new();
        while let Some(frame) = soon(poll_fn(|task| body.as_mut().poll_frame(task))).await {
            if let Ok(mut data) = frame.expect("a whole body").into_data() {
                while data.has_remaining() {
                    let chunk = data.chunk();
                    bytes.extend_from_slice(chunk);
                    let length = chunk.len();
                    data.advance(length);
                }
            }
        }
        Self {
            status: parts.status,
            headers: parts.headers,
            body: bytes,
        }
    }

    /// Returns a header, or an empty text.
    pub(crate) fn get(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().expect("ASCII"))
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }
}

/// Sends one request over a stream.
pub(crate) async fn over<S>(stream: S, request: Request<String>) -> Reply
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = soon(handshake(TokioIo::new(stream))).await.expect("HTTP");
    let connection = tokio::spawn(connection);
    let response = soon(sender.send_request(request)).await;
    let reply = Reply::read(response.expect("a response")).await;
    connection.abort();
    reply
}

pub(crate) async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: String,
) -> Reply {
    let mut request = Request::builder().method(method).uri(path);
    // The host that proxies see. It is not checked: the URL itself grants access.
    if !headers.iter().any(|(name, _)| *name == "Host") {
        request = request.header("Host", "files.example.com");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body).expect("a request");
    let stream = soon(TcpStream::connect(address)).await.expect("connected");
    over(stream, request).await
}

pub(crate) async fn get(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Reply {
    send(address, "GET", path, headers, String::new()).await
}

pub(crate) async fn head(address: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Reply {
    send(address, "HEAD", path, headers, String::new()).await
}

/// Returns a request of the newest revision.
pub(crate) fn message(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// Sends a request of the protocol. Returns the complete response.
pub(crate) async fn call(address: SocketAddr, method: &str, params: Value) -> Value {
    call_with(address, method, params, &[]).await
}

pub(crate) async fn call_with(
    address: SocketAddr,
    method: &str,
    params: Value,
    more: &[(&str, &str)],
) -> Value {
    let name = params["name"].as_str().or(params["uri"].as_str());
    let name = name.unwrap_or_default().to_owned();
    let mut headers = vec![
        ("Host", "localhost"),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ];
    if !name.is_empty() {
        headers.push(("Mcp-Name", &name));
    }
    headers.extend_from_slice(more);
    let body = message(method, params).to_string();
    let reply = send(address, "POST", "/mcp", &headers, body).await;
    serde_json::from_slice(&reply.body).expect("JSON")
}

/// Returns the listed resource with a URI.
pub(crate) async fn listed(address: SocketAddr, uri: &str) -> Value {
    let answer = call(address, "resources/list", json!({})).await;
    find(&answer, uri)
}

pub(crate) fn find(answer: &Value, uri: &str) -> Value {
    let resources = answer["result"]["resources"].as_array();
    let mut resources = resources.expect("resources").iter();
    let found = resources.find(|resource| resource["uri"] == uri);
    found.expect("it is listed").clone()
}

/// Returns the path of the URL in the list.
pub(crate) async fn path_of(address: SocketAddr, uri: &str) -> String {
    path(&listed(address, uri).await)
}

/// Returns the path of a resource's URL.
pub(crate) fn path(resource: &Value) -> String {
    let url = resource["httpUrl"].as_str().expect("a URL");
    let path = url.strip_prefix("https://files.example.com");
    path.expect("below the base").to_owned()
}

/// Returns the path of the URL in a link to any URI.
pub(crate) async fn path_to(address: SocketAddr, uri: &str) -> String {
    path(&link_to(address, uri).await)
}

/// Returns the result of a tool that links to a URI.
pub(crate) async fn link_to(address: SocketAddr, uri: &str) -> Value {
    let params = json!({"name": "link", "arguments": {"uri": uri}});
    let answer = call(address, "tools/call", params).await;
    answer["result"]["content"][0].clone()
}
