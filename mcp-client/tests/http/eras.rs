//! Detection of a server's era.

use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::{Client, ConnectError, EraCache, Http, HttpError, Limits, TransportError};
use serde_json::json;
use tokio::task::JoinHandle;

use super::fake::*;

const NEWEST: Revision = Revision::V2025_11_25;

type Connecting = JoinHandle<Result<Client, ConnectError>>;

fn connect(http: Http) -> Connecting {
    tokio::spawn(Client::builder("test", "1").connect(http))
}

async fn connected(connecting: Connecting) -> Revision {
    let client = soon(connecting).await.expect("no panic");
    client.expect("connected").revision()
}

#[tokio::test]
async fn error_of_a_legacy_server_starts_a_handshake() {
    for (status, head, body) in [
        ("400 Bad Request", "", ""),
        ("400 Bad Request", "", "Bad Request: no session"),
        ("404 Not Found", "Content-Type: text/html\r\n", "<h1>"),
        ("406 Not Acceptable", "", ""),
        (
            "400 Bad Request",
            "Content-Type: application/json\r\n",
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}"#,
        ),
        (
            "200 OK",
            "Content-Type: application/json\r\n",
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"what?"}}"#,
        ),
        (
            "200 OK",
            "Content-Type: application/json\r\n",
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"what?"}}"#,
        ),
        (
            "200 OK",
            "Content-Type: application/json\r\n",
            r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"what?"}}"#,
        ),
        (
            "200 OK",
            "Content-Type: application/json\r\n",
            r#"{"error":"what?"}"#,
        ),
        ("200 OK", "Content-Type: application/json\r\n", ""),
        ("200 OK", "Content-Type: application/json\r\n", "[]"),
        ("200 OK", "", ""),
        ("200 OK", "Content-Type: text/html\r\n", "<h1>"),
        ("200 OK", "Content-Type: text/event-stream\r\n", ""),
        ("202 Accepted", "", ""),
        ("204 No Content", "", ""),
    ] {
        let mut fake = FakeHttp::start().await;
        let connecting = connect(fake.http());
        fake.message("server/discover")
            .await
            .answer(status, head, body)
            .await;
        fake.initialized(NEWEST, "one").await;
        fake.no_stream().await;
        assert_eq!(connected(connecting).await, NEWEST, "{status} {body}");
    }
}

/// Connects to a server that does not answer in the time of the probe. Returns its two requests.
async fn probed(fake: &mut FakeHttp) -> (Connecting, ReceivedRequest, ReceivedRequest) {
    let mut limits = Limits::default();
    limits.probe_time = Duration::from_millis(50);
    let builder = Client::builder("test", "1").limits(limits);
    let connecting = tokio::spawn(builder.connect(fake.http()));
    let asked = fake.message("server/discover").await;
    let handshake = fake.message("initialize").await;
    (connecting, asked, handshake)
}

#[tokio::test]
async fn server_that_starts_slowly_is_used_at_its_newest_revision() {
    let mut fake = FakeHttp::start().await;
    let (connecting, asked, handshake) = probed(&mut fake).await;
    asked.result(&discovered()).await;
    assert_eq!(connected(connecting).await, Revision::LATEST);
    handshake.closed().await;
}

#[tokio::test]
async fn refused_handshake_does_not_end_the_search_of_a_server_that_starts_slowly() {
    let mut fake = FakeHttp::start().await;
    let (connecting, asked, handshake) = probed(&mut fake).await;
    let error = json!({"code": -32601, "message": "unknown method"});
    let body = json!({"jsonrpc": "2.0", "id": handshake.body["id"], "error": error});
    handshake.json("200 OK", &body).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    asked.result(&discovered()).await;
    assert_eq!(connected(connecting).await, Revision::LATEST);
}

#[tokio::test]
async fn request_that_a_modern_server_rejects_starts_no_handshake() {
    for (code, data) in [
        (-32020, json!(null)),
        (-32021, json!({"requiredCapabilities": {"sampling": {}}})),
    ] {
        let mut fake = FakeHttp::start().await;
        let connecting = connect(fake.http());
        let asked = fake.message("server/discover").await;
        let error = json!({"code": code, "message": "rejected", "data": data});
        let body = json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": error});
        asked.json("400 Bad Request", &body).await;
        let error = soon(connecting).await.expect("no panic");
        let error = error.expect_err("an error").to_string();
        assert!(error.contains(&code.to_string()), "{error}");
    }
}

#[tokio::test]
async fn error_of_a_modern_server_starts_no_handshake() {
    let mut fake = FakeHttp::start().await;
    let connecting = connect(fake.http());
    let asked = fake.message("server/discover").await;
    let error = json!({
        "code": -32022, "message": "unsupported",
        "data": {"supported": ["2099-01-01"], "requested": Revision::LATEST.as_str()},
    });
    let body = json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": error});
    asked.json("400 Bad Request", &body).await;
    let error = soon(connecting)
        .await
        .expect("no panic")
        .expect_err("no revision");
    assert!(
        matches!(&error, ConnectError::Revision { theirs, .. } if theirs == &["2099-01-01"]),
        "{error}"
    );

    for status in [
        "401 Unauthorized",
        "403 Forbidden",
        "429 Too Many Requests",
        "502 Bad Gateway",
    ] {
        let connecting = connect(fake.http());
        fake.message("server/discover").await.status(status).await;
        let error = soon(connecting)
            .await
            .expect("no panic")
            .expect_err("refused");
        assert!(error.to_string().contains(&status[..3]), "{error}");
    }
}

#[tokio::test]
async fn legacy_era_is_cached_until_it_fails() {
    let mut fake = FakeHttp::start().await;
    let eras = EraCache::new();
    let connecting = connect(fake.http().era_cache(eras.clone()));
    fake.message("server/discover")
        .await
        .status("400 Bad Request")
        .await;
    fake.initialized(NEWEST, "one").await;
    fake.no_stream().await;
    assert_eq!(connected(connecting).await, NEWEST);
    fake.bare("DELETE").await.status("200 OK").await;

    let connecting = connect(fake.http().era_cache(eras.clone()));
    fake.initialized(NEWEST, "two").await;
    fake.no_stream().await;
    assert_eq!(connected(connecting).await, NEWEST);
    fake.bare("DELETE").await.status("200 OK").await;

    // The server was upgraded to the modern era.
    let connecting = connect(fake.http().era_cache(eras.clone()));
    fake.message("initialize")
        .await
        .error("404 Not Found", -32601)
        .await;
    fake.no_stream().await;
    fake.discovered().await;
    assert_eq!(connected(connecting).await, Revision::LATEST);

    let connecting = connect(fake.http().era_cache(eras));
    fake.discovered().await;
    assert_eq!(connected(connecting).await, Revision::LATEST);
}

/// A server with HTTP+SSE, up to its first event.
async fn streams(fake: &mut FakeHttp, endpoint: &str) -> ReceivedRequest {
    fake.message("server/discover")
        .await
        .status("405 Method Not Allowed")
        .await;
    fake.message("initialize")
        .await
        .status("405 Method Not Allowed")
        .await;
    let mut stream = fake.bare("GET").await;
    stream.events().await;
    stream
        .write(&format!("event: endpoint\ndata: {endpoint}\n\n"))
        .await;
    stream
}

async fn begun(fake: &mut FakeHttp, stream: &mut ReceivedRequest, target: &str) {
    let asked = fake.message("initialize").await;
    assert_eq!(asked.target, target);
    let message = asked.result_message(&agreed(Revision::V2024_11_05));
    asked.status("202 Accepted").await;
    stream.event(&message).await;
    let received = fake.message("notifications/initialized").await;
    assert_eq!(received.target, target);
    received.status("202 Accepted").await;
}

#[tokio::test]
async fn server_of_2024_11_05_is_used_over_http_sse() {
    let mut fake = FakeHttp::start().await;
    let connecting = connect(fake.http());
    let mut stream = streams(&mut fake, "messages?id=1").await;
    begun(&mut fake, &mut stream, "/messages?id=1").await;
    let client = soon(connecting)
        .await
        .expect("no panic")
        .expect("connected");
    assert_eq!(client.revision(), Revision::V2024_11_05);

    let listing = client.clone();
    let listing = tokio::spawn(async move { listing.tools().one_page().await });
    let asked = fake.message("tools/list").await;
    let message = asked.result_message(&json!({"tools": []}));
    asked.status("202 Accepted").await;
    stream
        .event(&json!({"jsonrpc": "2.0", "id": 5, "method": "ping"}))
        .await;
    let pong = fake.bare("POST").await;
    assert_eq!(pong.body, json!({"jsonrpc": "2.0", "id": 5, "result": {}}));
    pong.status("202 Accepted").await;
    stream.event(&message).await;
    soon(listing).await.expect("no panic").expect("a list");

    // The requests on the stream end with it; a new stream is opened.
    let listing = client.clone();
    let listing = tokio::spawn(async move { listing.tools().one_page().await });
    let asked = fake.message("tools/list").await;
    asked.status("202 Accepted").await;
    drop(stream);
    let error = soon(listing)
        .await
        .expect("no panic")
        .expect_err("it ended");
    assert!(
        matches!(transport_error(&error), TransportError::Closed),
        "{error}"
    );
    fake.message("initialize")
        .await
        .status("405 Method Not Allowed")
        .await;
    let mut stream = fake.bare("GET").await;
    stream.events().await;
    stream.write("event: endpoint\ndata: /other\n\n").await;
    begun(&mut fake, &mut stream, "/other").await;
    drop(client);
    stream.closed().await;
}

#[tokio::test]
async fn messages_are_not_posted_to_another_origin() {
    let mut fake = FakeHttp::start().await;
    let connecting = connect(fake.http());
    let stream = streams(&mut fake, "http://127.0.0.1:1/messages").await;
    let error = soon(connecting)
        .await
        .expect("no panic")
        .expect_err("not there");
    let ConnectError::Call(error) = error else {
        panic!("another error: {error}")
    };
    assert!(matches!(http(&error), HttpError::Endpoint(_)), "{error}");
    stream.closed().await;
}
