//! Skills, proposals and unknown extensions through a gateway.

use mcp_client::Client;
use mcp_gateway::Gateway;
use mcp_server::types::json::{Map, Object};
use mcp_server::types::{ResourcesCapability, Revision, ToolsCapability};
use mcp_server::{AnyRequest, AnyResult, Context, HandlerError, Server};
use serde_json::{Value, json};

use crate::support::{at, client, gateway, soon};

const SKILLS: &str = "io.modelcontextprotocol/skills";

fn skill(uri: &str) -> Value {
    let file = json!({ "uri": uri, "digest": format!("sha256:{:064}", 1), "size": 4 });
    json!({ "uri": uri, "frontmatter": { "name": "one" }, "resources": [file] })
}

/// A server of which the tests write all results: of skills and of the proposals for resources.
fn site(name: &str) -> Server {
    let answer = async |request: AnyRequest, cx: Context| -> Result<AnyResult, HandlerError> {
        let params: Value = serde_json::from_str(request.params().get())?;
        let uri = params["uri"].as_str().unwrap_or_default();
        let result = match cx.method() {
            "skills/list" => json!({ "skills": [skill("skill://one/SKILL.md")] }),
            "skills/get" => json!({ "skill": skill(uri) }),
            "resources/read" => json!({ "contents": [{ "uri": uri, "text": "text" }] }),
            "resources/metadata" => json!({ "resource": { "uri": uri, "name": "one" } }),
            "resources/get" => {
                json!({ "resource": { "uri": uri, "name": "one" }, "content": "text" })
            }
            "resources/directory/read" => json!({ "resources": [{ "uri": uri, "name": "one" }] }),
            "resources/list" if uri.is_empty() => {
                json!({ "resources": [{ "uri": "notes://all", "name": "all" }] })
            }
            // The members of a collection.
            "resources/list" => {
                let member = json!({ "uri": format!("{uri}/one"), "name": "one" });
                json!({ "resources": [member], "nextCursor": "own" })
            }
            "com.example/own" => json!({ "own": true }),
            method => return Err(HandlerError::invalid_params(method.to_owned())),
        };
        AnyResult::from_json(&result)
    };
    let builder = Server::builder(name, "1").capabilities(|mut all| {
        let mut extensions = Map::new();
        extensions.insert(SKILLS, Object::from([("directoryRead", true)]));
        extensions.insert("com.example/own", Object::from([("own", 1)]));
        all.extensions = Some(extensions);
        all.experimental = Some([("sep-2093", Object::new())].into_iter().collect());
        all.resources(ResourcesCapability::new())
    });
    builder.fallback(answer).build().expect("valid")
}

async fn asked(client: &Client, method: &'static str, params: Value) -> Value {
    let params = serde_json::value::to_raw_value(&params).expect("JSON");
    let result = soon(client.request_json(method, &*params)).await;
    let result = result.unwrap_or_else(|error| panic!("{method}: {error}"));
    serde_json::from_str(result.get()).expect("JSON")
}

async fn of_two(revision: Revision) -> Gateway {
    gateway([at("a", revision, &site("a")), at("b", revision, &site("b"))]).await
}

#[tokio::test]
async fn skills_are_announced_listed_and_found() {
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let gateway = of_two(revision).await;
        let client = client(&gateway, Revision::LATEST).await;
        let extensions = client.server_capabilities().extensions.expect("announced");
        assert!(extensions.contains_key(SKILLS));
        let listed = asked(&client, "skills/list", json!({})).await;
        let skills = listed["skills"].as_array().expect("a list");
        let uris: Vec<_> = skills
            .iter()
            .map(|skill| (&skill["uri"], &skill["resources"][0]["uri"]))
            .collect();
        let expected = ["skill://a/one/SKILL.md", "skill://b/one/SKILL.md"].map(Value::from);
        assert_eq!(
            uris,
            [(&expected[0], &expected[0]), (&expected[1], &expected[1])]
        );
        let uri = json!({ "uri": "skill://b/one/SKILL.md" });
        let skill = asked(&client, "skills/get", uri.clone()).await;
        assert_eq!(skill["skill"]["uri"], uri["uri"], "{revision}");
        assert_eq!(skill["skill"]["resources"][0]["uri"], uri["uri"]);
        let read = asked(&client, "resources/read", uri.clone()).await;
        assert_eq!(read["contents"][0]["uri"], uri["uri"], "{revision}");
        let folder = json!({ "uri": "skill://b/one" });
        let files = asked(&client, "resources/directory/read", folder.clone()).await;
        assert_eq!(files["resources"][0]["uri"], folder["uri"], "{revision}");
    }
}

#[tokio::test]
async fn proposals_for_resources_find_what_the_gateway_lists() {
    let gateway = of_two(Revision::LATEST).await;
    let client = client(&gateway, Revision::LATEST).await;
    let experimental = client.server_capabilities().experimental;
    assert!(experimental.is_some_and(|all| all.contains_key("sep-2093")));
    let listed = asked(&client, "resources/list", json!({})).await;
    let uri = listed["resources"][1]["uri"].clone();
    assert_eq!(uri, "b+notes://all");
    for method in ["resources/metadata", "resources/get"] {
        let found = asked(&client, method, json!({ "uri": uri })).await;
        assert_eq!(found["resource"]["uri"], uri, "{method}: {found}");
    }
    let members = asked(&client, "resources/list", json!({ "uri": uri })).await;
    assert_eq!(members["resources"][0]["uri"], "b+notes://all/one");
    // The cursor is one of that upstream, sealed for the client.
    let cursor = members["nextCursor"].clone();
    assert_ne!(cursor, "own");
    let next = json!({ "uri": uri, "cursor": cursor });
    let next = asked(&client, "resources/list", next).await;
    assert_eq!(next["resources"][0]["uri"], "b+notes://all/one");
}

#[tokio::test]
async fn unknown_extensions_of_a_single_upstream_are_announced_as_they_are() {
    let gateway = gateway([at("a", Revision::LATEST, &site("a"))]).await;
    let client = client(&gateway, Revision::LATEST).await;
    let extensions = client.server_capabilities().extensions.expect("announced");
    let own = extensions.get("com.example/own").expect("announced");
    assert_eq!(own, &Object::from([("own", 1)]));
    let answered = asked(&client, "com.example/own", json!({})).await;
    assert_eq!(answered["own"], true);
    // Nothing says which of two it is.
    let gateway = of_two(Revision::LATEST).await;
    let client = crate::support::client(&gateway, Revision::LATEST).await;
    let extensions = client.server_capabilities().extensions.expect("announced");
    assert!(!extensions.contains_key("com.example/own"));
}

/// A server with an app, whose page calls `refresh` and `data`.
fn with_app(name: &'static str, own: &'static str) -> Server {
    let answer = move |request: AnyRequest, cx: Context| async move {
        if cx.method() == "tools/call" {
            let text = format!("{name}: {}", request.params().get());
            let content = json!([{ "type": "text", "text": text }]);
            return AnyResult::from_json(&json!({ "resultType": "complete", "content": content }));
        }
        let tool = |name: &str, ui: Value| {
            let schema = json!({ "type": "object" });
            json!({ "name": name, "inputSchema": schema, "_meta": { "ui": ui } })
        };
        let tools = [
            tool("chart", json!({ "resourceUri": "ui://chart" })),
            tool("data", json!({ "visibility": ["app"] })),
            tool(own, json!({ "visibility": ["app"] })),
            tool("model", json!({ "visibility": ["model"] })),
        ];
        AnyResult::from_json(&json!({
            "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private",
        }))
    };
    Server::builder(name, "1")
        .capabilities(|all| all.tools(ToolsCapability::new()))
        .fallback(answer)
        .build()
        .expect("valid")
}

#[tokio::test]
async fn app_calls_tools_by_the_names_of_its_server() {
    let gateway = gateway([
        at("a", Revision::LATEST, &with_app("a", "of_a")),
        at("b", Revision::LATEST, &with_app("b", "of_b")),
    ])
    .await;
    let client = client(&gateway, Revision::LATEST).await;
    for (tool, expected) in [("of_a", "a: "), ("of_b", "b: "), ("b_of_b", "b: ")] {
        let called = soon(client.call_tool(tool)).await.expect("called");
        assert!(called.text().starts_with(expected), "{tool}: {called:?}");
    }
    // Several servers have it, or apps may not call it: the prefix says which one is meant.
    for tool in ["data", "model", "none"] {
        let unknown = soon(client.call_tool(tool)).await.expect_err("unknown");
        assert!(unknown.to_string().contains("unknown tool"), "{unknown}");
    }
}

#[cfg(feature = "search")]
#[tokio::test]
async fn model_calls_no_tool_that_is_only_for_apps() {
    use mcp_gateway::search::Search;

    let search = || Search::new().threshold(1);
    let gateway = Gateway::builder("gateway", "1")
        .upstream(at("a", Revision::LATEST, &with_app("a", "of_a")))
        .upstream(at("b", Revision::LATEST, &with_app("b", "of_b")))
        .configure(|server| server.layer(search()));
    let gateway = gateway.build().await.expect("valid");
    let client = client(&gateway, Revision::LATEST).await;
    let call = async |name: &str| {
        let arguments = json!({ "name": name, "arguments": {} });
        soon(client.call_tool("call_tool").arguments(&arguments)).await
    };
    let called = call("a_model").await.expect("called");
    assert!(called.text().starts_with("a: "), "{called:?}");
    // Neither by the name that is listed, nor by that of its server, which its app uses.
    let refused = call("a_of_a").await.expect("a result");
    assert_eq!(refused.text(), "only apps call the tool `a_of_a`");
    let unknown = call("of_a").await.expect_err("unknown");
    assert!(unknown.to_string().contains("unknown tool"), "{unknown}");
    let called = soon(client.call_tool("of_a")).await.expect("by the app");
    assert!(called.text().starts_with("a: "), "{called:?}");
}
