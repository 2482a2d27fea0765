//! Bodies that arrive slowly.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame};
use mcp_server::{HttpBody, HttpConfig};
use tokio::time::{Interval, interval};
use tower_service::Service;

use super::subject::*;

/// The head of a POST whose declared body is longer than what is sent.
async fn half(raw: &mut Raw, body: &str) {
    start(raw, "Content-Length: 9999", body).await;
}

/// The head of a POST with a header that tells where the body ends, and the first bytes of the
/// body.
async fn start(raw: &mut Raw, framing: &str, body: &str) {
    let mut head = format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n");
    for (name, value) in call_headers("echo") {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    raw.write(format!("{head}\r\n{body}").as_bytes()).await;
}

#[tokio::test]
async fn incomplete_bodies_do_not_block_other_requests() {
    let (server, _probe) = server(limits(|limits| limits.concurrent_requests = 1));
    let address = serve(&server);
    let mut slow = Vec::new();
    for _ in 0..16 {
        let mut raw = Raw::connect(address).await;
        half(&mut raw, "{").await;
        slow.push(raw);
    }
    let (head, _) = Raw::post(address, &call_headers("echo"), &call(1, "echo")).await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn incomplete_body_times_out_with_408() {
    let (server, _probe) = server(limits(|limits| {
        limits.body_time = Duration::from_millis(50);
    }));
    let mut raw = Raw::connect(serve(&server)).await;
    half(&mut raw, "{").await;
    assert_eq!(raw.head().await.status, 408);
}

#[tokio::test]
async fn client_that_disconnects_in_a_body_gets_no_response() {
    let (server, _probe) = server(limits(|_| {}));
    let address = serve(&server);
    for framing in ["Content-Length: 9999", "Transfer-Encoding: chunked"] {
        let mut raw = Raw::connect(address).await;
        start(&mut raw, framing, "5\r\n     \r\n").await;
        raw.finish().await;
        assert!(raw.is_closed().await, "{framing}");
    }
}

#[tokio::test]
async fn malformed_chunk_is_rejected_with_400() {
    let (server, _probe) = server(limits(|_| {}));
    let mut raw = Raw::connect(serve(&server)).await;
    start(&mut raw, "Transfer-Encoding: chunked", "x\r\n").await;
    assert_eq!(raw.head().await.status, 400);
}

#[tokio::test]
async fn total_size_of_arriving_bodies_is_limited() {
    let (server, _probe) = server(limits(|limits| limits.body_bytes = 1_000));
    let address = serve(&server);
    let mut first = Raw::connect(address).await;
    half(&mut first, &" ".repeat(900)).await;
    let mut second = Raw::connect(address).await;
    // The first body may be completed later.
    half(&mut second, &" ".repeat(900)).await;
    let head = tokio::select! {
        head = first.head() => head,
        head = second.head() => head,
    };
    assert_eq!((head.status, head.get("retry-after")), (503, Some("1")));
    // A body that is complete on arrival does not count.
    let long = call(1, "echo").replacen('{', &format!("{{{}", " ".repeat(2_000)), 1);
    let (head, _) = Raw::post(address, &call_headers("echo"), &long).await;
    assert_eq!(head.status, 200);
}

/// Sends a body of spaces, one in each interval.
struct Trickle {
    interval: Interval,
    left: usize,
}

impl Body for Trickle {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        self.interval.poll_tick(task).map(|_| {
            self.left -= 1;
            Some(Ok(Frame::data(Bytes::from_static(b" "))))
        })
    }
}

/// Returns the response to a body of spaces, with a paused clock.
async fn trickled(rate: usize, each: Duration) -> Response<HttpBody> {
    let (server, _probe) = server(limits(|limits| {
        limits.body_rate = rate;
        limits.body_time = Duration::from_secs(1_000);
    }));
    let mut service = server.into_service(HttpConfig::default());
    let mut request = Request::post("http://localhost/mcp").header("Host", "localhost");
    for (name, value) in call_headers("echo") {
        request = request.header(name, value);
    }
    let body = Trickle {
        interval: interval(each),
        left: 100,
    };
    let response = service.call(request.body(body).expect("a request")).await;
    response.expect("no error")
}

#[tokio::test(start_paused = true)]
async fn slow_body_times_out_with_408() {
    let second = Duration::from_secs(1);
    assert_eq!(trickled(2, second).await.status(), 408);
    // Spaces are not a message, but the body is complete.
    assert_eq!(trickled(1, second / 2).await.status(), 400);
}
