//! Pages, caching hints, capabilities, and lists that change.

use std::time::Duration;

use mcp_server::types::{CacheScope, PromptArgument, ToolsCapability};
use mcp_server::{PromptDef, ResourceDef, ResourceUri, Server, TemplateDef, ToolDef};
use serde_json::{Value, json};

use crate::support::peer::Peer;

fn tool(name: &str) -> ToolDef {
    ToolDef::new(name).handler(async || "done")
}

fn prompt(name: &str) -> PromptDef {
    PromptDef::new(name).handler(async || "hello")
}

fn template(text: &str) -> TemplateDef {
    TemplateDef::new(text, "t").handler(|ResourceUri(uri): ResourceUri| async { uri })
}

fn names(result: &Value) -> Vec<&str> {
    let tools = result["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn pages_stay_stable_while_the_list_changes() {
    for legacy in [false, true] {
        let mut builder = Server::builder("test", "1").page_size(2);
        for name in ["a", "b", "c", "d", "e"] {
            builder = builder.add_tool(tool(name)).add_prompt(prompt(name));
        }
        let server = builder.build().unwrap();
        let mut peer = if legacy {
            Peer::legacy(&server, "2025-06-18").await
        } else {
            Peer::modern(&server)
        };
        let first = peer.result("tools/list", json!({})).await;
        assert_eq!(names(&first), ["a", "b"]);
        let cursor = first["nextCursor"].clone();
        let second = peer.result("tools/list", json!({ "cursor": cursor })).await;
        assert_eq!(names(&second), ["c", "d"]);

        // The last listed item was removed, and another one added.
        assert!(server.tools().remove("b"));
        server.tools().add(tool("f")).unwrap();
        let second = peer.result("tools/list", json!({ "cursor": cursor })).await;
        assert_eq!(names(&second), ["c", "d"]);
        let cursor = second["nextCursor"].clone();
        let third = peer.result("tools/list", json!({ "cursor": cursor })).await;
        assert_eq!(names(&third), ["e", "f"]);
        assert!(third["nextCursor"].is_null());

        for wrong in [json!(""), json!("x"), json!("AAAA"), flipped(&cursor)] {
            let params = json!({ "cursor": wrong });
            let (code, message) = peer.error("tools/list", params).await;
            assert!(code == -32602 && message.contains("$.cursor"), "{message}");
        }
        // A cursor of another list.
        let (code, _) = peer
            .error("prompts/list", json!({ "cursor": cursor }))
            .await;
        assert_eq!(code, -32602);
    }
}

/// Returns the cursor with its last character changed.
fn flipped(cursor: &Value) -> Value {
    let mut text = cursor.as_str().unwrap().to_owned();
    let last = text.remove(text.len() / 2);
    text.insert(text.len() / 2, if last == 'A' { 'B' } else { 'A' });
    text.into()
}

#[tokio::test]
async fn legacy_peers_get_pages() {
    let server = Server::builder("test", "1")
        .page_size(1)
        .add_resource(ResourceDef::text("x:1", "one", "1"))
        .add_resource(ResourceDef::text("x:2", "two", "2"))
        .build()
        .unwrap();
    let mut peer = Peer::legacy(&server, "2024-11-05").await;
    let first = peer.result("resources/list", json!({})).await;
    assert_eq!(first["resources"][0]["name"], "one");
    let params = json!({ "cursor": first["nextCursor"] });
    let second = peer.result("resources/list", params).await;
    assert_eq!(second["resources"][0]["name"], "two");
    assert!(second["nextCursor"].is_null() && second["ttlMs"].is_null());
}

#[tokio::test]
async fn caching_hints_default_to_private_without_a_ttl() {
    let hour = Duration::from_secs(3600);
    let server = Server::builder("test", "1")
        .add_tool(tool("a"))
        .add_prompt(prompt("p"))
        .add_resource(ResourceDef::text("x:1", "one", "1").cache(hour, CacheScope::Public))
        .add_resource_template(template("y:{a}"))
        .cache_tools(hour, CacheScope::Public)
        .cache_resources(Duration::from_secs(1), CacheScope::Private)
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    for (method, params, ttl, scope) in [
        ("tools/list", json!({}), 3_600_000, "public"),
        ("prompts/list", json!({}), 0, "private"),
        ("resources/list", json!({}), 1000, "private"),
        ("resources/templates/list", json!({}), 1000, "private"),
        (
            "resources/read",
            json!({ "uri": "x:1" }),
            3_600_000,
            "public",
        ),
        ("resources/read", json!({ "uri": "y:1" }), 0, "private"),
    ] {
        let result = peer.result(method, params).await;
        let found = (&result["ttlMs"], &result["cacheScope"]);
        assert_eq!(found, (&json!(ttl), &json!(scope)), "{method}");
    }
}

#[tokio::test]
async fn capabilities_follow_from_registered_features() {
    let none = Server::builder("test", "1").build().unwrap();
    let discovered = Peer::modern(&none)
        .result("server/discover", json!({}))
        .await;
    assert_eq!(discovered["capabilities"], json!({ "logging": {} }));
    let (code, _) = Peer::modern(&none).error("tools/list", json!({})).await;
    assert_eq!(code, -32601);

    let all = Server::builder("test", "1")
        .add_tool(tool("a"))
        .add_prompt(prompt("p").argument(PromptArgument::new("x")))
        .add_resource_template(template("y:{a}"))
        .complete_prompt("p", "x", |_| async { vec!["y"] })
        .build()
        .unwrap();
    let discovered = Peer::modern(&all)
        .result("server/discover", json!({}))
        .await;
    let expected = json!({
        "logging": {},
        "completions": {},
        "tools": { "listChanged": true },
        "prompts": { "listChanged": true },
        "resources": { "listChanged": true, "subscribe": true },
    });
    assert_eq!(discovered["capabilities"], expected);
}

#[tokio::test]
async fn list_changes_are_sent_to_subscribers() {
    let server = Server::builder("test", "1")
        .capabilities(|all| all.tools(ToolsCapability::new().list_changed(true)))
        .add_prompt(prompt("p"))
        .add_resource(ResourceDef::text("x:1", "one", "1"))
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    let wanted = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
    });
    let params = json!({ "notifications": wanted });
    peer.start("subscriptions/listen", params).await;
    let acknowledged = peer.receive().await;
    assert_eq!(acknowledged["params"]["notifications"], wanted);
    let mut old = Peer::legacy(&server, "2025-11-25").await;

    server.tools().add(tool("late")).unwrap();
    for peer in [&mut peer, &mut old] {
        let message = peer.receive().await;
        assert_eq!(message["method"], "notifications/tools/list_changed");
        let answer = peer.call("late", json!({})).await;
        assert_eq!(answer["content"][0]["text"], "done");
    }
    assert!(
        server.tools().add(tool("late")).is_err(),
        "the name is taken"
    );
    server.prompts().replace(prompt("p").title("P")).unwrap();
    for peer in [&mut peer, &mut old] {
        let message = peer.receive().await;
        assert_eq!(message["method"], "notifications/prompts/list_changed");
        let list = peer.result("prompts/list", json!({})).await;
        assert_eq!(list["prompts"][0]["title"], "P");
    }
    assert!(server.resources().remove("x:1"));
    assert!(!server.resources().remove("x:1"));
    for peer in [&mut peer, &mut old] {
        let message = peer.receive().await;
        assert_eq!(message["method"], "notifications/resources/list_changed");
        let list = peer.result("resources/list", json!({})).await;
        assert_eq!(list["resources"], json!([]));
    }
    server.resource_templates().add(template("z:{a}")).unwrap();
    for peer in [&mut peer, &mut old] {
        let message = peer.receive().await;
        assert_eq!(message["method"], "notifications/resources/list_changed");
        let read = peer.result("resources/read", json!({ "uri": "z:1" })).await;
        assert_eq!(read["contents"][0]["text"], "z:1");
    }
}
