//! A server without any feature: arguments are held to their types, and a schema that promises more
//! is refused.
#![cfg(not(feature = "json-schema"))]

use std::collections::HashSet;

use mcp_server::{BuildError, Context, Server};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

#[derive(Deserialize, JsonSchema)]
struct Place {
    row: u8,
    column: i16,
    name: Option<String>,
    colour: (u8, u8, u8),
}

#[derive(Deserialize, JsonSchema)]
struct Dice {
    #[schemars(range(min = 1, max = 6))]
    eyes: u8,
}

fn build<A>(read: fn(A) -> String) -> Result<Server, BuildError>
where
    A: serde::de::DeserializeOwned + JsonSchema + Send + 'static,
{
    Server::builder("lean", "1.0.0")
        .tool("put", "Puts", move |args: A, _: Context| {
            std::future::ready(Ok(read(args)))
        })
        .build()
}

#[derive(Deserialize, JsonSchema)]
struct Tags {
    tags: HashSet<String>,
}

#[test]
fn a_set_is_refused_since_it_would_take_what_stands_twice() {
    let fault = build::<Tags>(|tags| tags.tags.len().to_string()).err();
    let text = fault.map(|fault| fault.to_string()).unwrap_or_default();
    assert!(text.contains("`uniqueItems`"), "{text}");
}

#[test]
fn a_schema_that_nobody_would_enforce_is_refused() {
    let fault = build::<Dice>(|dice| dice.eyes.to_string()).err();
    let text = fault.map(|fault| fault.to_string()).unwrap_or_default();
    assert!(
        text.contains("`put`") && text.contains("`json-schema`"),
        "{text}"
    );
}

#[tokio::test]
async fn arguments_are_held_to_their_types() {
    let server = build::<Place>(|place| {
        let name = place.name.unwrap_or_default();
        format!("{} {} {name} {:?}", place.row, place.column, place.colour)
    });
    let server = server.expect("types enforce all that their schema says");
    let answers = [
        json!({ "row": 1, "column": -1, "colour": [1, 2, 3] }),
        json!({ "row": 256, "column": -1, "colour": [1, 2, 3] }),
        json!({ "row": 1, "column": -1, "colour": [1, 2] }),
        json!({ "row": 1 }),
    ];
    let mut told = Vec::new();
    for arguments in answers {
        told.push(call(&server, arguments).await);
    }
    assert_eq!(told[0], (false, "1 -1  (1, 2, 3)".to_owned()));
    for (answer, place) in told[1..].iter().zip(["row", "colour", "column"]) {
        assert!(answer.0 && answer.1.contains(place), "{answer:?}");
    }
}

/// Whether a call failed, and its text.
async fn call(server: &Server, arguments: Value) -> (bool, String) {
    let (ours, theirs) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(theirs);
    let serving = tokio::spawn({
        let server = server.clone();
        async move { server.serve(reader, writer).await }
    });
    let (reader, mut writer) = tokio::io::split(ours);
    let request = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "put",
            "arguments": arguments,
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    let line = format!("{request}\n");
    writer
        .write_all(line.as_bytes())
        .await
        .expect("the server reads");
    let mut line = String::new();
    let mut reader = BufReader::new(reader);
    reader
        .read_line(&mut line)
        .await
        .expect("the server answers");
    serving.abort();
    let answer: Value = serde_json::from_str(&line).expect("an answer is JSON");
    let text = answer["result"]["content"][0]["text"].as_str();
    let failed = answer["result"]["isError"] == true;
    (failed, text.unwrap_or_default().to_owned())
}
