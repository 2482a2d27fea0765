//! Spans and fields that follow OpenTelemetry's semantic conventions for the protocol.

use mcp_server::types::v2025_11_25::InitializedNotification;
use mcp_server::{Context, HandlerError, NotificationParams, ResourceDef, Server};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tracing::Level;

use super::peer::{self, modern};
use crate::support::log::{Fields, Log, Logged};

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[derive(Deserialize, JsonSchema)]
struct Number {
    number: u32,
}

fn server() -> Server {
    Server::builder("traced", "1")
        .tool("add", "Adds one", |args: Number, cx: Context| async move {
            tokio::task::yield_now().await;
            assert_eq!(cx.trace_parent().is_some(), args.number == 7);
            (args.number + 1).to_string()
        })
        .tool("fail", "Fails", async || -> Result<_, HandlerError> {
            Err::<String, _>(HandlerError::tool("as asked"))
        })
        .tool("panic", "Panics", |args: Number| async move {
            if args.number > 0 {
                tokio::task::yield_now().await;
            }
            assert!(args.number > 1, "as asked");
            ""
        })
        .prompt("greet", "Greets", async || "Hello")
        .add_resource(ResourceDef::text("x:1", "one", "1"))
        .on_notification(
            |_: NotificationParams<InitializedNotification>, cx: Context| {
                assert_eq!(cx.client_name(), "tracer", "as asked");
                async {}
            },
        )
        .build()
        .expect("the definition is sound")
}

trait ClientName {
    fn client_name(&self) -> &str;
}

impl ClientName for Context {
    fn client_name(&self) -> &str {
        let peer = self.peer().client_info();
        peer.map_or("", |info| info.name.as_str())
    }
}

/// Sends messages, and waits until all of them are answered.
async fn exchange(messages: &[Value]) -> Vec<Value> {
    peer::exchange(server(), messages).await
}

fn call(id: u64, tool: &str, number: u64) -> Value {
    let arguments = if tool == "fail" {
        json!({})
    } else {
        json!({ "number": number })
    };
    modern(
        id,
        "tools/call",
        json!({ "name": tool, "arguments": arguments }),
    )
}

/// Returns the only span.
async fn span_of(log: &Log, message: Value) -> Fields {
    exchange(&[message]).await;
    let mut spans = log.requests();
    let span = spans.pop().expect("a span");
    assert!(spans.is_empty(), "{spans:?}");
    span
}

fn assert_fields(span: &Fields, expected: &[(&str, &str)]) {
    let found: Vec<_> = span
        .0
        .iter()
        .map(|(&name, value)| (name, value.as_str()))
        .collect();
    let mut expected = expected.to_vec();
    expected.extend([
        ("otel.kind", "server"),
        ("mcp.protocol.version", "2026-07-28"),
    ]);
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn request_span_has_the_fields_of_the_semantic_conventions() {
    let log = Log::begin();
    let mut message = call(1, "add", 7);
    message["params"]["_meta"]["traceparent"] = json!(PARENT);
    assert_fields(
        &span_of(&log, message).await,
        &[
            ("otel.name", "tools/call add"),
            ("mcp.method.name", "tools/call"),
            ("jsonrpc.request.id", "1"),
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "add"),
            ("traceparent", PARENT),
        ],
    );
    let message = modern(2, "prompts/get", json!({ "name": "greet" }));
    assert_fields(
        &span_of(&log, message).await,
        &[
            ("otel.name", "prompts/get greet"),
            ("mcp.method.name", "prompts/get"),
            ("jsonrpc.request.id", "2"),
            ("gen_ai.prompt.name", "greet"),
        ],
    );
    let message = modern(3, "resources/read", json!({ "uri": "x:1" }));
    assert_fields(
        &span_of(&log, message).await,
        &[
            ("otel.name", "resources/read"),
            ("mcp.method.name", "resources/read"),
            ("jsonrpc.request.id", "3"),
            ("mcp.resource.uri", "x:1"),
        ],
    );
    let message = modern(4, "tools/list", json!({}));
    assert_fields(
        &span_of(&log, message).await,
        &[
            ("otel.name", "tools/list"),
            ("mcp.method.name", "tools/list"),
            ("jsonrpc.request.id", "4"),
        ],
    );
    assert!(log.of(Level::ERROR).is_empty());
}

#[tokio::test]
async fn failed_request_span_has_its_error_type() {
    let log = Log::begin();
    let faulty = modern(1, "tools/call", json!({ "name": 5 }));
    for (message, kind, code) in [
        (call(1, "no-such", 1), "-32602", Some("-32602")),
        (faulty, "-32602", Some("-32602")),
        (
            modern(1, "resources/read", json!({ "uri": "x:2" })),
            "-32602",
            Some("-32602"),
        ),
        (call(1, "panic", 0), "-32603", Some("-32603")),
        // The response is a result.
        (call(1, "fail", 1), "tool_error", None),
        (
            modern(1, "tools/call", json!({ "name": "add" })),
            "tool_error",
            None,
        ),
    ] {
        let text = message.to_string();
        let span = span_of(&log, message).await;
        assert_eq!(span.get("error.type"), Some(kind), "{text}");
        assert_eq!(span.get("rpc.response.status_code"), code, "{text}");
        assert_eq!(span.get("otel.status_code"), Some("ERROR"), "{text}");
    }
}

#[tokio::test]
async fn panic_is_logged_once_with_its_location() {
    let log = Log::begin();
    for number in [0, 1] {
        let answers = exchange(&[call(number, "panic", number)]).await;
        assert_eq!(answers[0]["error"]["code"], -32603);
        let errors = log.of(Level::ERROR);
        let [Logged { fields, span, .. }] = &errors[..] else {
            panic!("{errors:?}");
        };
        assert_eq!(fields.get("panic"), Some("as asked"));
        assert_eq!(span.get("mcp.method.name"), Some("tools/call"));
        assert_eq!(span.get("gen_ai.tool.name"), Some("panic"));
        assert_eq!(span.get("jsonrpc.request.id"), Some(&*number.to_string()));
        log.requests();
    }
}

/// Panics where neither a task nor a future exists yet that could catch it.
#[tokio::test]
async fn panic_of_a_notification_handler_ends_nothing_else() {
    let log = Log::begin();
    let hello = |name: &str| {
        json!({
            "jsonrpc": "2.0", "id": "hello", "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": name, "version": "1" },
            },
        })
    };
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let ping = json!({ "jsonrpc": "2.0", "id": "after", "method": "ping" });
    for (name, failed) in [("tracer", false), ("other", true)] {
        let answers = exchange(&[hello(name), initialized.clone(), ping.clone()]).await;
        assert_eq!(answers.len(), 2, "{answers:?}");
        let errors = log.of(Level::ERROR);
        assert_eq!(errors.len(), usize::from(failed));
        for Logged { span, .. } in errors {
            assert_eq!(
                span.get("mcp.method.name"),
                Some("notifications/initialized")
            );
            assert_eq!(span.get("mcp.protocol.version"), Some("2025-11-25"));
        }
        let spans = log.requests();
        let methods: Vec<_> = spans
            .iter()
            .map(|span| span.get("mcp.method.name"))
            .collect();
        assert_eq!(methods, [Some("notifications/initialized"), Some("ping")]);
        assert_eq!(spans[0].get("jsonrpc.request.id"), None);
        assert_eq!(spans[1].get("jsonrpc.request.id"), Some("after"));
    }
}

#[tokio::test]
async fn http_span_has_the_transport_and_the_session_id() {
    let log = Log::begin();
    let serving = server().serve_http("127.0.0.1:0").expect("bound");
    let address = serving.local_addr();
    tokio::spawn(serving);
    let post = async |headers: &str, message: Value| {
        let head = format!(
            "Host: {address}
{headers}"
        );
        peer::post(address, &head, &message.to_string()).await
    };
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "tracer", "version": "1" },
    });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let response = post("", hello).await;
    let mut lines = response.lines();
    let session = lines.find_map(|line| line.strip_prefix("mcp-session-id: "));
    let session = session.expect("a session");
    let headers = format!("Mcp-Session-Id: {session}\r\n");
    post(
        &headers,
        json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }),
    )
    .await;
    let spans = log.requests();
    let [span] = &spans[..] else {
        panic!("{spans:?}");
    };
    for (name, value) in [
        ("mcp.session.id", session),
        ("network.transport", "tcp"),
        ("network.protocol.name", "http"),
        ("network.protocol.version", "1.1"),
    ] {
        assert_eq!(span.get(name), Some(value));
    }
}
