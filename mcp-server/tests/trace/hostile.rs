//! Text of a peer cannot forge log lines, control a terminal or fill the disk.

use mcp_server::{HandlerError, ResourceUri, Server};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::peer::{exchange, exchange_lines, modern, post};
use crate::support::log::Log;

/// A line break, an escape sequence, a separator and a direction override, followed by a very long
/// text.
fn hostile() -> String {
    let beginning = "x\r\n2026-01-01 ERROR forged \u{1b}[2J\u{9b}\u{2028}\u{202e}";
    format!("{beginning}{}", "A".repeat(5_000))
}

/// Checks that no field has a harmful character or is too long.
fn assert_harmless(log: &Log) -> Vec<(&'static str, String)> {
    let texts = log.texts();
    assert!(!texts.is_empty());
    for (name, text) in &texts {
        let harmful = |c: char| {
            c.is_control()
                || ('\u{2028}'..='\u{202e}').contains(&c)
                || ('\u{2066}'..='\u{2069}').contains(&c)
        };
        assert!(!text.contains(harmful), "{name}: {text:?}");
        assert!(text.chars().count() <= 1_100, "{name}: {text:?}");
    }
    texts
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

fn server() -> Server {
    Server::builder("traced", "1")
        .tool(
            "quote",
            "Quotes",
            async |args: Text| -> Result<_, HandlerError> {
                Err::<String, HandlerError>(std::io::Error::other(args.text).into())
            },
        )
        .tool("panic", "Panics", |args: Text| async move {
            assert!(args.text.is_empty(), "{}", args.text);
            String::new()
        })
        .resource("x:1", "one", |ResourceUri(uri): ResourceUri| async { uri })
        .build()
        .expect("the definition is sound")
}

fn call(tool: &str, arguments: &Value) -> Value {
    modern(
        1,
        "tools/call",
        json!({ "name": tool, "arguments": arguments }),
    )
}

#[tokio::test]
async fn names_and_uris_of_a_peer_are_escaped_and_truncated_in_the_log() {
    let text = hostile();
    let mut named_request = modern(1, "tools/list", json!({}));
    named_request["id"] = json!(text);
    named_request["params"]["_meta"]["traceparent"] = json!(text);
    for message in [
        call(&text, &json!({})),
        named_request,
        call("quote", &json!({ "text": text })),
        call("panic", &json!({ "text": text })),
        call("quote", &json!({ text.as_str(): 1 })),
        modern(1, "resources/read", json!({ "uri": text })),
        modern(1, &text, json!({})),
        json!({ "jsonrpc": "2.0", "method": text }),
        json!({ "jsonrpc": "2.0", "id": text, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": 1, "message": text } }),
        json!({ "jsonrpc": "2.0", "id": null, "error": text }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": text, "reason": text } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": { text.as_str(): 1 } } }),
        json!({ "jsonrpc": text, "id": 1, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": { text.as_str(): 1 }, "method": "ping" }),
        json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": text, "version": text },
            },
        }),
    ] {
        let log = Log::begin();
        exchange(server(), &[message]).await;
        assert_harmless(&log);
    }
}

#[tokio::test]
async fn malformed_text_is_escaped_and_truncated_in_the_log() {
    let log = Log::begin();
    let line = ["{\"\u{9b}\u{202e}", &"A".repeat(5_000), "\": nonsense"].concat();
    exchange_lines(server(), &[line]).await;
    assert_harmless(&log);
}

#[tokio::test]
async fn the_error_of_a_failing_tool_is_still_recognized_in_the_log() {
    let log = Log::begin();
    exchange(server(), &[call("quote", &json!({ "text": hostile() }))]).await;
    let texts = assert_harmless(&log);
    let beginning = r"x\u{d}\u{a}2026-01-01 ERROR forged \u{1b}[2J\u{9b}\u{2028}\u{202e}AAA";
    let found = texts
        .iter()
        .any(|(name, text)| *name == "error" && text.starts_with(beginning) && text.ends_with('…'));
    assert!(found, "{texts:?}");
}

#[tokio::test]
async fn headers_of_a_peer_are_escaped_and_truncated_in_the_log() {
    let log = Log::begin();
    let serving = server().serve_http("127.0.0.1:0").expect("bound");
    let address = serving.local_addr();
    tokio::spawn(serving);
    // Bytes above ASCII are the only ones that a header can contain.
    let value = ["\u{9b}\u{202e}", &*"A".repeat(5_000)].concat();
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    for head in [
        format!("Host: {}\r\n", "a".repeat(5_000)),
        format!("Host: {address}\r\nOrigin: {value}\r\n"),
        format!("Host: {address}\r\nMcp-Session-Id: {value}\r\n"),
        format!("Host: {address}\r\nMCP-Protocol-Version: {value}\r\n"),
        format!("Host: {address}\r\nMcp-Method: {value}\r\nMcp-Name: {value}\r\n"),
    ] {
        post(address, &head, &ping).await;
    }
    assert_harmless(&log);
}
