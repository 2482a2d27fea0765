//! Gateways over HTTP: arguments of tools in headers, and the status of refused requests.

use std::net::SocketAddr;

use mcp_client::{Client, Http};
use mcp_server::types::{Revision, json};
use mcp_server::{Server, ToolDef};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{at, gateway, soon};

/// A server with a tool whose argument is repeated in a header.
fn regions() -> Server {
    let schema = r#"{"type":"object","properties":{
        "region":{"type":"string","x-mcp-header":"Region"}}}"#;
    let region = async |arguments: json::Object| {
        let region = arguments.get("region").and_then(json::Value::as_str);
        region.unwrap_or("none").to_owned()
    };
    let tool = ToolDef::new("region")
        .input_schema(json::from_str::<json::Value>(schema).expect("JSON"))
        .object_handler(region);
    let server = Server::builder("regions", "1").add_tool(tool);
    server.build().expect("the definition is valid")
}

/// Sends a request of 2026-07-28 for the west. Returns the status and the message of the response.
async fn post(address: SocketAddr, method: &str, name: &str, region: Option<&str>) -> (u16, Value) {
    send(address, method, name, r#"{"region":"west"}"#, region).await
}

async fn send(
    address: SocketAddr,
    method: &str,
    name: &str,
    arguments: &str,
    region: Option<&str>,
) -> (u16, Value) {
    let body = serde_json::json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": method,
        "params": {
            "name": name,
            "arguments": "ARGUMENTS",
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    let body = body.to_string().replace("\"ARGUMENTS\"", arguments);
    let mut headers = String::new();
    if method == "tools/call" {
        headers = format!("Mcp-Name: {name}\r\n");
    }
    if let Some(region) = region {
        headers.extend(["Mcp-Param-Region: ", region, "\r\n"]);
    }
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.expect("connected");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut text = String::new();
    soon(stream.read_to_string(&mut text))
        .await
        .expect("received");
    let status = text.get(9..12).and_then(|status| status.parse().ok());
    let (_, message) = text.split_once("\r\n\r\n").expect("a response");
    let message = serde_json::from_str(message).expect("a message");
    (status.expect("a status"), message)
}

#[tokio::test]
async fn headers_that_contradict_arguments_are_refused() {
    for of_upstream in [Revision::V2025_11_25, Revision::LATEST] {
        for (others, name) in [(None, "region"), (Some("b"), "a_region")] {
            let upstreams = [Some("a"), others].into_iter().flatten();
            let upstreams = upstreams.map(|name| at(name, of_upstream, &regions()));
            let gateway = gateway(upstreams).await;
            let serving = gateway.server().serve_http("127.0.0.1:0").expect("bound");
            let address = serving.local_addr();
            tokio::spawn(serving.into_future());

            // The client learns of the header from the list, and so does the gateway.
            let http = Http::new(format!("http://{address}/mcp"));
            let client = Client::builder("test", "1").connect(http).await;
            let client = client.expect("connected");
            soon(client.tools().all()).await.expect("listed");
            let east = json::Object::from([("region", "east")]);
            let called = soon(client.call_tool(name).arguments(east)).await;
            let called = called.expect("called");
            assert_eq!(called.text(), "east");

            let call = async |region| post(address, "tools/call", name, region).await;
            assert_eq!(call(Some("west")).await.0, 200);
            for wrong in [None, Some("east"), Some("=?base64?!!!?=")] {
                let (status, message) = call(wrong).await;
                assert_eq!(status, 400, "{wrong:?} {message}");
                assert_eq!(message["error"]["code"], -32020, "{message}");
            }
            // An upstream may read another one of two members than what is compared.
            let twice = r#"{"region":"west","region":"east"}"#;
            for region in [None, Some("west"), Some("east")] {
                let (_, message) = send(address, "tools/call", name, twice, region).await;
                assert_eq!(message["error"]["code"], -32602, "{region:?} {message}");
            }
            let (status, message) = post(address, "com.example/unknown", name, None).await;
            assert_eq!(status, 404, "{message}");
            assert_eq!(message["error"]["code"], -32601, "{message}");
        }
    }
}
