//! Links and embedded resources in the results of tools and prompts have what the server knows.

use mcp_server::types::{
    Annotations, AnyResourceContents, Base64Text, BlobResourceContents, CacheScope, CallToolResult,
    ContentBlock, CreateMessageRequestParams, EmbeddedResource, GetPromptResult, Icon, MetaObject,
    PromptMessage, Proposal, Resource, ResourceLink, ResourceType, Role, SamplingMessage,
    SamplingMessageContentBlock, TextResourceContents, ToolResultContent,
};
use mcp_server::{
    Context, HandlerError, ResourceDef, ResourceUri, Server, ServerBuilder, TemplateDef,
};
use serde_json::{Value, json};

use super::blocks::given;
use super::client::Client;

const ALL: &[&str] = &["sep-2093", "versioned-resources"];

/// A resource with all members that an author can set.
fn whole() -> ResourceDef {
    ResourceDef::text("s:whole", "whole", "Keep it simple.")
        .title("Whole")
        .description("It has all members")
        .mime_type("text/markdown")
        .annotations(Annotations::new().audience([Role::User]))
        .icon(Icon::new("https://example.com/i.png"))
        .meta(MetaObject::from_iter([("com.example/key", "value")]))
}

/// Resources of which handlers know something, and some that they refuse.
fn with_resources(builder: ServerBuilder) -> ServerBuilder {
    let described = ResourceDef::new("s:described", "described")
        .handler(async || "text")
        .describe(|resource: Resource| async { resource.mime_type("text/csv").size(4) });
    let rows = TemplateDef::new("row:{id}", "row")
        .mime_type("text/plain")
        .handler(|ResourceUri(uri): ResourceUri| async move {
            if uri == "row:none" {
                return Err(HandlerError::resource_not_found(uri));
            }
            Ok(uri)
        });
    let guarded = ResourceDef::new("s:guarded", "guarded")
        .mime_type("text/plain")
        .guard(async || Err::<(), _>(HandlerError::internal("no")))
        .handler(async || "secret")
        .describe(|resource: Resource| async { resource.title("secret").size(6) });
    let hidden = ResourceDef::text("s:hidden", "hidden", "secret").visible_if(|_: &Context| false);
    let closed = ResourceDef::text("s:closed", "closed", "secret")
        .guard(async || Err::<(), _>(HandlerError::internal("no")));
    let open =
        ResourceDef::text("s:open", "open", "text").guard(async || Ok::<_, HandlerError>(()));
    builder
        .add_resource(closed)
        .add_resource(open)
        .add_resource(whole())
        .add_resource(described)
        .add_resource(guarded)
        .add_resource(hidden)
        .add_resource_template(rows)
}

/// Returns a server with a tool and a prompt that return these blocks.
fn server(proposals: &[Proposal], blocks: fn() -> Vec<ContentBlock>) -> Server {
    let builder = Server::builder("test", "1").proposals(proposals.iter().copied());
    with_resources(builder)
        .tool("blocks", "Gives blocks", move || async move {
            CallToolResult::new(blocks())
        })
        .tool("ask", "Asks the model", move |cx: Context| async move {
            let result = ToolResultContent::new("call", blocks());
            let message = SamplingMessageContentBlock::ToolResult(result);
            let messages = [SamplingMessage::new(Role::User, message)];
            let params = CreateMessageRequestParams::new(messages, 9);
            let answer = cx.sample(params).key("q").await?;
            Ok::<_, HandlerError>(answer.model)
        })
        .prompt("blocks", "Gives blocks", move || async move {
            let messages = blocks().into_iter();
            let messages = messages.map(|block| PromptMessage::new(Role::User, block));
            GetPromptResult::new(messages.collect::<Vec<_>>())
        })
        .build()
        .unwrap()
}

const PROPOSALS: [Proposal; 2] = [Proposal::Sep2093, Proposal::VersionedResources];

#[tokio::test]
async fn links_have_all_members_that_the_server_knows() {
    let server = server(&PROPOSALS, || {
        ["s:whole", "s:described", "row:1"]
            .map(|uri| ResourceLink::new(uri, "linked").into())
            .to_vec()
    });
    for mut client in Client::newest(&server, ALL) {
        for link in given(&mut client).await {
            let params = json!({ "uri": link["uri"] });
            let mut expected = client.result("resources/metadata", params).await["resource"].take();
            assert!(expected["mimeType"].is_string(), "{expected}");
            // The author of the link has set the name.
            expected["name"] = json!("linked");
            expected["type"] = json!("resource_link");
            assert_eq!(link, expected, "{}", client.describe());
        }
    }
    // Members of the specification are for peers of all revisions that have them.
    for mut client in Client::older(&server, ALL).await {
        for link in given(&mut client).await {
            if link["type"] == "resource_link" {
                assert!(link["mimeType"].is_string(), "{}", client.describe());
                let of_proposals = ["resourceType", "version"].map(|name| &link[name]);
                assert_eq!(of_proposals, [&Value::Null; 2], "{}", client.describe());
            }
        }
    }
}

#[tokio::test]
async fn members_that_the_author_of_a_link_set_are_kept() {
    let server = server(&PROPOSALS, || {
        let link = ResourceLink::new("s:whole", "mine")
            .title("Mine")
            .description("Own")
            .mime_type("text/x-mine")
            .annotations(Annotations::new().priority(0.5))
            .icons([Icon::new("https://example.com/mine.png")])
            .size(99)
            .meta(MetaObject::from_iter([("com.example/mine", true)]))
            .resource_type(ResourceType::Collection)
            .version("mine")
            .kind("mine");
        vec![link.into()]
    });
    for mut client in Client::newest(&server, ALL) {
        let expected = json!({
            "type": "resource_link", "uri": "s:whole", "name": "mine", "title": "Mine",
            "description": "Own", "mimeType": "text/x-mine", "annotations": { "priority": 0.5 },
            "icons": [{ "src": "https://example.com/mine.png" }], "size": 99,
            "_meta": { "com.example/mine": true }, "resourceType": "collection",
            "version": "mine", "kind": "mine",
        });
        assert_eq!(given(&mut client).await, [expected]);
    }
}

#[tokio::test]
async fn links_tell_no_more_than_lists() {
    let server = server(&PROPOSALS, || {
        [
            "s:guarded",
            "s:closed",
            "s:hidden",
            "row:none",
            "elsewhere:",
        ]
        .map(|uri| ResourceLink::new(uri, "linked").into())
        .to_vec()
    });
    for mut client in Client::newest(&server, ALL) {
        let bare = |uri: &str| json!({ "type": "resource_link", "uri": uri, "name": "linked" });
        let mut row = bare("row:none");
        row["mimeType"] = json!("text/plain");
        let [guarded, closed] = ["s:guarded", "s:closed"].map(bare);
        let expected = [guarded, closed, bare("s:hidden"), row, bare("elsewhere:")];
        assert_eq!(given(&mut client).await, expected, "{}", client.describe());
        // Lists do not tell more either.
        let list = client.result("resources/list", json!({})).await;
        let versions: Vec<_> = list["resources"]
            .as_array()
            .unwrap()
            .iter()
            .map(|listed| {
                (
                    listed["name"].as_str().unwrap(),
                    listed["version"].is_string(),
                )
            })
            .collect();
        let expected = [("open", true), ("whole", true), ("described", false)];
        assert_eq!(versions, expected, "{}", client.describe());
    }
}

#[tokio::test]
async fn list_that_guards_make_different_for_each_client_is_private() {
    let hour = std::time::Duration::from_secs(3600);
    let server = |is_guarded| {
        let mut text = ResourceDef::text("s:text", "text", "text");
        if is_guarded {
            text = text.guard(async || Ok::<_, HandlerError>(()));
        }
        let builder = Server::builder("test", "1").cache_resources(hour, CacheScope::Public);
        let builder = builder.proposals(PROPOSALS).add_resource(text);
        builder.build().unwrap()
    };
    for (is_guarded, scope) in [(false, "public"), (true, "private")] {
        for mut client in Client::newest(&server(is_guarded), ALL) {
            let list = client.result("resources/list", json!({})).await;
            assert!(list["resources"][0]["version"].is_string(), "{list}");
            assert_eq!(list["cacheScope"], scope, "{}", client.describe());
        }
    }
}

#[tokio::test]
async fn links_are_unchanged_without_a_proposal() {
    let server = server(&[], || vec![ResourceLink::new("s:whole", "linked").into()]);
    for mut client in Client::newest(&server, ALL) {
        let bare = json!({ "type": "resource_link", "uri": "s:whole", "name": "linked" });
        assert_eq!(given(&mut client).await, [bare], "{}", client.describe());
    }
}

fn embedded() -> Vec<ContentBlock> {
    let text = TextResourceContents::new("file:///a/caf%C3%A9.txt", "x");
    let bytes = BlobResourceContents::new("app:logo", Base64Text::encode(b"x"));
    let named = TextResourceContents::new("x:1", "x").name("one");
    vec![
        EmbeddedResource::new(text).into(),
        EmbeddedResource::new(AnyResourceContents::from(bytes)).into(),
        EmbeddedResource::new(named).into(),
    ]
}

fn names(blocks: &[Value]) -> Vec<&Value> {
    let names = blocks.iter().map(|block| &block["resource"]["name"]);
    names.collect()
}

#[tokio::test]
async fn embedded_contents_have_a_name() {
    let expected = ["caf\u{e9}.txt", "logo", "one"];
    let opted_in = server(&[Proposal::Sep2093], embedded);
    for mut client in Client::newest(&opted_in, &[]) {
        let blocks = given(&mut client).await;
        assert_eq!(names(&blocks), expected, "{}", client.describe());
    }
    let other = server(&[Proposal::VersionedResources], embedded);
    let mut clients = Client::older(&opted_in, ALL).await;
    clients.extend(Client::newest(&other, ALL));
    for mut client in clients {
        let blocks = given(&mut client).await;
        assert_eq!(names(&blocks), [&Value::Null; 3], "{}", client.describe());
    }
    // In questions to the client, too, and in each round.
    let mut peer = crate::support::peer::Peer::raw(&opted_in);
    let params = json!({ "name": "ask", "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "sampling": { "tools": {} } },
    }});
    let mut result = peer.result("tools/call", params.clone()).await;
    let question = &result["inputRequests"]["q"]["params"]["messages"][0]["content"];
    let blocks = question["content"].as_array().unwrap();
    assert_eq!(names(blocks), expected, "{question}");
    let mut params = params;
    params["requestState"] = result["requestState"].take();
    params["inputResponses"] = json!({ "q": {
        "role": "assistant", "model": "m", "content": { "type": "text", "text": "ok" },
    }});
    let result = peer.result("tools/call", params).await;
    assert_eq!(result["content"][0]["text"], "m", "{result}");
}
