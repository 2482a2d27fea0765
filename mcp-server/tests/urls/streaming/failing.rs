//! Streams that fail: the client sees that the body is incomplete.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::{Request, Response};
use hyper::body::{Body as _, Buf as _, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};
use mcp_server::Limits;
use tokio::net::TcpStream;

use super::source::*;
use crate::urls::client::*;
use crate::urls::subject::*;

/// Returns the number of bytes of a body, and whether it is complete.
async fn length(response: Response<Incoming>) -> (u64, bool) {
    let mut body = pin!(response.into_body());
    let mut length = 0;
    while let Some(frame) = soon(poll_fn(|task| body.as_mut().poll_frame(task))).await {
        match frame {
            Ok(frame) => length += frame.into_data().map_or(0, |data| data.remaining() as u64),
            Err(_) => return (length, false),
        }
    }
    (length, true)
}

/// Downloads a film over HTTP/1.1 and HTTP/2.
async fn download(film: &Film) -> [(u64, bool); 2] {
    let mut limits = Limits::default();
    // The server gives up a stream that supplies no bytes for this time.
    limits.request_time = Duration::from_secs(1);
    let (address, ..) = served(|builder| film.add(StreamForm::Seekable, builder.limits(limits)));
    let path = path_of(address, URI).await;
    let request = || {
        let url = format!("http://{address}{path}");
        let request = Request::get(url).header("Host", address.to_string());
        request.body(String::new()).unwrap()
    };
    let connect = || async { TokioIo::new(TcpStream::connect(address).await.unwrap()) };
    let (mut first, connection) = hyper::client::conn::http1::handshake(connect().await)
        .await
        .unwrap();
    tokio::spawn(connection);
    let (mut second, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), connect().await)
            .await
            .unwrap();
    tokio::spawn(connection);
    let http1 = soon(first.send_request(request())).await.unwrap();
    assert_eq!(http1.status(), 200);
    let http1 = length(http1).await;
    // The reset of a stream also discards the head, if it was not sent so far.
    let http2 = match soon(second.send_request(request())).await {
        Ok(response) => length(response).await,
        Err(_) => (0, false),
    };
    // Over HTTP/2, only the stream of the failed request ends.
    let mut again = request();
    *again.method_mut() = http::Method::HEAD;
    let again = soon(second.send_request(again)).await.unwrap();
    assert_eq!(again.status(), 200);
    // The server still serves other requests.
    let path = path_of(address, "demo://motto").await;
    assert_eq!(get(address, &path, &[]).await.text(), MOTTO);
    [http1, http2]
}

#[tokio::test]
async fn complete_stream_is_complete() {
    for size in [Some(200_000), None] {
        let mut film = Film::new(200_000);
        film.size = size;
        assert_eq!(download(&film).await, [(200_000, true); 2], "{size:?}");
    }
}

#[tokio::test]
async fn stream_that_fails_leaves_the_body_incomplete() {
    for (size, end) in [
        (Some(200_000), End::Fails),
        (None, End::Fails),
        (Some(200_000), End::Panics),
        (None, End::Panics),
        (Some(200_000), End::Hangs),
        (None, End::Hangs),
        // Fewer bytes than described.
        (Some(200_000), End::Stops),
    ] {
        let mut film = Film::new(200_000);
        film.size = size;
        film.end = (100_000, end);
        for (length, complete) in download(&film).await {
            assert!(length <= 100_000 && !complete, "{size:?} {end:?}: {length}");
        }
    }
}

#[tokio::test]
async fn bytes_behind_the_described_size_are_not_sent() {
    let mut film = Film::new(200_000);
    film.size = Some(100_000);
    assert_eq!(download(&film).await, [(100_000, true); 2]);
}

/// Otherwise the client would store bytes of two versions under the tag of one.
#[tokio::test]
async fn resource_that_changes_meanwhile_leaves_the_body_incomplete() {
    for size in [Some(200_000), None] {
        let mut film = Film::new(200_000);
        film.size = size;
        film.state.changes.store(true, Ordering::SeqCst);
        for (length, complete) in download(&film).await {
            assert!(!complete, "{size:?}: {length}");
        }
    }
    // Without a version, the server cannot notice the change, and sends the whole body.
    let mut film = Film::new(200_000);
    film.versioned = false;
    film.state.changes.store(true, Ordering::SeqCst);
    assert_eq!(download(&film).await, [(200_000, true); 2]);
}
