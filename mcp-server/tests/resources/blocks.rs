//! SEP-2093: resources in the results of tools and prompts, links to them and embedded ones.

use mcp_server::types::{
    Annotations, AnyResourceContents, Base64Text, BlobResourceContents, CallToolResult,
    ContentBlock, CreateMessageRequestParams, EmbeddedResource, GetPromptResult, PromptMessage,
    Proposal, ResourceLink, ResourceType, Role, SamplingMessage, SamplingMessageContentBlock,
    TextResourceContents, ToolResultContent,
};
use mcp_server::{Context, HandlerError, Server};
use serde_json::{Value, json};

use super::client::Client;
use super::subject::SEP_2093;
use crate::support::peer::Peer;

fn for_user() -> Annotations {
    Annotations::new().audience([Role::User])
}

fn for_model() -> Annotations {
    Annotations::new().audience([Role::Assistant]).priority(1.0)
}

/// Contents with metadata.
fn contents() -> TextResourceContents {
    TextResourceContents::new("x:1", "text")
        .name("one")
        .resource_type(ResourceType::Document)
        .size(4)
}

/// Blocks with annotations on the block, in the contents, in both positions, and in neither.
fn blocks() -> Vec<ContentBlock> {
    let outside = EmbeddedResource::new(contents()).annotations(for_user());
    let inside = EmbeddedResource::new(contents().annotations(for_model()));
    let both = EmbeddedResource::new(contents().annotations(for_model())).annotations(for_user());
    let bytes = BlobResourceContents::new("x:2", Base64Text::encode(b"b"));
    let bytes = EmbeddedResource::new(AnyResourceContents::from(bytes)).annotations(for_user());
    vec![
        outside.into(),
        inside.into(),
        both.into(),
        EmbeddedResource::new(contents()).into(),
        bytes.into(),
        ResourceLink::new("x:1", "one")
            .title("One")
            .size(4)
            .annotations(for_user())
            .resource_type(ResourceType::Collection)
            .into(),
    ]
}

fn server(proposals: impl IntoIterator<Item = Proposal>) -> Server {
    Server::builder("test", "1")
        .proposals(proposals)
        .tool("blocks", "Gives blocks", async || {
            CallToolResult::new(blocks())
        })
        .tool(
            "ask",
            "Asks the model",
            async |cx: Context| -> Result<_, HandlerError> {
                let result = ToolResultContent::new("call", blocks());
                let message = SamplingMessageContentBlock::ToolResult(result);
                let messages = [SamplingMessage::new(Role::User, message)];
                let answer = cx
                    .sample(CreateMessageRequestParams::new(messages, 9))
                    .key("q")
                    .await?;
                Ok(answer.model)
            },
        )
        .prompt("blocks", "Gives blocks", || async {
            let messages = blocks().into_iter();
            let messages = messages.map(|block| PromptMessage::new(Role::User, block));
            GetPromptResult::new(messages.collect::<Vec<_>>())
        })
        .build()
        .unwrap()
}

/// Returns the blocks of the tool, which are also those of the prompt.
pub(super) async fn given(client: &mut Client) -> Vec<Value> {
    let params = json!({ "name": "blocks", "arguments": {} });
    let mut result = client.result("tools/call", params).await;
    let Value::Array(blocks) = result["content"].take() else {
        panic!("{}: {result}", client.describe());
    };
    let params = json!({ "name": "blocks" });
    let prompt = client.result("prompts/get", params).await;
    let messages = prompt["messages"].as_array().unwrap().iter();
    let of_prompt: Vec<_> = messages.map(|message| message["content"].clone()).collect();
    assert_eq!(of_prompt, blocks, "{}", client.describe());
    blocks
}

/// Returns the annotations of the block, and of its contents.
fn places(blocks: &[Value]) -> Vec<(&Value, &Value)> {
    let embedded = blocks.iter().filter(|block| block["type"] == "resource");
    embedded
        .map(|block| (&block["annotations"], &block["resource"]["annotations"]))
        .collect()
}

#[tokio::test]
async fn annotations_are_only_in_the_contents_if_negotiated() {
    let server = server([Proposal::Sep2093]);
    let (user, model, none) = (json!({"audience": ["user"]}), model(), Value::Null);
    for mut client in Client::newest(&server, SEP_2093) {
        let blocks = given(&mut client).await;
        let expected = [
            (&none, &user),
            (&none, &model),
            (&none, &model),
            (&none, &none),
            (&none, &user),
        ];
        assert_eq!(places(&blocks), expected, "{}", client.describe());
    }
}

#[tokio::test]
async fn annotations_are_in_both_positions_if_only_offered() {
    let server = server([Proposal::Sep2093]);
    let (user, model, none) = (json!({"audience": ["user"]}), model(), Value::Null);
    for mut client in Client::newest(&server, &["other"]) {
        let blocks = given(&mut client).await;
        let expected = [
            (&user, &user),
            (&model, &model),
            (&user, &model),
            (&none, &none),
            (&user, &user),
        ];
        assert_eq!(places(&blocks), expected, "{}", client.describe());
    }
}

#[tokio::test]
async fn annotations_are_on_the_block_for_peers_of_older_revisions() {
    let server = server([Proposal::Sep2093]);
    let (user, model, none) = (json!({"audience": ["user"]}), model(), Value::Null);
    for mut client in Client::older(&server, SEP_2093).await {
        let blocks = given(&mut client).await;
        let expected = [
            (&user, &none),
            (&model, &none),
            (&user, &none),
            (&none, &none),
            (&user, &none),
        ];
        assert_eq!(places(&blocks), expected, "{}", client.describe());
    }
}

#[tokio::test]
async fn annotations_are_unchanged_without_the_proposal() {
    let server = server([]);
    let (user, none) = (json!({"audience": ["user"]}), Value::Null);
    let mut clients = Client::older(&server, SEP_2093).await;
    clients.extend(Client::newest(&server, SEP_2093));
    for mut client in clients {
        let blocks = given(&mut client).await;
        let expected = [
            (&user, &none),
            (&none, &none),
            (&user, &none),
            (&none, &none),
            (&user, &none),
        ];
        assert_eq!(places(&blocks), expected, "{}", client.describe());
    }
}

#[tokio::test]
async fn peer_without_experimental_capabilities_gets_annotations_on_the_block() {
    let result = Peer::modern(&server([Proposal::Sep2093]))
        .call("blocks", json!({}))
        .await;
    let blocks = result["content"].as_array().unwrap();
    assert_eq!(places(blocks)[0].0, &json!({ "audience": ["user"] }));
}

#[tokio::test]
async fn sampling_requests_omit_metadata_that_the_peer_must_not_see() {
    let capabilities = json!({ "sampling": { "tools": {} } });
    let call = json!({ "name": "ask", "arguments": {} });
    for opted_in in [true, false] {
        let server = server(opted_in.then_some(Proposal::Sep2093));
        let mut peer = Peer::raw(&server);
        let mut params = call.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        let result = peer.result("tools/call", params).await;
        let question = &result["inputRequests"]["q"];
        let blocks = &question["params"]["messages"][0]["content"]["content"];
        let seen = if opted_in {
            json!("document")
        } else {
            Value::Null
        };
        assert_eq!(blocks[3]["resource"]["uri"], "x:1", "{result}");
        assert_eq!(blocks[3]["resource"]["resourceType"], seen);
        assert_eq!(blocks[5]["uri"], "x:1");
        assert_eq!(blocks[5]["resourceType"].is_null(), !opted_in);
    }
    let mut peer = Peer::raw(&server([Proposal::Sep2093]));
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": { "name": "test", "version": "1" },
    });
    peer.result("initialize", params).await;
    peer.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
    peer.start("tools/call", call).await;
    let question = peer.receive().await;
    let blocks = &question["params"]["messages"][0]["content"]["content"];
    assert_eq!(
        blocks[3]["resource"],
        json!({ "uri": "x:1", "text": "text" }),
        "{question}"
    );
    assert_eq!(blocks[5]["uri"], "x:1");
    assert!(blocks[5]["resourceType"].is_null(), "{question}");
}

#[tokio::test]
async fn annotations_in_sampling_requests_are_where_the_peer_looks_for_them() {
    let (user, model, none) = (json!({"audience": ["user"]}), model(), Value::Null);
    let negotiated = [
        (&none, &user),
        (&none, &model),
        (&none, &model),
        (&none, &none),
    ];
    let offered = [
        (&user, &user),
        (&model, &model),
        (&user, &model),
        (&none, &none),
    ];
    for (announced, expected) in [
        (json!({ "sep-2093": {} }), negotiated),
        (json!({ "other": {} }), offered),
    ] {
        let server = server([Proposal::Sep2093]);
        let mut peer = Peer::raw(&server);
        let params = json!({
            "name": "ask", "arguments": {},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {
                    "sampling": { "tools": {} }, "experimental": announced,
                },
            },
        });
        let mut result = peer.result("tools/call", params.clone()).await;
        let question = &result["inputRequests"]["q"]["params"];
        let blocks = question["messages"][0]["content"]["content"]
            .as_array()
            .unwrap();
        assert_eq!(places(&blocks[..4]), expected, "{announced}");
        // The answer belongs to the same question in the next round.
        let mut params = params;
        params["requestState"] = result["requestState"].take();
        params["inputResponses"] = json!({ "q": {
            "role": "assistant", "model": "m", "content": { "type": "text", "text": "ok" },
        }});
        let result = peer.result("tools/call", params).await;
        assert_eq!(result["content"][0]["text"], "m", "{result}");
    }
}

#[tokio::test]
async fn metadata_in_blocks_is_sent_only_at_the_newest_revision() {
    let opted_in = server([Proposal::Sep2093]);
    let announcing = Client::newest(&opted_in, SEP_2093);
    for mut client in Client::newest(&opted_in, &[]).into_iter().chain(announcing) {
        let blocks = given(&mut client).await;
        let mut contents = blocks[3]["resource"].clone();
        contents.as_object_mut().unwrap().remove("annotations");
        let whole = json!({
            "uri": "x:1", "text": "text", "name": "one", "size": 4, "resourceType": "document",
        });
        assert_eq!(contents, whole, "{}", client.describe());
        assert_eq!(blocks[5]["resourceType"], "collection");
    }
    let other = server([]);
    let mut clients = Client::older(&opted_in, SEP_2093).await;
    clients.extend(Client::newest(&other, SEP_2093));
    for mut client in clients {
        let blocks = given(&mut client).await;
        let bare = json!({ "uri": "x:1", "text": "text" });
        assert_eq!(blocks[3]["resource"], bare, "{}", client.describe());
        let link = &blocks[5];
        assert!(
            link["resourceType"].is_null(),
            "{}: {link}",
            client.describe()
        );
        if link["type"] == "resource_link" {
            // Everything else is unchanged.
            assert_eq!(link["uri"], "x:1");
            assert_eq!(link["title"], "One");
            assert_eq!(link["size"], 4);
            assert_eq!(link["annotations"], json!({ "audience": ["user"] }));
        } else {
            assert_eq!(link["type"], "text", "{}", client.describe());
        }
    }
}

fn model() -> Value {
    json!({ "audience": ["assistant"], "priority": 1.0 })
}
