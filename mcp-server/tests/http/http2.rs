//! The same service over HTTP/2, with prior knowledge.

use std::net::SocketAddr;

use http::{Method, Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use mcp_server::HttpConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::legacy::{PING, initialize, tool};
use super::subject::*;
use crate::support::exchange::next_data;

struct Http2Client {
    sender: SendRequest<String>,
    authority: String,
}

impl Http2Client {
    async fn connect(address: SocketAddr) -> Self {
        let stream = soon(TcpStream::connect(address)).await.expect("connected");
        let shaken = handshake(TokioExecutor::new(), TokioIo::new(stream));
        let (sender, connection) = soon(shaken).await.expect("HTTP/2");
        tokio::spawn(connection);
        Self {
            sender,
            authority: address.to_string(),
        }
    }

    /// Sends a request without waiting for its response.
    fn send(
        &self,
        method: Method,
        headers: &[(&'static str, String)],
        body: &str,
    ) -> impl Future<Output = hyper::Result<Response<Incoming>>> + use<> {
        let uri = format!("http://{}/mcp", self.authority);
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.body(body.to_owned()).expect("a request");
        self.sender.clone().send_request(request)
    }

    async fn post(&self, headers: &[(&'static str, String)], body: &str) -> (Response<()>, String) {
        let response = soon(self.send(Method::POST, headers, body)).await;
        let (parts, mut body) = response.expect("a response").into_parts();
        let mut text = String::new();
        while let Some(piece) = piece(&mut body).await {
            text.push_str(&piece);
        }
        (Response::from_parts(parts, ()), text)
    }
}

/// Receives the next chunk of a body.
async fn piece(body: &mut Incoming) -> Option<String> {
    let data = next_data(body).await?;
    Some(String::from_utf8(data.into()).expect("UTF-8"))
}

#[tokio::test]
async fn one_connection_carries_both_eras_at_once() {
    let (server, mut probe) = server(|builder| builder);
    let client = Http2Client::connect(serve(&server)).await;
    let waiting = client.send(Method::POST, &call_headers("wait"), &call(1, "wait"));
    let waiting = tokio::spawn(waiting);
    soon(probe.waiting.recv()).await;

    let (head, body) = client.post(&call_headers("echo"), &call(2, "echo")).await;
    assert_eq!(head.status(), 200);
    assert!(body.contains("\"echo\""), "{body}");
    let (head, body) = client.post(&call_headers("say"), &call(3, "say")).await;
    assert_eq!(head.headers()["content-type"], "text/event-stream");
    assert_eq!(body.matches("data: ").count(), 3, "{body}");

    let (head, _) = client.post(&media(), &initialize("2025-11-25")).await;
    let id = head.headers()["mcp-session-id"].to_str().expect("ASCII");
    let session = with_header(media(), "Mcp-Session-Id", id);
    let received = soon(client.send(Method::GET, &session, "")).await;
    let mut received = received.expect("a response").into_body();
    let (head, _) = client.post(&session, &tool(1, "say")).await;
    assert_eq!(head.status(), 200);
    server.tools_changed();
    while !piece(&mut received)
        .await
        .expect("more")
        .contains("list_changed")
    {}
    let deleted = soon(client.send(Method::DELETE, &session, "")).await;
    assert_eq!(deleted.expect("a response").status(), 204);
    let (head, _) = client.post(&session, PING).await;
    assert_eq!(head.status(), 404);

    probe.go.notify_one();
    let waited = soon(waiting).await.expect("no panic").expect("a response");
    assert_eq!(waited.status(), 200);
}

#[tokio::test]
async fn reset_stream_cancels_only_its_request() {
    let (server, mut probe) = server(|builder| builder);
    let client = Http2Client::connect(serve(&server)).await;
    let headers = call_headers("say_and_wait");
    let response = client.send(Method::POST, &headers, &call(1, "say_and_wait"));
    let mut body = soon(response).await.expect("a response").into_body();
    assert!(
        piece(&mut body)
            .await
            .expect("an event")
            .contains("progress")
    );
    soon(probe.waiting.recv()).await;
    drop(body);
    let dropped = soon(probe.dropped.recv()).await;
    assert_eq!(dropped.as_deref(), Some("say_and_wait"));
    let (head, _) = client.post(&call_headers("echo"), &call(2, "echo")).await;
    assert_eq!(head.status(), 200);
}

#[tokio::test]
async fn http2_requests_are_checked_like_http1() {
    let (server, _probe) = server(limits(|limits| {
        limits.message_bytes = 1_000;
        limits.header_bytes = 8 << 10;
    }));
    let mut client = Http2Client::connect(serve(&server)).await;
    let large = call(1, &"x".repeat(1_000));
    let (head, body) = client.post(&call_headers("echo"), &large).await;
    assert_eq!((head.status().as_u16(), code(&body)), (413, -32600));
    let headers = with_header(call_headers("echo"), "X-Large", &"x".repeat(10 << 10));
    let (head, _) = client.post(&headers, &call(1, "echo")).await;
    assert_eq!(head.status(), 431);
    let headers = with_header(call_headers("echo"), "Origin", "http://evil.example.com");
    let (head, _) = client.post(&headers, &call(1, "echo")).await;
    assert_eq!(head.status(), 403);
    client.authority = "evil.example.com".into();
    let (head, _) = client.post(&call_headers("echo"), &call(1, "echo")).await;
    assert_eq!(head.status(), 403);
}

#[tokio::test]
async fn service_can_be_mounted_in_hyper() {
    let (server, _probe) = server(|builder| builder);
    let service = TowerToHyperService::new(server.into_service(HttpConfig::default()));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a client");
        hyper::server::conn::http2::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), service)
            .await
    });
    let client = Http2Client::connect(address).await;
    for id in 0..20 {
        let (head, body) = client.post(&call_headers("say"), &call(id, "say")).await;
        assert_eq!(head.status(), 200);
        assert!(body.contains(&format!("\"id\":{id}")), "{body}");
    }
}

#[tokio::test]
async fn connection_offers_the_documented_window() {
    let (server, _probe) = server(|builder| builder);
    let mut stream = TcpStream::connect(serve(&server)).await.expect("connected");
    // The preface, empty settings, and a ping, which is answered after the server's settings.
    let mut hello = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    hello.extend([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    hello.extend([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    stream.write_all(&hello).await.expect("written");
    let (mut of_stream, mut of_connection) = (65_535_u32, 65_535_u32);
    loop {
        let mut head = [0; 9];
        soon(stream.read_exact(&mut head)).await.expect("a frame");
        let [_, high, low, kind, ..] = head;
        let mut payload = vec![0; usize::from(u16::from_be_bytes([high, low]))];
        soon(stream.read_exact(&mut payload))
            .await
            .expect("a frame");
        match kind {
            4 => {
                for setting in payload.chunks_exact(6) {
                    let (id, value) = setting.split_at(2);
                    if id == [0, 4] {
                        of_stream = u32::from_be_bytes(value.try_into().expect("4 bytes"));
                    }
                }
            }
            8 => of_connection += u32::from_be_bytes(payload.try_into().expect("4 bytes")),
            6 => break,
            _ => {}
        }
    }
    assert_eq!((of_stream, of_connection), (16_384, 65_535));
}
