//! Guards and visibility conditions of definitions.

use std::time::Duration;

use mcp_server::types::{CacheScope, PromptArgument};
use mcp_server::{
    Completing, Context, Group, HandlerError, Principal, PromptDef, ResourceDef, Server, State,
    TemplateDef, ToolDef,
};
use serde_json::{Value, json};

use crate::support::peer::Peer;

async fn only_ada(
    principal: Option<Principal>,
    State(owner): State<String>,
) -> Result<(), HandlerError> {
    match principal {
        Some(Principal(name)) if name == owner => Ok(()),
        _ => Err(HandlerError::forbidden("only the owner may do this")),
    }
}

fn signed_in(cx: &Context) -> bool {
    cx.extension::<Principal>().is_some()
}

async fn hello() -> &'static str {
    "hello"
}

fn server() -> Server {
    Server::builder("test", "1")
        .state("ada".to_owned())
        .cache_tools(Duration::from_secs(60), CacheScope::Public)
        .page_size(2)
        .tool("open", "", hello)
        .add_tool(ToolDef::new("guarded").guard(only_ada).handler(hello))
        .add_tool(ToolDef::new("hidden").visible_if(signed_in).handler(hello))
        .tool("last", "", hello)
        .add_prompt(
            PromptDef::new("guarded")
                .argument(PromptArgument::new("a"))
                .guard(only_ada)
                .handler(hello),
        )
        .add_prompt(
            PromptDef::new("hidden")
                .argument(PromptArgument::new("a"))
                .visible_if(signed_in)
                .handler(hello),
        )
        .complete_prompt("hidden", "a", |_: Completing| async { vec!["x"] })
        .complete_prompt("guarded", "a", |_: Completing| async { vec!["x"] })
        .add_resource(ResourceDef::text("x:open", "open", "hello"))
        .add_resource(ResourceDef::text("x:guarded", "guarded", "hello").guard(only_ada))
        .add_resource(ResourceDef::text("x:hidden", "hidden", "hello").visible_if(signed_in))
        .add_resource_template(
            TemplateDef::new("g:{a}", "g")
                .guard(only_ada)
                .handler(hello),
        )
        .add_resource_template(
            TemplateDef::new("h:{a}", "h")
                .visible_if(signed_in)
                .handler(hello),
        )
        .build()
        .unwrap()
}

/// A peer whose connection is authenticated.
fn signed(server: &Server, name: &str) -> Peer {
    let name = name.to_owned();
    Peer::over(server, |stream| stream.extension(Principal(name)))
}

async fn names(peer: &mut Peer, method: &str, list: &str) -> (Vec<String>, Value) {
    let (mut all, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut params = json!({});
        if !cursor.is_null() {
            params["cursor"] = cursor.take();
        }
        let page = peer.result(method, params).await;
        for item in page[list].as_array().unwrap() {
            all.push(item["name"].as_str().unwrap().to_owned());
        }
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            return (all, page);
        }
    }
}

#[tokio::test]
async fn guard_rejects_callers_before_arguments_are_validated() {
    let server = server();
    let mut nobody = Peer::modern(&server);
    let mut ada = signed(&server, "ada");
    let mut bob = signed(&server, "bob");
    let refused = (-32600, "only the owner may do this".to_owned());
    // Who may not read a resource does not learn that it exists.
    let not_found = (-32602, "resource not found".to_owned());
    let complete = json!({
        "ref": { "type": "ref/prompt", "name": "guarded" },
        "argument": { "name": "a", "value": "" },
    });
    for (method, params) in [
        (
            "tools/call",
            json!({ "name": "guarded", "arguments": { "unknown": 1 } }),
        ),
        ("prompts/get", json!({ "name": "guarded" })),
        ("resources/read", json!({ "uri": "x:guarded" })),
        ("resources/read", json!({ "uri": "g:1" })),
        ("completion/complete", complete),
    ] {
        let refused = match method {
            "resources/read" => &not_found,
            _ => &refused,
        };
        for peer in [&mut nobody, &mut bob] {
            assert_eq!(
                peer.error(method, params.clone()).await,
                *refused,
                "{method}"
            );
        }
        let answer = ada.request(method, params).await;
        assert!(answer["error"].is_null(), "{method}: {answer}");
    }
    let (tools, _) = names(&mut bob, "tools/list", "tools").await;
    assert!(
        tools.contains(&"guarded".to_owned()),
        "a guard hides no tool"
    );
}

#[tokio::test]
async fn hidden_features_are_reported_as_unknown() {
    let server = server();
    let mut nobody = Peer::modern(&server);
    let mut bob = signed(&server, "bob");
    for (method, list, all, seen) in [
        (
            "tools/list",
            "tools",
            vec!["open", "guarded", "hidden", "last"],
            vec!["open", "guarded", "last"],
        ),
        (
            "prompts/list",
            "prompts",
            vec!["guarded", "hidden"],
            vec!["guarded"],
        ),
        (
            "resources/list",
            "resources",
            vec!["open", "hidden"],
            vec!["open"],
        ),
        (
            "resources/templates/list",
            "resourceTemplates",
            vec!["h"],
            vec![],
        ),
    ] {
        let (names_of_bob, page) = names(&mut bob, method, list).await;
        assert_eq!(names_of_bob, all);
        assert_eq!(
            page["cacheScope"], "private",
            "the list depends on the caller"
        );
        assert_eq!(names(&mut nobody, method, list).await.0, seen);
    }
    let complete = |name: &str| {
        json!({
            "ref": { "type": "ref/prompt", "name": name },
            "argument": { "name": "a", "value": "" },
        })
    };
    for (method, hidden, unknown) in [
        (
            "tools/call",
            json!({ "name": "hidden" }),
            json!({ "name": "no" }),
        ),
        (
            "prompts/get",
            json!({ "name": "hidden" }),
            json!({ "name": "no" }),
        ),
        (
            "resources/read",
            json!({ "uri": "x:hidden" }),
            json!({ "uri": "x:no" }),
        ),
        (
            "resources/read",
            json!({ "uri": "h:1" }),
            json!({ "uri": "x:no" }),
        ),
        ("completion/complete", complete("hidden"), complete("no")),
    ] {
        let (code, text) = nobody.error(method, hidden.clone()).await;
        let (unknown_code, unknown_text) = nobody.error(method, unknown).await;
        assert_eq!(code, unknown_code, "{method}");
        assert_eq!(text.replace("hidden", "no"), unknown_text, "{method}");
        let answer = bob.request(method, hidden).await;
        assert!(answer["error"].is_null(), "{method}: {answer}");
    }
}

#[tokio::test]
async fn guard_of_a_group_applies_to_all_its_features() {
    let group = Group::new()
        .state("eve".to_owned())
        .guard(only_ada)
        .tool("a", "", hello)
        .resource("x:a", "a", hello);
    let server = Server::builder("test", "1").merge(group).build().unwrap();
    let mut bob = signed(&server, "bob");
    assert_eq!(
        bob.error("tools/call", json!({ "name": "a" })).await.0,
        -32600
    );
    assert_eq!(
        bob.error("resources/read", json!({ "uri": "x:a" })).await.0,
        -32602
    );
    let mut eve = signed(&server, "eve");
    eve.result("tools/call", json!({ "name": "a" })).await;
    eve.result("resources/read", json!({ "uri": "x:a" })).await;
}

#[tokio::test]
async fn guard_of_a_group_does_not_see_states_of_inner_groups() {
    let inner = Group::new().state("bob".to_owned()).tool(
        "name",
        "",
        |State(owner): State<String>| async move { owner },
    );
    let outer = Group::new()
        .state("ada".to_owned())
        .guard(only_ada)
        .merge(inner);
    let server = Server::builder("test", "1").merge(outer).build().unwrap();
    let call = json!({ "name": "name" });
    let (code, _) = signed(&server, "bob")
        .error("tools/call", call.clone())
        .await;
    assert_eq!(code, -32600);
    let named = signed(&server, "ada").result("tools/call", call).await;
    assert_eq!(named["content"][0]["text"], "bob");

    // A state of an inner group does not replace one that the outer group lacks.
    let inner = Group::new().state("bob".to_owned()).tool("name", "", hello);
    let outer = Group::new().guard(only_ada).merge(inner);
    let error = Server::builder("test", "1")
        .merge(outer)
        .build()
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("takes `State<alloc::string::String>`"),
        "{error}"
    );
}

#[tokio::test]
async fn visibility_condition_may_change_its_own_list() {
    // No lock is held while the condition runs.
    let tool = ToolDef::new("strange").visible_if(|cx| {
        let server = cx.server();
        !server.tools().remove("other") || server.tools().contains("strange")
    });
    let server = Server::builder("test", "1")
        .add_tool(tool.handler(hello))
        .tool("other", "", hello)
        .build()
        .unwrap();
    let mut peer = Peer::modern(&server);
    assert_eq!(names(&mut peer, "tools/list", "tools").await.0.len(), 2);
    assert_eq!(names(&mut peer, "tools/list", "tools").await.0.len(), 1);
}
