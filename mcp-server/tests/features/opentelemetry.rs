//! The example `opentelemetry`: counters of a server as instruments.

#[expect(dead_code, reason = "the tests do not start the program")]
#[path = "../../examples/opentelemetry.rs"]
mod example;

use std::sync::Mutex;

use mcp_server::{HandlerError, Server};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use serde_json::json;

use crate::support::peer::Peer;

const TIME: &str = "mcp.server.operation.time.bucket";
const ENDED: &str = "mcp.server.operations";
const CALL: &str = "mcp.method.name=tools/call";

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Collects once. Returns the lines without those of the times, which differ.
fn collect(provider: &SdkMeterProvider) -> Vec<String> {
    provider.force_flush().unwrap();
    let mut lines = std::mem::take(&mut *LINES.lock().unwrap());
    lines.retain(|line| !line.contains("operation.time") || line.contains(" le=inf "));
    lines.sort();
    lines
}

#[tokio::test]
async fn operations_are_exported_by_method_tool_and_outcome() {
    let server = Server::builder("test", "1")
        .tool("hello", "Succeeds", async || "hi")
        .tool("fail", "Fails", async || {
            Err::<(), _>(HandlerError::tool("no"))
        })
        .build()
        .unwrap();
    let reader = PeriodicReader::builder(example::Printed(|line| LINES.lock().unwrap().push(line)));
    let provider = SdkMeterProvider::builder()
        .with_reader(reader.build())
        .build();
    example::observe(&provider.meter("mcp-server"), &server);
    let mut peer = Peer::modern(&server);
    for count in 1..=2 {
        peer.call("hello", json!({})).await;
        peer.call("fail", json!({})).await;
        assert_eq!(
            collect(&provider),
            [
                format!("{TIME} gen_ai.tool.name=fail le=inf {CALL} {count}"),
                format!("{TIME} gen_ai.tool.name=hello le=inf {CALL} {count}"),
                format!("{ENDED} gen_ai.tool.name=fail {CALL} outcome=tool_error {count}"),
                format!("{ENDED} gen_ai.tool.name=hello {CALL} outcome=ok {count}"),
                "mcp.server.requests_in_flight 0".to_owned(),
            ]
        );
    }
}
