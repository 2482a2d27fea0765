//! The limits of the endpoint also apply to downloads.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mcp_server::{Limits, Server, ServerBuilder};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use super::client::*;
use super::subject::*;

struct Guard(mpsc::UnboundedSender<&'static str>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

/// A resource whose handler waits, with handles to observe and control it.
fn waiting(
    limits: Limits,
) -> (
    SocketAddr,
    Server,
    Arc<Notify>,
    mpsc::UnboundedReceiver<&'static str>,
) {
    let go = Arc::new(Notify::new());
    let (received, teller) = mpsc::unbounded_channel();
    let (address, server, _) = served(|builder: ServerBuilder| {
        let go = Arc::clone(&go);
        builder
            .limits(limits)
            .resource("demo://slow", "slow", move || {
                let (go, received) = (Arc::clone(&go), received.clone());
                async move {
                    let _ = received.send("waits");
                    let _guard = Guard(received);
                    go.notified().await;
                    "slow"
                }
            })
    });
    (address, server, go, teller)
}

/// Starts a download whose handler waits, and checks the status with which another one is rejected.
async fn assert_second_gets(
    status: u16,
    address: SocketAddr,
    path: &str,
    received: &mut mpsc::UnboundedReceiver<&'static str>,
) -> JoinHandle<Reply> {
    let first = tokio::spawn({
        let path = path.to_owned();
        async move { get(address, &path, &[]).await }
    });
    assert_eq!(soon(received.recv()).await, Some("waits"));
    let reply = get(address, path, &[]).await;
    assert_eq!(
        (reply.status.as_u16(), reply.get("retry-after")),
        (status, "1")
    );
    first
}

#[tokio::test]
async fn downloads_are_limited_per_address() {
    let mut limits = Limits::default();
    limits.requests_per_peer = 1;
    let (address, _server, go, mut received) = waiting(limits);
    let path = path_of(address, "demo://slow").await;
    let first = assert_second_gets(429, address, &path, &mut received).await;
    let socket = TcpSocket::new_v4().expect("a socket");
    let other = SocketAddr::from(([127, 0, 0, 2], 0));
    socket.bind(other).expect("bound");
    let mut other = soon(socket.connect(address)).await.expect("connected");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    soon(other.write_all(request.as_bytes()))
        .await
        .expect("written");
    assert_eq!(soon(received.recv()).await, Some("waits"));
    go.notify_one();
    assert_eq!(first.await.expect("no panic").text(), "slow");
}

#[tokio::test]
async fn concurrent_downloads_are_limited() {
    let mut limits = Limits::default();
    limits.concurrent_requests = 1;
    let (address, _server, go, mut received) = waiting(limits);
    let path = path_of(address, "demo://slow").await;
    let first = assert_second_gets(503, address, &path, &mut received).await;
    // An invalid request needs no permit, and is rejected nevertheless.
    assert_eq!(get(address, "/r/nothing", &[]).await.status, 403);
    go.notify_one();
    assert_eq!(first.await.expect("no panic").text(), "slow");
    // The permit is released when the body has been sent, which may be slightly later.
    soon(async {
        go.notify_one();
        while get(address, &path, &[]).await.status != 200 {}
    })
    .await;
}

#[tokio::test]
async fn handler_of_a_download_times_out() {
    let mut limits = Limits::default();
    limits.request_time = Duration::from_secs(1);
    let (address, _server, _go, mut received) = waiting(limits);
    let path = path_of(address, "demo://slow").await;
    let reply = get(address, &path, &[]).await;
    assert_eq!(reply.status, 500);
    assert_eq!(soon(received.recv()).await, Some("waits"));
    assert_eq!(soon(received.recv()).await, Some("dropped"));
}

#[tokio::test]
async fn client_disconnect_cancels_the_handler_of_a_download() {
    let (address, _server, _go, mut received) = waiting(Limits::default());
    let path = path_of(address, "demo://slow").await;
    let mut stream = soon(TcpStream::connect(address)).await.expect("connected");
    let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n");
    soon(stream.write_all(request.as_bytes()))
        .await
        .expect("written");
    assert_eq!(soon(received.recv()).await, Some("waits"));
    drop(stream);
    assert_eq!(soon(received.recv()).await, Some("dropped"));
}

#[tokio::test]
async fn shutdown_rejects_new_downloads_and_ends_running_ones() {
    let (address, server, go, mut received) = waiting(Limits::default());
    let urls = server.resource_urls().expect("configured");
    let path = path_of(address, "demo://slow").await;
    let running = tokio::spawn({
        let path = path.clone();
        async move { get(address, &path, &[]).await }
    });
    assert_eq!(soon(received.recv()).await, Some("waits"));
    server.shutdown();
    let mut urls = urls;
    let request = http::Request::builder().uri(&path).body(());
    let request = request.expect("a request");
    let response = soon(tower_service::Service::call(&mut urls, request)).await;
    assert_eq!(response.expect("infallible").status(), 503);
    go.notify_one();
    assert_eq!(running.await.expect("no panic").text(), "slow");
}
