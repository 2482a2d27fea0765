//! Compares the table of errors and their statuses in `docs/reference/errors.md` with the server.

use std::net::SocketAddr;
use std::time::Duration;

use mcp_server::types::PromptArgument;
use mcp_server::{Context, HandlerError, Limits, PromptDef, ResourceDef, Server, ToolDef};
use serde_json::{Value, json};

use super::legacy::*;
use super::subject::*;

const PAGE: &str = include_str!("../../../docs/reference/errors.md");

/// A row of the table: the reason, the codes and the statuses, without a session and in one.
struct Row {
    reason: &'static str,
    codes: [i64; 2],
    statuses: [Option<u16>; 2],
}

fn rows() -> Vec<Row> {
    let table = PAGE
        .split("| the reason of the error |")
        .nth(1)
        .expect("the table");
    let lines = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let rows = lines.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [reason, codes, modern, legacy] = cells[..] else {
            panic!("not four cells: {line}");
        };
        let mut codes = codes.split("; ").map(|code| {
            let code = code.trim_end_matches(" in a session");
            code.parse().expect("a code")
        });
        let first = codes.next().expect("a code");
        Row {
            reason,
            codes: [first, codes.next().unwrap_or(first)],
            statuses: [modern.parse().ok(), legacy.parse().ok()],
        }
    });
    rows.collect()
}

fn server() -> Server {
    let greet = PromptDef::new("greet")
        .argument(PromptArgument::new("name").required(true))
        .map_handler(async |_| "hello");
    let mut long = Limits::default();
    long.uri_bytes = 64;
    let refuse = |name: &str, error: fn() -> HandlerError| {
        ToolDef::new(name).handler(move || async move { Err::<(), _>(error()) })
    };
    Server::builder("test", "1")
        .limits(long)
        .add_prompt(greet)
        .add_resource(ResourceDef::text("x:1", "one", "1"))
        .tool("panics", "", async || -> String { panic!("as asked") })
        .tool(
            "roots",
            "",
            async |cx: Context| -> Result<usize, HandlerError> { Ok(cx.roots().await?.len()) },
        )
        .add_tool(refuse("invalid_params", || {
            HandlerError::invalid_params("no")
        }))
        .add_tool(refuse("forbidden", || HandlerError::forbidden("no")))
        .add_tool(refuse("insufficient_scope", || {
            HandlerError::insufficient_scope("a")
        }))
        .add_tool(refuse("busy", || {
            HandlerError::busy(Duration::from_secs(1))
        }))
        .add_tool(refuse("temporary", || {
            HandlerError::internal("no").temporary()
        }))
        .add_tool(refuse("fails", || HandlerError::internal("no")))
        .build()
        .expect("valid")
}

/// Returns the method and the params of the request that has the error of a row.
fn request(reason: &str) -> (&'static str, Value) {
    let tool = |name: &str| ("tools/call", json!({ "name": name, "arguments": {} }));
    let read = |uri: &str| ("resources/read", json!({ "uri": uri }));
    if let Some(name) = reason.strip_prefix("the handler refuses with `") {
        return tool(name.trim_end_matches('`'));
    }
    match reason {
        "the method is unknown" => ("no/method", json!({})),
        "a member of the params is missing or has another type" => {
            ("tools/call", json!({ "name": "busy", "arguments": 1 }))
        }
        "the client lacks a capability" => tool("roots"),
        "the tool is unknown" => tool("none"),
        "the prompt is unknown" => ("prompts/get", json!({ "name": "none" })),
        "an argument of the prompt is missing" => ("prompts/get", json!({ "name": "greet" })),
        "the resource is unknown" => read("x:2"),
        "the URI is too long" => read(&format!("x:{}", "2".repeat(65))),
        "the cursor was not made by this server" => ("tools/list", json!({ "cursor": "none" })),
        "`requestState` was not made by this server" => {
            let mut params = tool("roots").1;
            params["requestState"] = json!("none");
            ("tools/call", params)
        }
        "the handler panics" => tool("panics"),
        "the body is not JSON"
        | "the body is no JSON-RPC message"
        | "a header contradicts the body"
        | "the revision is not supported"
        | "`_meta` is missing"
        | "the handler fails" => tool("fails"),
        other => panic!("the test has no request for the row `{other}`"),
    }
}

/// Returns the headers and the body of the request of a row.
fn message(
    reason: &str,
    session: Option<&Vec<(&'static str, String)>>,
) -> (Vec<(&'static str, String)>, String) {
    let (method, mut params) = request(reason);
    let mut headers = session.cloned().unwrap_or_else(|| {
        let name = ["name", "uri"]
            .into_iter()
            .find_map(|name| params[name].as_str());
        let headers = with_header(call_headers(""), "Mcp-Method", method);
        with_header(headers, "Mcp-Name", name.unwrap_or_default())
    });
    if session.is_none() && reason != "`_meta` is missing" {
        let sent: Value = serde_json::from_str(&call(1, "")).expect("JSON");
        params["_meta"] = sent["params"]["_meta"].clone();
        if reason == "the client lacks a capability" {
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        if reason == "the revision is not supported" {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2000-01-01");
        }
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let body = match reason {
        "the body is not JSON" => "{".to_owned(),
        "the body is no JSON-RPC message" => r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#.to_owned(),
        _ => body.to_string(),
    };
    match reason {
        "a header contradicts the body" => headers = with_header(headers, "Mcp-Name", "other"),
        "the revision is not supported" => {
            headers = with_header(headers, "MCP-Protocol-Version", "2000-01-01");
        }
        _ => {}
    }
    (headers, body)
}

/// Starts a session of a client without capabilities.
async fn bare_session(address: SocketAddr) -> Vec<(&'static str, String)> {
    let begin = initialize("2025-06-18").replace(r#"{"roots":{}}"#, "{}");
    let (head, body) = Raw::post(address, &media(), &begin).await;
    assert_eq!(head.status, 200, "{body}");
    let id = head.get("mcp-session-id").expect("a session").to_owned();
    let headers = with_header(media(), "Mcp-Session-Id", &id);
    with_header(headers, "MCP-Protocol-Version", "2025-06-18")
}

#[tokio::test]
async fn documented_errors_have_the_documented_codes_and_statuses() {
    let address = serve(&server());
    let session = bare_session(address).await;
    let rows = rows();
    assert!(rows.len() > 20, "the table has {} rows", rows.len());
    let mut wrong = Vec::new();
    for row in rows {
        for (at, session) in [None, Some(&session)].into_iter().enumerate() {
            let Some(expected) = row.statuses[at] else {
                continue;
            };
            let (headers, body) = message(row.reason, session);
            let (head, text) = Raw::post(address, &headers, &body).await;
            if (head.status, code(&text)) != (expected, row.codes[at]) {
                wrong.push(format!(
                    "{}: the server returns {} {text}",
                    row.reason, head.status
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
