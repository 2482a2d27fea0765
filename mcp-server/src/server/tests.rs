//! Tests that a message is parsed once, its params are split once, its tool is looked up once and
//! its arguments are decoded once, over each transport.

use std::cell::Cell;

use schemars::JsonSchema;
use serde::Deserialize;
#[cfg(feature = "http")]
use tokio::io::AsyncReadExt;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::Server;
use crate::features::catalog::LOOKUPS;
use crate::protocol::dispatch::MESSAGES;
use crate::protocol::message::raw_object::OBJECTS;

thread_local! {
    static DECODED: Cell<usize> = const { Cell::new(0) };
}

#[derive(Deserialize, JsonSchema)]
#[serde(from = "Name")]
struct Greet {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    #[schemars(extend("x-mcp-header" = "Name"))]
    name: String,
}

impl From<Name> for Greet {
    fn from(Name { name }: Name) -> Self {
        DECODED.set(DECODED.get() + 1);
        Self { name }
    }
}

/// How often each thing was done since the last call of this function.
#[derive(Debug, PartialEq)]
struct Passes {
    messages: usize,
    objects: usize,
    lookups: usize,
    decoded: usize,
}

fn passes() -> Passes {
    Passes {
        messages: MESSAGES.take(),
        objects: OBJECTS.take(),
        lookups: LOOKUPS.take(),
        decoded: DECODED.take(),
    }
}

/// The params are one object, and `_meta` is another.
const ONE_PASS: Passes = Passes {
    messages: 1,
    objects: 2,
    lookups: 1,
    decoded: 1,
};

fn server() -> Server {
    let greet = |args: Greet| async move { format!("Hello, {}!", args.name) };
    let server = Server::builder("test", "1").tool("greet", "Greets", greet);
    server.build().expect("valid")
}

const MODERN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

#[tokio::test]
async fn call_over_a_byte_stream_is_parsed_once() {
    let mut stream = BufReader::new(server().in_memory());
    passes();
    stream
        .write_all(format!("{MODERN}\n").as_bytes())
        .await
        .expect("written");
    let mut line = String::new();
    stream.read_line(&mut line).await.expect("an answer");
    assert!(line.contains("Hello, Ada!"), "{line}");
    assert_eq!(passes(), ONE_PASS);
}

/// Posts a message, and returns the response. `headers` are whole lines.
#[cfg(feature = "http")]
async fn post(address: std::net::SocketAddr, headers: &str, body: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(address)
        .await
        .expect("connected");
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.expect("written");
    let mut response = String::new();
    stream
        .read_to_string(&mut response)
        .await
        .expect("a response");
    response
}

#[cfg(feature = "http")]
#[tokio::test]
async fn call_over_http_is_parsed_once() {
    let serving = server().serve_http("127.0.0.1:0").expect("bound");
    let address = serving.local_addr();
    tokio::spawn(serving);
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: greet\r\n\
                   Mcp-Param-Name: Ada\r\n";
    passes();
    let response = post(address, headers, MODERN).await;
    assert!(response.contains("Hello, Ada!"), "{response}");
    assert_eq!(passes(), ONE_PASS);

    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let response = post(address, "", initialize).await.to_lowercase();
    let session = response
        .split("mcp-session-id: ")
        .nth(1)
        .expect("a session");
    let session = session.lines().next().expect("a line");
    let headers = format!("Mcp-Session-Id: {session}\r\n");
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"},"_meta":{}}}"#;
    passes();
    let response = post(address, &headers, call).await;
    assert!(response.contains("Hello, Ada!"), "{response}");
    assert_eq!(passes(), ONE_PASS);

    let unknown = "Mcp-Session-Id: 00000000000000000000000000000000\r\n";
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}"#;
    let response = post(address, unknown, notification).await;
    assert!(response.starts_with("HTTP/1.1 404"), "{response}");
    assert_eq!(passes().messages, 1);
}
