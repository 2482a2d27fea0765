//! Counts of requests by method, tool and outcome.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use mcp_server::middleware::{self, Next, Request};
use mcp_server::{Context, Elicited, Form, HandlerError, OperationOutcome, Server};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::peer::Peer;

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

async fn ask(cx: Context) -> Result<String, HandlerError> {
    Ok(
        match cx.elicit(Form::<Name>::of("Who?")).key("who").await? {
            Elicited::Accepted(Name { name }) => name,
            Elicited::Declined | Elicited::Cancelled => "nobody".to_owned(),
        },
    )
}

fn server() -> Server {
    Server::builder("test", "1")
        .tool("say \"hi\"", "Succeeds", async || "hi")
        .tool("fail", "Fails", async || {
            Err::<(), _>(HandlerError::tool("no"))
        })
        .tool("panic", "Panics", async || -> () { panic!("as planned") })
        .tool("wait", "Never ends", std::future::pending::<()>)
        .tool("ask", "Asks", ask)
        .build()
        .unwrap()
}

/// Returns the non-zero counts by method, tool and outcome.
fn counts(server: &Server) -> BTreeMap<(String, String, &'static str), u64> {
    let operations = server.metrics().operations;
    let mut counts = BTreeMap::new();
    for operation in &operations {
        for (outcome, count) in operation.outcomes().filter(|(_, count)| *count > 0) {
            let tool = operation.tool.clone().unwrap_or_default();
            counts.insert((operation.method.clone(), tool, outcome.as_str()), count);
        }
        let (bound, within) = operation.buckets().last().unwrap();
        assert!(bound.is_infinite());
        assert_eq!(within, operation.total());
    }
    counts
}

fn expected<const N: usize>(
    rows: [(&str, &str, &'static str, u64); N],
) -> BTreeMap<(String, String, &'static str), u64> {
    let row = |(method, tool, outcome, count): (&str, &str, _, _)| {
        ((method.to_owned(), tool.to_owned(), outcome), count)
    };
    rows.into_iter().map(row).collect()
}

#[tokio::test]
async fn requests_are_counted_by_method_tool_and_outcome() {
    for revision in ["2025-06-18", "2026-07-28"] {
        let server = server();
        let mut peer = if revision == "2026-07-28" {
            Peer::modern(&server)
        } else {
            Peer::legacy(&server, revision).await
        };
        assert_eq!(server.metrics().operations, [], "nothing was requested yet");
        peer.call("say \"hi\"", json!({})).await;
        peer.call("say \"hi\"", json!({})).await;
        peer.call("fail", json!({})).await;
        for name in ["panic", "unknown"] {
            peer.error("tools/call", json!({ "name": name })).await;
        }
        peer.error("tools/call", json!({ "name": 1 })).await;
        for name in ["invented/one", "invented/two"] {
            peer.error(name, json!({})).await;
        }
        peer.result("tools/list", json!({})).await;
        let counted = expected([
            ("", "", "error", 2),
            ("tools/call", "", "error", 2),
            ("tools/call", "fail", "tool_error", 1),
            ("tools/call", "panic", "error", 1),
            ("tools/call", "say \"hi\"", "ok", 2),
            ("tools/list", "", "ok", 1),
        ]);
        assert_eq!(counts(&server), counted, "{revision}");
    }
}

#[tokio::test]
async fn method_of_another_revision_is_counted_as_unknown() {
    for layered in [true, false] {
        let mut builder = Server::builder("test", "1");
        if layered {
            let pass = async |request: Request, next: Next| next.run(request).await;
            builder = builder.layer(middleware::from_fn(pass));
        }
        let server = builder.build().unwrap();
        let mut peer = Peer::legacy(&server, "2025-06-18").await;
        peer.error("server/discover", json!({})).await;
        assert_eq!(
            counts(&server),
            expected([("", "", "error", 1)]),
            "{layered}"
        );
    }
}

#[tokio::test]
async fn cancelled_request_is_counted_as_cancelled() {
    let server = server();
    let mut peer = Peer::modern(&server);
    let id = peer.start("tools/call", json!({ "name": "wait" })).await;
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    });
    peer.send(cancel).await;
    // The server handles messages in order.
    peer.call("say \"hi\"", json!({})).await;
    let wait = ("tools/call".to_owned(), "wait".to_owned(), "cancelled");
    assert_eq!(counts(&server).get(&wait), Some(&1));
}

#[tokio::test]
async fn round_that_asks_a_question_is_no_success() {
    type Seen = Arc<Mutex<Vec<(Option<String>, Option<bool>)>>>;
    let seen = Seen::default();
    let log = Arc::clone(&seen);
    let watch = move |request: Request, next: Next| {
        let log = Arc::clone(&log);
        async move {
            let tool = request.tool();
            let outcome = next.run(request).await;
            let asks = outcome.as_ref().ok();
            let asks = asks.map(middleware::Response::is_input_required);
            log.lock().unwrap().push((tool, asks));
            outcome
        }
    };
    let server = Server::builder("test", "1")
        .layer(middleware::from_fn(watch))
        .tool("ask", "Asks", ask)
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    let question = json!({ "name": "ask", "arguments": {}, "_meta": meta });
    let first = peer.result("tools/call", question.clone()).await;
    assert_eq!(first["resultType"], "input_required");
    let tool = |server: &Server, outcome| {
        let operations = server.metrics().operations;
        let ask = operations.iter().find(|it| it.tool.is_some()).unwrap();
        ask.count(outcome)
    };
    assert_eq!(tool(&server, OperationOutcome::InputRequired), 1);
    assert_eq!(tool(&server, OperationOutcome::Ok), 0);
    let mut answered = question;
    answered["requestState"] = first["requestState"].clone();
    answered["inputResponses"] =
        json!({ "who": { "action": "accept", "content": { "name": "Ada" } } });
    let second: Value = peer.result("tools/call", answered).await;
    assert_eq!(second["content"][0]["text"], "Ada");
    assert_eq!(tool(&server, OperationOutcome::Ok), 1);
    peer.error("tools/call", json!({ "name": "unknown" })).await;
    let ask = Some("ask".to_owned());
    assert_eq!(
        *seen.lock().unwrap(),
        [(ask.clone(), Some(true)), (ask, Some(false)), (None, None)]
    );
}

#[tokio::test]
async fn operations_are_part_of_the_text_format() {
    let server = server();
    let mut peer = Peer::modern(&server);
    peer.call("say \"hi\"", json!({})).await;
    let text = server.metrics().to_open_metrics();
    let labels = r#"method="tools/call",tool="say \"hi\"""#;
    for line in [
        "# TYPE mcp_server_operations counter".to_owned(),
        "# TYPE mcp_server_operation_duration_seconds histogram".to_owned(),
        "# UNIT mcp_server_operation_duration_seconds seconds".to_owned(),
        format!("mcp_server_operations_total{{{labels},outcome=\"ok\"}} 1"),
        format!("mcp_server_operations_total{{{labels},outcome=\"error\"}} 0"),
        format!("mcp_server_operation_duration_seconds_bucket{{{labels},le=\"+Inf\"}} 1"),
        format!("mcp_server_operation_duration_seconds_bucket{{{labels},le=\"300.0\"}} 1"),
        format!("mcp_server_operation_duration_seconds_count{{{labels}}} 1"),
    ] {
        assert!(text.lines().any(|it| it == line), "{line}\n{text}");
    }
    assert!(text.ends_with("# EOF\n"));
}
