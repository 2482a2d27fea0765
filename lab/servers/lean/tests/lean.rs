//! A server without features: arguments are only decoded, a schema with further constraints is
//! rejected, and there are no templates.

use std::collections::HashSet;
use std::time::Duration;

use mcp_server::types::{CacheScope, ReadResourceOutcome, ReadResourceRequest, Revision};
use mcp_server::{BuildErrors, Completing, HandlerError, Params, ResourceDef, Server};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use mcp_testkit::peer::Peer;

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

fn build<A>(read: fn(A) -> String) -> Result<Server, BuildErrors>
where
    A: serde::de::DeserializeOwned + JsonSchema + Send + 'static,
{
    Server::builder("lean", "1.0.0")
        .tool("put", "Puts", move |args: A| std::future::ready(read(args)))
        .build()
}

#[derive(Deserialize, JsonSchema)]
struct Tags {
    tags: HashSet<String>,
}

#[test]
fn set_is_rejected_because_unique_items_are_not_validated() {
    let fault = build::<Tags>(|tags| tags.tags.len().to_string()).err();
    let text = fault.map(|fault| fault.to_string()).unwrap_or_default();
    assert!(text.contains("`uniqueItems`"), "{text}");
}

#[test]
fn schema_that_is_not_enforced_is_rejected() {
    let fault = build::<Dice>(|dice| dice.eyes.to_string()).err();
    let text = fault.map(|fault| fault.to_string()).unwrap_or_default();
    assert!(
        text.contains("`put`") && text.contains("`json-schema`"),
        "{text}"
    );
}

#[tokio::test]
async fn arguments_are_decoded_by_their_types() {
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
    let mut peer = Peer::modern(&server);
    let mut received = Vec::new();
    for arguments in answers {
        let answer = peer.call("put", arguments).await;
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        received.push((answer["isError"] == true, text.to_owned()));
    }
    assert_eq!(received[0], (false, "1 -1  (1, 2, 3)".to_owned()));
    for (answer, place) in received[1..].iter().zip(["row", "colour", "column"]) {
        assert!(answer.0 && answer.1.contains(place), "{answer:?}");
    }
}

/// Returns a server with a resource and without templates.
fn resources() -> Server {
    Server::builder("lean", "1.0.0")
        .add_resource(ResourceDef::text("demo:a", "a", "A"))
        .cache_resources(Duration::from_secs(5), CacheScope::Public)
        .build()
        .expect("the definition is valid")
}

/// Returns a server whose own handler reads URIs of templates.
fn own_templates() -> Server {
    async fn read(
        Params(params): Params<ReadResourceRequest>,
    ) -> Result<ReadResourceOutcome, HandlerError> {
        Err(HandlerError::resource_not_found(params.uri))
    }
    Server::builder("lean", "1.0.0")
        .on(read)
        .complete_resource("own:{x}", "x", |typing: Completing| async move {
            vec![format!("{}!", typing.value)]
        })
        .build()
        .expect("the definition is valid")
}

/// Returns a peer of each revision.
async fn peers(server: &Server) -> Vec<(Revision, Peer)> {
    let mut peers = Vec::new();
    for revision in Revision::ALL {
        let peer = if revision.is_modern() {
            Peer::modern(server)
        } else {
            Peer::legacy(server, revision.as_str()).await
        };
        peers.push((*revision, peer));
    }
    peers
}

#[tokio::test]
async fn list_of_templates_is_empty() {
    let method = "resources/templates/list";
    for (revision, mut peer) in peers(&resources()).await {
        let mut result = peer.result(method, json!({})).await;
        let mut expected = json!({ "resourceTemplates": [] });
        if revision.is_modern() {
            let meta = result["_meta"].take();
            let info = json!({ "name": "lean", "version": "1.0.0" });
            assert_eq!(meta["io.modelcontextprotocol/serverInfo"], info, "{meta}");
            expected = json!({
                "resourceTemplates": [],
                "resultType": "complete",
                "ttlMs": 5_000,
                "cacheScope": "public",
                "_meta": null,
            });
        }
        assert_eq!(result, expected, "{revision}");
        let (code, message) = peer.error(method, json!({ "cursor": "c" })).await;
        let part = "list of resource templates";
        assert!(code == -32602 && message.contains(part), "{message}");
    }
}

#[tokio::test]
async fn resource_without_templates_is_not_found() {
    let server = resources();
    for (revision, mut peer) in peers(&server).await {
        let contents = peer.result("resources/read", json!({ "uri": "demo:a" }));
        assert_eq!(contents.await["contents"][0]["text"], "A");
        let (code, _) = peer
            .error("resources/read", json!({ "uri": "own:1" }))
            .await;
        let expected = if revision.is_modern() { -32602 } else { -32002 };
        assert_eq!(code, expected, "{revision}");
    }
}

#[tokio::test]
async fn templates_of_an_own_handler_are_completed() {
    let server = own_templates();
    for (revision, mut peer) in peers(&server).await {
        let complete = |template: &str, variable: &str| {
            json!({
                "ref": { "type": "ref/resource", "uri": template },
                "argument": { "name": variable, "value": "v" },
            })
        };
        if !revision.has_method("completion/complete") {
            continue;
        }
        let params = complete("own:{x}", "x");
        let result = peer.result("completion/complete", params).await;
        assert_eq!(result["completion"]["values"], json!(["v!"]));
        for (template, variable, part) in [
            ("own:{x}", "y", "$.argument.name: no argument `y`"),
            ("y:{a}", "a", "$.ref.uri: no resource template `y:{a}`"),
        ] {
            let params = complete(template, variable);
            let (code, message) = peer.error("completion/complete", params).await;
            assert!(code == -32602 && message.contains(part), "{message}");
        }
    }
}
