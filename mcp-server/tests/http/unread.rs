//! Responses that their clients do not read.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

use super::faulty_store::Faulty;
use super::legacy::{start, start_session, tool};
use super::subject::*;

const WRITE_TIME: Duration = Duration::from_secs(2);

/// Waits until a request is accepted.
async fn served(address: SocketAddr) {
    soon(async {
        loop {
            let (head, _) = Raw::post(address, &call_headers("echo"), &call(9, "echo")).await;
            if head.status == 200 {
                return;
            }
            assert_eq!(head.status, 503);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn unread_response_keeps_its_permit_until_the_connection_is_closed() {
    let (server, _probe) = server(limits(|limits| {
        limits.concurrent_requests = 1;
        limits.queued_bytes = 64 << 20;
        limits.queued_bytes_per_peer = 64 << 20;
        limits.write_time = WRITE_TIME;
    }));
    let address = serve(&server);
    let mut first = Raw::connect(address).await;
    first
        .request("POST", &call_headers("torrent"), &call(1, "torrent"))
        .await;
    first.head().await;
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(2, "echo")).await;
    assert_eq!(head.status, 503);
    served(address).await;
}

/// Sends a request over HTTP/2 with a flow-control window of this size, and reads no body.
async fn unread(address: SocketAddr, window: u32, tool: &str) -> Response<Incoming> {
    let stream = soon(TcpStream::connect(address)).await.expect("connected");
    let (mut sender, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(window)
        .handshake(TokioIo::new(stream))
        .await
        .expect("HTTP/2");
    tokio::spawn(connection);
    let mut request = Request::post(format!("http://{address}/mcp"));
    for (name, value) in call_headers(tool) {
        request = request.header(name, value);
    }
    let request = request.body(call(1, tool)).expect("a request");
    soon(sender.send_request(request))
        .await
        .expect("a response")
}

#[tokio::test]
async fn unread_http2_stream_keeps_its_permit_until_it_is_reset() {
    for (window, tool) in [(0, "echo"), (1, "echo"), (1_000, "torrent"), (0, "torrent")] {
        let (server, _probe) = server(limits(|limits| {
            limits.concurrent_requests = 1;
            limits.write_time = WRITE_TIME;
        }));
        let address = serve(&server);
        let response = unread(address, window, tool).await;
        let (head, _) = Raw::post(address, &call_headers("echo"), &call(2, "echo")).await;
        assert_eq!(head.status, 503, "{window} {tool}");
        served(address).await;
        drop(response);
    }
}

#[tokio::test]
async fn large_http2_response_arrives_completely() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let mut body = unread(address, 1_000, "torrent").await.into_body();
    let mut all = Vec::new();
    while let Some(frame) = soon(poll_fn(|task| pin!(&mut body).poll_frame(task))).await {
        if let Ok(data) = frame.expect("a frame").into_data() {
            assert!(data.len() <= 16 << 10);
            all.extend_from_slice(&data);
        }
    }
    let text = String::from_utf8(all).expect("UTF-8");
    assert_eq!(text.matches("notifications/progress").count(), 128);
    assert!(text.contains("spent") && text.ends_with("\n\n"));
}

#[tokio::test]
async fn queued_bytes_are_limited_per_peer() {
    let (server, mut probe) = server(limits(|limits| {
        limits.queued_bytes = 64 << 20;
        limits.queued_bytes_per_peer = 1 << 20;
        limits.request_time = Duration::from_secs(2);
    }));
    let address = serve(&server);
    let mut raw = Raw::connect(address).await;
    raw.request("POST", &call_headers("torrent"), &call(1, "torrent"))
        .await;
    let head = raw.head().await;
    // The handler is blocked until it times out.
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("torrent"));
    let all = raw.body(&head).await;
    let count = all.matches("notifications/progress").count();
    assert!(count < 128, "{count}");
}

#[tokio::test]
async fn requests_are_refused_while_the_peer_leaves_large_responses_unread() {
    let (server, _probe) = server(limits(|limits| {
        limits.queued_bytes_per_peer = 384 << 10;
    }));
    let address = serve(&server);
    let status = async || {
        let (head, body) = Raw::post(address, &call_headers("echo"), &call(9, "echo")).await;
        (head.status, body)
    };
    let first = unread(address, 0, "large").await;
    assert_eq!(status().await.0, 200, "one response may have any size");
    let second = unread(address, 0, "large").await;
    let (refused, body) = status().await;
    assert_eq!(refused, 429, "{body}");
    assert!(body.contains("does not read its responses"), "{body}");
    drop((first, second));
    soon(async {
        while status().await.0 != 200 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn what_waits_for_a_slow_store_is_counted_until_the_session_ends() {
    let store = Faulty {
        events_stall: true,
        ..Faulty::default()
    };
    let (server, mut probe) = server(|builder| builder.store(store));
    let address = serve(&server);
    let session = start_session(address, "2025-11-25").await;
    let mut unread = start(address, &session, &tool(1, "say_and_wait")).await;
    assert_eq!(unread.head().await.status, 200);
    soon(probe.waiting.recv()).await;
    drop(unread);
    probe.go.notify_one();
    let until = async |is_empty: bool| {
        soon(async {
            while (server.metrics().queued_bytes == 0) != is_empty {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    };
    until(false).await;
    let mut deletion = Raw::connect(address).await;
    let (head, _) = deletion.ask("DELETE", &session, "").await;
    assert!(head.status < 300, "{}", head.status);
    until(true).await;
}
