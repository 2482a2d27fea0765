//! Shutdown: streams end, running requests have the grace time, new requests are rejected.

use std::future::IntoFuture as _;
use std::net::SocketAddr;
use std::time::Duration;

use mcp_server::{HttpConfig, Server};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::legacy::*;
use super::subject::*;
use crate::support::apps::serve_app;

/// Longer than any test, so that waiting for it fails the test.
const NEVER: Duration = Duration::from_secs(3_600);

/// Serves in axum, which stops together with the server, as in the guide.
struct Mounted {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<std::io::Result<()>>,
}

async fn mount(server: &Server) -> Mounted {
    let service = server
        .clone()
        .into_service(HttpConfig::new().http_sse("/sse"));
    let app = axum::Router::new().fallback_service(service);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = oneshot::channel();
    let server = server.clone();
    let serving = axum::serve(listener, app).with_graceful_shutdown(async move {
        let _ = stopped.await;
        server.drain().await;
    });
    Mounted {
        address,
        stop,
        serving: tokio::spawn(serving.into_future()),
    }
}

impl Mounted {
    fn stop(self) -> JoinHandle<std::io::Result<()>> {
        let _ = self.stop.send(());
        self.serving
    }
}

/// Opens an idle channel of HTTP+SSE.
async fn channel(address: SocketAddr) -> Raw {
    let mut raw = Raw::connect(address).await.at("/sse");
    let accept = with_header(Vec::new(), "Accept", "text/event-stream");
    raw.request("GET", &accept, "").await;
    assert_eq!(raw.head().await.status, 200);
    raw.chunk().await;
    raw
}

#[tokio::test]
async fn idle_streams_end_immediately_when_axum_stops() {
    let (server, mut probe) = server(limits(|limits| limits.grace_time = NEVER));
    let mounted = mount(&server).await;
    let address = mounted.address;
    let session = start_session(address, "2025-11-25").await;
    let mut received = listen(address, &session).await;
    let mut channel = channel(address).await;
    // The stream of an answered request, and one that waits for another process.
    let mut raw = start(address, &session, &tool(1, "say_and_wait")).await;
    raw.head().await;
    let read = raw.chunk().await;
    soon(probe.waiting.recv()).await;
    let resume = with_header(session.clone(), "Last-Event-ID", ids(&read)[0]);
    let mut resumed = Raw::connect(address).await;
    resumed.request("GET", &resume, "").await;
    assert_eq!(resumed.head().await.status, 200);
    let serving = mounted.stop();
    received.rest().await;
    channel.rest().await;
    // The request continues during the grace time.
    assert!(probe.dropped.try_recv().is_err());
    probe.go.notify_one();
    assert!(resumed.rest().await.contains("said and waited"));
    soon(serving).await.expect("no panic").expect("no fault");
}

#[tokio::test]
async fn idle_stream_does_not_delay_shutdown() {
    let (server, _probe) = server(limits(|limits| limits.grace_time = NEVER));
    let http = server.serve_http("127.0.0.1:0").expect("bound");
    let address = http.local_addr();
    let serving = tokio::spawn(http);
    let session = start_session(address, "2025-11-25").await;
    let mut received = listen(address, &session).await;
    server.shutdown();
    received.rest().await;
    soon(serving).await.expect("no panic").expect("no fault");
}

#[tokio::test]
async fn requests_that_outlast_the_grace_time_end_with_an_error_in_axum() {
    let (server, mut probe) = server(limits(|limits| {
        limits.grace_time = Duration::from_millis(50);
    }));
    let mounted = mount(&server).await;
    let address = mounted.address;
    let session = start_session(address, "2025-11-25").await;
    let mut channel = channel(address).await;
    let mut requests = Vec::new();
    for name in ["wait", "say_and_wait"] {
        let mut raw = Raw::connect(address).await;
        raw.request("POST", &call_headers(name), &call(1, name))
            .await;
        requests.push(raw);
        let id = u32::try_from(requests.len()).expect("few");
        requests.push(start(address, &session, &tool(id, name)).await);
        for _ in 0..2 {
            soon(probe.waiting.recv()).await;
        }
    }
    let serving = mounted.stop();
    for raw in &mut requests {
        let head = raw.head().await;
        let body = raw.body(&head).await;
        assert!(body.contains("-32603"), "{body}");
        assert!(body.contains("the server is shutting down"), "{body}");
        soon(probe.dropped.recv()).await;
    }
    channel.rest().await;
    soon(serving).await.expect("no panic").expect("no fault");
}

#[tokio::test]
async fn requests_of_a_channel_that_outlast_the_grace_time_end_with_an_error() {
    let (server, mut probe) = server(limits(|limits| {
        limits.grace_time = Duration::from_millis(50);
    }));
    let mounted = mount(&server).await;
    let mut raw = Raw::connect(mounted.address).await.at("/sse");
    let accept = with_header(Vec::new(), "Accept", "text/event-stream");
    raw.request("GET", &accept, "").await;
    raw.head().await;
    let first = raw.chunk().await;
    let path = first.trim_end().rsplit_once(' ').expect("an address").1;
    let json = with_header(media(), "Accept", "");
    for body in [initialize("2024-11-05"), tool(1, "wait")] {
        let mut post = Raw::connect(mounted.address).await.at(path);
        assert_eq!(post.ask("POST", &json, &body).await.0.status, 202);
    }
    soon(probe.waiting.recv()).await;
    let serving = mounted.stop();
    let rest = raw.rest().await;
    assert!(rest.contains("the server is shutting down"), "{rest}");
    soon(probe.dropped.recv()).await;
    soon(serving).await.expect("no panic").expect("no fault");
}

type Headers = Vec<(&'static str, String)>;

/// Requests that start new work, with their methods and headers, some of them in a session.
pub(crate) fn new_work(session: &Headers) -> [(&'static str, Headers, String); 5] {
    [
        ("POST", session.clone(), PING.to_owned()),
        ("POST", call_headers("echo"), call(1, "echo")),
        ("POST", media(), initialize("2025-11-25")),
        ("GET", session.clone(), String::new()),
        ("DELETE", session.clone(), String::new()),
    ]
}

#[tokio::test]
async fn new_requests_get_503_during_shutdown() {
    let (server, mut probe) = server(limits(|limits| limits.grace_time = NEVER));
    // An HTTP stack that continues to serve and keeps its connections.
    let service = server.clone().into_service(HttpConfig::default());
    let app = axum::Router::new().fallback_service(service);
    let address = serve_app(app).await;
    let session = start_session(address, "2025-11-25").await;
    let mut waiting = start(address, &session, &tool(1, "wait")).await;
    soon(probe.waiting.recv()).await;
    let mut kept = Raw::connect(address).await;
    assert_eq!(kept.ask("POST", &session, PING).await.0.status, 200);
    server.shutdown();
    for (method, headers, body) in new_work(&session) {
        let (head, _) = kept.ask(method, &headers, &body).await;
        assert_eq!(head.status, 503, "{method} {body}");
        assert!(head.get("retry-after").is_some());
    }
    probe.go.notify_one();
    let head = waiting.head().await;
    assert!(waiting.body(&head).await.contains("waited"));
}

#[tokio::test]
async fn until_shuts_the_server_down_on_a_signal() {
    let (server, mut probe) = server(|builder| builder);
    let http = server.serve_http("127.0.0.1:0").expect("bound");
    let address = http.local_addr();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(http.until(stopped));
    let mut raw = Raw::connect(address).await;
    raw.request("POST", &call_headers("wait"), &call(1, "wait"))
        .await;
    soon(probe.waiting.recv()).await;
    stop.send(()).expect("it waits");
    // The running request gets its response.
    probe.go.notify_one();
    let head = raw.head().await;
    assert!(raw.body(&head).await.contains("waited"));
    soon(serving).await.expect("no panic").expect("no fault");
}

#[tokio::test]
async fn requests_of_sessions_end_with_the_future_that_serves_them() {
    let (server, mut probe) = server(|builder| builder);
    let http = server.serve_http("127.0.0.1:0").expect("bound");
    let address = http.local_addr();
    let serving = tokio::spawn(http.into_future());
    let session = start_session(address, "2025-11-25").await;
    let _waiting = start(address, &session, &tool(1, "wait")).await;
    soon(probe.waiting.recv()).await;
    serving.abort();
    assert_eq!(soon(probe.dropped.recv()).await.as_deref(), Some("wait"));
}
