//! Responses to callers that have used up a limit of the program.

use std::time::Duration;

use mcp_server::middleware::{self, Next, Outcome, Request};
use mcp_server::types::rpc::ErrorObject;
use mcp_server::{Context, HandlerError, Server, ToolDef};
use serde_json::{Value, json};

use super::legacy::*;
use super::subject::*;
use crate::support::peer::Peer;

fn busy() -> HandlerError {
    HandlerError::busy(Duration::from_millis(29_500))
}

/// An error with a code and a text of the program.
fn own() -> HandlerError {
    let error = ErrorObject::new(-31_000, "five a day").data(json!({ "left": 0 }));
    HandlerError::from(error.retry_after(Duration::from_secs(30)))
}

async fn limited(request: Request, next: Next) -> Outcome {
    if request.tool().as_deref() == Some("layer") {
        return Err(busy());
    }
    next.run(request).await
}

/// A server with a tool for each place that has a limit.
fn server() -> Server {
    Server::builder("test", "1")
        .layer(middleware::from_fn(limited))
        .tool("layer", "", async || "never")
        .add_tool(
            ToolDef::new("guard")
                .guard(async || Err::<(), _>(busy()))
                .handler(async || "never"),
        )
        .tool("handler", "", async || Err::<(), _>(busy()))
        .tool("own", "", async || Err::<(), _>(own()))
        .tool("late", "", async |cx: Context| {
            cx.progress(1, 2, "begun").await?;
            Err::<(), _>(busy())
        })
        .build()
        .expect("valid")
}

#[tokio::test]
async fn limit_of_the_program_returns_429_with_the_time_in_both_eras() {
    let address = serve(&server());
    let session = start_session(address, "2025-06-18").await;
    for name in ["layer", "guard", "handler", "own"] {
        for (headers, body) in [
            (call_headers(name), call(1, name)),
            (session.clone(), tool(1, name)),
        ] {
            let (head, text) = Raw::post(address, &headers, &body).await;
            assert_eq!(head.status, 429, "{name}: {text}");
            assert_eq!(head.get("retry-after"), Some("30"), "{name}: {text}");
            let answer: Value = serde_json::from_str(&text).expect("JSON");
            let expected = match name {
                "own" => json!({
                    "code": -31_000,
                    "message": "five a day",
                    "data": { "left": 0, "retryAfter": 30 },
                }),
                _ => json!({
                    "code": -32603,
                    "message": "the server is busy: retry after 30 s",
                    "data": { "retryAfter": 30 },
                }),
            };
            assert_eq!(answer["error"], expected, "{name}");
        }
    }
}

#[tokio::test]
async fn error_in_a_response_that_has_begun_has_the_time() {
    let address = serve(&server());
    let session = start_session(address, "2025-06-18").await;
    for (headers, body) in [
        (call_headers("late"), call(1, "late")),
        (session, tool(1, "late")),
    ] {
        let (head, text) = Raw::post(address, &headers, &body).await;
        assert_eq!(head.status, 200, "{text}");
        assert!(text.contains("notifications/progress"), "{text}");
        assert!(text.contains(r#""data":{"retryAfter":30}"#), "{text}");
    }
}

#[tokio::test]
async fn byte_stream_has_the_time_in_the_error() {
    let server = server();
    let legacy = Peer::legacy(&server, "2024-11-05").await;
    for mut peer in [Peer::modern(&server), legacy] {
        for name in ["layer", "guard", "handler"] {
            let params = json!({ "name": name, "arguments": {} });
            let answer = peer.request("tools/call", params).await;
            assert_eq!(
                answer["error"]["data"],
                json!({ "retryAfter": 30 }),
                "{answer}"
            );
        }
    }
}
