//! Invalid or unexpected behaviour of servers: one call fails, and the next one works.

use mcp_client::{CallError, Client, HttpError, Limits, TransportError};
use serde_json::json;

use super::fake::*;

/// Makes a call to which the server reacts in this way, and returns its error.
async fn fails(
    fake: &mut FakeHttp,
    client: &Client,
    server: impl AsyncFnOnce(ReceivedRequest),
) -> CallError {
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.tools().one_page().await });
    server(fake.message("tools/list").await).await;
    let failed = soon(call).await.expect("no panic").expect_err("a fault");
    works(fake, client).await;
    failed
}

async fn works(fake: &mut FakeHttp, client: &Client) {
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.tools().one_page().await });
    fake.message("tools/list")
        .await
        .result(&tools(&json!([])))
        .await;
    soon(call).await.expect("no panic").expect("a list");
}

#[tokio::test]
async fn invalid_response_fails_only_its_call() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;

    let error = fails(&mut fake, &client, async |asked| {
        asked
            .answer("200 OK", "Content-Type: text/html\r\n", "<p>")
            .await;
    });
    let error = error.await;
    assert!(
        matches!(http(&error), HttpError::ContentType(kind) if kind == "text/html"),
        "{error}"
    );

    let error = fails(&mut fake, &client, async |asked| {
        asked.status("202 Accepted").await
    })
    .await;
    assert!(matches!(http(&error), HttpError::NoAnswer), "{error}");

    let error = fails(&mut fake, &client, async |asked| {
        asked
            .answer("200 OK", "Content-Type: application/json\r\n", "{")
            .await;
    });
    let error = error.await;
    assert!(matches!(http(&error), HttpError::Message(_)), "{error}");

    let error = fails(&mut fake, &client, async |asked| {
        let other = json!({"jsonrpc": "2.0", "id": 999, "result": {}});
        asked.json("200 OK", &other).await;
    });
    let error = error.await;
    assert!(matches!(http(&error), HttpError::NoAnswer), "{error}");

    let error = fails(&mut fake, &client, async |asked| {
        asked.answer("503 Service Unavailable", "", "later").await;
    });
    let error = error.await;
    assert!(
        matches!(http(&error), HttpError::Status { status, body, .. } if *status == 503 && body == "later"),
        "{error}"
    );
}

#[tokio::test]
async fn truncated_response_is_an_error() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;

    let error = fails(&mut fake, &client, async |mut asked| {
        asked
            .write(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
            )
            .await;
    });
    let error = error.await;
    assert!(matches!(http(&error), HttpError::Exchange(_)), "{error}");

    let error = fails(&mut fake, &client, async |mut asked| {
        asked.events().await;
        asked.write("data: {\"jsonrpc\"").await;
    });
    let error = error.await;
    assert!(matches!(http(&error), HttpError::NoAnswer), "{error}");

    let error = fails(&mut fake, &client, async |asked| drop(asked)).await;
    assert!(matches!(http(&error), HttpError::Exchange(_)), "{error}");
}

fn assert_too_long(error: &CallError) {
    let source = transport_error(error);
    let is_too_long = matches!(source, TransportError::TooLong { limit: 4_000 });
    assert!(is_too_long, "{error}");
}

#[tokio::test]
async fn endless_response_is_limited() {
    let mut fake = FakeHttp::start().await;
    let mut limits = Limits::default();
    limits.message_bytes = 4_000;
    let builder = Client::builder("test", "1").limits(limits);
    let client = fake.modern_with(fake.http(), builder).await;

    let error = fails(&mut fake, &client, async |mut asked| {
        asked.events().await;
        asked.write("data: ").await;
        asked.flood("endless ").await;
    });
    assert_too_long(&error.await);

    let error = fails(&mut fake, &client, async |mut asked| {
        asked
            .write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            .await;
        asked.flood("        ").await;
    });
    assert_too_long(&error.await);

    let error = fails(&mut fake, &client, async |mut asked| {
        asked
            .write(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4001\r\n\r\n",
            )
            .await;
        asked.closed().await;
    });
    assert_too_long(&error.await);

    let error = fails(&mut fake, &client, async |mut asked| {
        asked.write("HTTP/1.1 200 OK\r\n").await;
        asked.flood("X-Endless: header\r\n").await;
    });
    let error = error.await;
    assert!(matches!(http(&error), HttpError::Exchange(_)), "{error}");
}

#[tokio::test]
async fn protocol_error_is_returned_with_any_http_status() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    for status in [
        "200 OK",
        "400 Bad Request",
        "404 Not Found",
        "500 Internal Server Error",
    ] {
        let error = fails(&mut fake, &client, async |asked| {
            asked.error(status, -32601).await
        });
        let error = error.await;
        assert!(
            matches!(&error, CallError::Refused { source, .. } if source.code == -32601),
            "{error}"
        );
    }
    // Some servers reject a request without its id.
    let error = fails(&mut fake, &client, async |asked| {
        let error = json!({"code": -32000, "message": "no"});
        let body = json!({"jsonrpc": "2.0", "id": "server-error", "error": error});
        asked.json("400 Bad Request", &body).await;
    });
    let error = error.await;
    assert!(matches!(&error, CallError::Refused { .. }), "{error}");
}

#[tokio::test]
async fn redirect_is_followed_only_within_the_origin() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.tools().one_page().await });
    let asked = fake.message("tools/list").await;
    asked
        .answer("307 Temporary Redirect", "Location: /mcp/\r\n", "")
        .await;
    let asked = fake.message("tools/list").await;
    assert_eq!(asked.target, "/mcp/");
    assert_eq!(asked.header("mcp-method"), Some("tools/list"));
    asked.result(&tools(&json!([]))).await;
    soon(call).await.expect("no panic").expect("a list");

    for (status, location) in [
        ("307 Temporary Redirect", "http://127.0.0.1:1/mcp"),
        ("308 Permanent Redirect", "https://example.com/mcp"),
        ("302 Found", "/login"),
        ("303 See Other", "/mcp"),
    ] {
        let error = fails(&mut fake, &client, async |asked| {
            asked
                .answer(status, &format!("Location: {location}\r\n"), "")
                .await;
        });
        let error = error.await;
        assert!(
            matches!(http(&error), HttpError::Redirect { location: to, .. } if to == location),
            "{error}"
        );
    }
}

#[tokio::test]
async fn redirect_target_is_truncated_and_escaped_in_errors() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    // The first would be followed if it was a valid URL, the second would not.
    for (status, scheme) in [
        ("307 Temporary Redirect", "https://"),
        ("302 Found", "\u{e9}"),
    ] {
        let error = fails(&mut fake, &client, async |mut asked| {
            let location = format!("{scheme}{}\t{}", "x".repeat(150), "y".repeat(20_000));
            let head = format!("HTTP/1.1 {status}\r\nLocation: {location}\r\n\r\n");
            asked.write(&head).await;
        });
        let error = error.await;
        let HttpError::Redirect { location, .. } = http(&error) else {
            panic!("{error}");
        };
        assert!(location.starts_with(scheme), "{location}");
        assert!(
            location.contains(r"x\u{9}y") && location.ends_with("y…"),
            "{location}"
        );
        let shown = r"\u{9}".len() - 1 + 200 + 1;
        assert_eq!(location.chars().count(), shown, "{location}");
        assert!(error.to_string().len() < 1_000, "{error}");
    }
}

#[tokio::test]
async fn unreachable_server_is_an_error() {
    let fake = FakeHttp::start().await;
    let http = fake.http();
    drop(fake);
    // No server listens at this port, which is reserved.
    let other = mcp_client::Http::new("http://127.0.0.1:1/mcp");
    let error = Client::builder("test", "1").connect(other).await;
    let error = error.expect_err("the server is unreachable");
    assert!(error.to_string().contains("refused"), "{error}");
    for url in ["", "nowhere", "ftp://127.0.0.1/"] {
        let error = Client::builder("test", "1")
            .connect(mcp_client::Http::new(url))
            .await;
        let error = error.expect_err("no URL");
        assert!(
            error.to_string().contains(&format!("in URL `{url}`")),
            "{error}"
        );
    }
    let error = Client::builder("test", "1")
        .connect(http.header("a b", "c"))
        .await;
    let error = error.expect_err("no header");
    assert!(error.to_string().contains("`a b`"), "{error}");
}

#[tokio::test]
async fn dropped_call_closes_its_stream() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.tools().one_page().await });
    let mut asked = fake.message("tools/list").await;
    asked.events().await;
    asked.write(": still here\n\n").await;
    call.abort();
    asked.closed().await;
    works(&mut fake, &client).await;
}
