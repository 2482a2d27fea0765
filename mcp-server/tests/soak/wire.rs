//! A client of Streamable HTTP with persistent connections that reads responses message by message.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;

use hyper::body::{Body, Incoming};
use hyper::client::conn::{http1, http2};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use tokio::net::TcpStream;

use super::mix::{Era, PlannedRequest};

/// A connection.
pub(crate) enum Wire {
    One(http1::SendRequest<String>),
    Two(http2::SendRequest<String>),
}

impl Wire {
    /// A connection for one request after the other.
    pub(crate) async fn http1(address: SocketAddr) -> Self {
        let stream = connect(address).await;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.expect("HTTP");
        tokio::spawn(connection);
        Self::One(sender)
    }

    /// A connection for many requests at once.
    pub(crate) async fn http2(address: SocketAddr) -> Self {
        let stream = connect(address).await;
        let shake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
        let (sender, connection) = shake.await.expect("HTTP");
        tokio::spawn(connection);
        Self::Two(sender)
    }

    /// Returns a second handle of a connection for many requests.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::One(_) => panic!("one request at a time"),
            Self::Two(sender) => Self::Two(sender.clone()),
        }
    }

    pub(crate) async fn send(&mut self, request: Request<String>) -> Messages {
        let response = match self {
            Self::One(sender) => {
                sender.ready().await.expect("the connection is there");
                sender.send_request(request).await
            }
            Self::Two(sender) => sender.send_request(request).await,
        };
        Messages::of(response.expect("a response"))
    }
}

async fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).await.expect("connected");
    stream.set_nodelay(true).expect("a socket");
    stream
}

/// Returns a request with the headers of its era.
pub(crate) fn request(
    method: &str,
    address: SocketAddr,
    session: Option<&str>,
    body: String,
) -> Request<String> {
    let mut request = Request::builder()
        .method(method)
        .uri(format!("http://{address}/mcp"))
        .header("Host", address.to_string())
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream");
    if let Some(session) = session {
        request = request
            .header("Mcp-Session-Id", session)
            .header("Mcp-Protocol-Version", "2025-11-25");
    }
    request.body(body).expect("a request")
}

/// Returns the HTTP request for a request of the mix.
pub(crate) fn post(shot: &PlannedRequest, address: SocketAddr, session: &str) -> Request<String> {
    let body = shot.message.to_string();
    if shot.era == Era::Legacy {
        return request("POST", address, Some(session), body);
    }
    let mut request = request("POST", address, None, body);
    let mut add = |name, value: &Value| {
        if let Some(value) = value.as_str() {
            let value = value.parse().expect("a header's value");
            request.headers_mut().insert(name, value);
        }
    };
    add("mcp-protocol-version", &Value::from("2026-07-28"));
    add("mcp-method", &shot.message["method"]);
    add("mcp-name", &shot.message["params"]["name"]);
    request
}

/// The messages of a response.
pub(crate) struct Messages {
    response: Response<Incoming>,
    read: Vec<u8>,
    found: VecDeque<Value>,
    ended: bool,
}

impl Messages {
    fn of(response: Response<Incoming>) -> Self {
        Self {
            response,
            read: Vec::new(),
            found: VecDeque::new(),
            ended: false,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Receives the next message. Returns `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(message) = self.found.pop_front() {
                return Some(message);
            }
            if self.ended {
                return None;
            }
            let body = self.response.body_mut();
            let frame = poll_fn(|task| Pin::new(&mut *body).poll_frame(task)).await;
            match frame.transpose().expect("readable") {
                Some(frame) => {
                    let data = frame.into_data().expect("data");
                    self.read.extend_from_slice(&data);
                }
                None => self.ended = true,
            }
            self.find();
        }
    }

    fn find(&mut self) {
        if self.header("content-type") != Some("text/event-stream") {
            if self.ended && !self.read.is_empty() {
                let message = serde_json::from_slice(&self.read).expect("JSON");
                self.found.push_back(message);
            }
            return;
        }
        while let Some(end) = self.read.windows(2).position(|two| two == b"\n\n") {
            let event: Vec<u8> = self.read.drain(..end + 2).collect();
            let event = String::from_utf8(event).expect("UTF-8");
            let data = event.lines().filter_map(|line| line.strip_prefix("data:"));
            let data: String = data.collect();
            if !data.trim().is_empty() {
                self.found
                    .push_back(serde_json::from_str(&data).expect("JSON"));
            }
        }
        assert!(!self.ended || self.read.is_empty(), "half an event");
    }
}
