//! Scopes of requests, definitions and handlers.

use std::net::SocketAddr;

use mcp_server::{
    AccessToken, Context, Group, HandlerError, PromptDef, ResourceDef, Server, ServerBuilder,
    ToolDef,
};
use mcp_server_oauth::{OAuth, OAuthBuilder, StaticTokens};
use mcp_testkit::http::legacy;
use mcp_testkit::http::subject::*;
use mcp_testkit::peer::Peer;
use serde_json::{Value, json};

use super::setup::*;

const ISSUER: &str = "https://auth.example";

/// A server with a definition of each kind that needs scopes.
fn scoped(change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Server {
    let admin = Group::new().prefix("admin_").scopes(["admin"]).add_tool(
        ToolDef::new("restart")
            .scopes(["machines"])
            .handler(async || "restarted"),
    );
    let builder = Server::builder("scoped", "1")
        .add_tool(ToolDef::new("open").handler(async || "opened"))
        .add_tool(
            ToolDef::new("write")
                .scopes(["files:write"])
                .handler(async || "written"),
        )
        .add_tool(
            ToolDef::new("dynamic")
                .scopes(["files:write"])
                .handler(dynamic),
        )
        .add_tool(ToolDef::new("late").handler(late))
        .add_prompt(
            PromptDef::new("ask")
                .scopes(["prompts"])
                .handler(async || "asked"),
        )
        .add_resource(
            ResourceDef::new("test://secret", "secret")
                .scopes(["files:read"])
                .handler(async || "secret"),
        )
        .merge(admin);
    change(builder).build().expect("the definition is sound")
}

async fn dynamic(cx: Context) -> Result<&'static str, HandlerError> {
    cx.require_scopes(["files:shared", "files:write"])?;
    Ok("shared")
}

async fn late(cx: Context) -> Result<&'static str, HandlerError> {
    cx.progress(1.0, 2.0, None).await?;
    cx.require_scopes(["files:shared"])?;
    Ok("late")
}

/// Trusts tokens that consist of the scopes they have, separated by underscores.
fn tokens(all: &[&str]) -> OAuthBuilder {
    let mut tokens = StaticTokens::new(ISSUER);
    for scopes in all {
        let token = AccessToken::new(ISSUER)
            .subject("ada")
            .audience([RESOURCE])
            .scopes(scopes.split('_').filter(|scope| !scope.is_empty()));
        let name = format!("t{}", scopes.replace(':', "."));
        tokens = tokens.token(name, token);
    }
    OAuth::builder(RESOURCE).verifier(tokens)
}

fn token(scopes: &str) -> String {
    format!("t{}", scopes.replace(':', "."))
}

/// Sends a request of the modern era with a token.
async fn ask(
    address: SocketAddr,
    scopes: &str,
    method: &'static str,
    name: &str,
    params: &str,
) -> (Head, String) {
    let headers = with_header(call_headers(name), "Mcp-Method", method);
    let headers = with_token(headers, &token(scopes));
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{META}}}}}"#);
    Raw::post(address, &headers, &body).await
}

async fn call_tool(address: SocketAddr, scopes: &str, tool: &str) -> (Head, String) {
    let params = format!(r#""name":"{tool}","arguments":{{}},"#);
    ask(address, scopes, "tools/call", tool, &params).await
}

/// Checks that a request was refused for these scopes.
fn lacks(answer: &(Head, String), scopes: &str) {
    let (head, body) = answer;
    assert_eq!(head.status, 403, "{body}");
    assert_eq!(
        head.get("www-authenticate"),
        Some(&*format!(
            "Bearer error=\"insufficient_scope\", scope=\"{scopes}\", \
             resource_metadata=\"{METADATA}\""
        ))
    );
    assert_eq!(code(body), -32600);
}

#[tokio::test]
async fn scopes_that_all_requests_need_are_checked_before_the_body_is_read() {
    let server = scoped(|builder| builder);
    let oauth = tokens(&["", "mcp:use", "mcp:use_files:write"]).required_scopes(["mcp:use", "x"]);
    let address = protect(&server, oauth.implied_scopes(|had, _| had == "files:write"));
    lacks(&call_tool(address, "", "open").await, "mcp:use x");
    lacks(&call_tool(address, "mcp:use", "open").await, "mcp:use x");
    let (head, _) = call_tool(address, "mcp:use_files:write", "open").await;
    assert_eq!(head.status, 200);
    let mut raw = Raw::connect(address).await;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer t\r\n\
         Content-Length: 1000\r\n\r\n"
    );
    raw.write(head.as_bytes()).await;
    assert_eq!(raw.head().await.status, 403);
}

#[tokio::test]
async fn challenge_of_an_operation_begins_with_the_scopes_of_all_requests() {
    let server = scoped(|builder| builder);
    let granted = ["mcp:use", "mcp:use_files:write"];
    let address = protect(&server, tokens(&granted).required_scopes(["mcp:use"]));
    let refused = call_tool(address, "mcp:use", "write").await;
    lacks(&refused, "mcp:use files:write");
    let refused = call_tool(address, "mcp:use_files:write", "dynamic").await;
    lacks(&refused, "mcp:use files:write files:shared");
}

#[tokio::test]
async fn scopes_may_have_the_name_and_the_form_of_other_issuers() {
    let issuer = TestIssuer::start().await;
    let server = scoped(|builder| builder);
    let address = protect(&server, trusting(&issuer).required_scopes(["a", "b"]));
    for (claims, expected) in [
        (json!({ "scope": "a b" }), 200),
        (json!({ "scope": ["a", "b"] }), 200),
        (json!({ "scope": null, "scp": "b a" }), 200),
        (json!({ "scope": null, "scp": ["a", "b"] }), 200),
        (json!({ "scope": "a", "scp": "b" }), 403),
        (json!({ "scope": null }), 403),
        (json!({ "scope": "A B" }), 403),
        (json!({ "scope": "ab" }), 403),
    ] {
        let headers = with_token(call_headers("open"), &issuer.token(claims.clone()));
        let (head, _) = Raw::post(address, &headers, &call(1, "open")).await;
        assert_eq!(head.status, expected, "{claims}");
    }
}

#[tokio::test]
async fn challenge_names_all_scopes_of_the_operation() {
    let server = scoped(|builder| builder);
    let granted = [
        "",
        "files:write",
        "admin",
        "admin_machines",
        "files:shared",
        "prompts",
        "files:read",
    ];
    let address = protect(&server, tokens(&granted));
    assert_eq!(call_tool(address, "", "open").await.0.status, 200);
    lacks(&call_tool(address, "", "write").await, "files:write");
    lacks(
        &call_tool(address, "files:read", "write").await,
        "files:write",
    );
    assert_eq!(
        call_tool(address, "files:write", "write").await.0.status,
        200
    );
    // Those of the group, too.
    for granted in ["", "admin"] {
        lacks(
            &call_tool(address, granted, "admin_restart").await,
            "admin machines",
        );
    }
    let (head, _) = call_tool(address, "admin_machines", "admin_restart").await;
    assert_eq!(head.status, 200);
    // The handler needs more than the definition says.
    lacks(
        &call_tool(address, "files:shared", "dynamic").await,
        "files:write",
    );
    let lacking = call_tool(address, "files:write", "dynamic").await;
    lacks(&lacking, "files:write files:shared");
    let prompt = r#""name":"ask","#;
    lacks(
        &ask(address, "", "prompts/get", "ask", prompt).await,
        "prompts",
    );
    let (head, _) = ask(address, "prompts", "prompts/get", "ask", prompt).await;
    assert_eq!(head.status, 200);
    let resource = r#""uri":"test://secret","#;
    let read = async |scopes: &str| {
        ask(address, scopes, "resources/read", "test://secret", resource).await
    };
    lacks(&read("").await, "files:read");
    assert_eq!(read("files:read").await.0.status, 200);
}

#[tokio::test]
async fn broader_scope_implies_narrower_ones() {
    let server = scoped(|builder| builder);
    let oauth = tokens(&["files", "all"]).implied_scopes(|granted, required| {
        granted == "all"
            || required
                .strip_prefix(granted)
                .is_some_and(|rest| rest.starts_with(':'))
    });
    let address = protect(&server, oauth);
    for tool in ["write", "dynamic"] {
        assert_eq!(
            call_tool(address, "files", tool).await.0.status,
            200,
            "{tool}"
        );
    }
    lacks(
        &call_tool(address, "files", "admin_restart").await,
        "admin machines",
    );
    assert_eq!(
        call_tool(address, "all", "admin_restart").await.0.status,
        200
    );
}

#[tokio::test]
async fn status_is_403_in_a_session_and_for_a_response_that_has_not_begun() {
    let server = scoped(|builder| builder);
    let address = protect(&server, tokens(&["", "files:write"]));
    let headers = with_token(media(), &token(""));
    let (head, _) = Raw::post(address, &headers, &legacy::initialize("2025-11-25")).await;
    let id = head.get("mcp-session-id").expect("a session").to_owned();
    let session = with_header(headers, "Mcp-Session-Id", &id);
    lacks(
        &Raw::post(address, &session, &legacy::tool(1, "write")).await,
        "files:write",
    );
    // A token with more scopes continues the session.
    let session = with_token(session, &token("files:write"));
    let (head, body) = Raw::post(address, &session, &legacy::tool(2, "write")).await;
    assert_eq!(head.status, 200, "{body}");
    lacks(
        &Raw::post(address, &session, &legacy::tool(3, "dynamic")).await,
        "files:write files:shared",
    );
    // The response has begun, so its status is decided.
    let (head, body) = call_tool(address, "", "late").await;
    assert_eq!(head.status, 200);
    assert!(
        body.contains("-32600") && body.contains("files:shared"),
        "{body}"
    );
}

/// Returns the names in the result of a list request, and its scope for caches.
async fn list(address: SocketAddr, scopes: &str, method: &'static str) -> (Vec<String>, Value) {
    let (head, body) = ask(address, scopes, method, "", "").await;
    assert_eq!(head.status, 200, "{body}");
    let mut message: Value = serde_json::from_str(&body).expect("JSON");
    let result = message["result"].take();
    let key = method.split('/').next().expect("a kind");
    let items = result[key].as_array().expect("a list").iter();
    let names = items.map(|item| item["name"].as_str().expect("a name").to_owned());
    (names.collect(), result["cacheScope"].clone())
}

#[tokio::test]
async fn lists_contain_everything_unless_the_program_filters_them() {
    let public = |builder: ServerBuilder| {
        let scope = mcp_server::types::CacheScope::Public;
        builder.cache_tools(std::time::Duration::from_secs(60), scope)
    };
    let all = ["open", "write", "dynamic", "late", "admin_restart"];
    let server = scoped(public);
    let address = protect(&server, tokens(&["", "files:write"]));
    let (names, scope) = list(address, "", "tools/list").await;
    assert_eq!(names, all);
    assert_eq!(scope, "public");

    let oauth = tokens(&["", "files:write", "admin", "admin_machines", "files:read"]);
    let server = scoped(|builder| public(builder).list_permitted_only());
    let address = protect(&server, oauth);
    let (names, scope) = list(address, "", "tools/list").await;
    assert_eq!(names, ["open", "late"]);
    assert_eq!(scope, "private");
    let (names, _) = list(address, "files:write", "tools/list").await;
    assert_eq!(names, ["open", "write", "dynamic", "late"]);
    // One of two scopes is not enough.
    let (names, _) = list(address, "admin", "tools/list").await;
    assert_eq!(names, ["open", "late"]);
    let (names, _) = list(address, "admin_machines", "tools/list").await;
    assert_eq!(names, ["open", "late", "admin_restart"]);
    for (method, granted, expected) in [
        ("prompts/list", "", vec![]),
        ("resources/list", "", vec![]),
        ("resources/list", "files:read", vec!["secret"]),
    ] {
        let (names, _) = list(address, granted, method).await;
        assert_eq!(names, expected, "{method}");
    }
    // The transport makes no difference.
    for (granted, expected) in [
        (None, vec!["open", "late"]),
        (Some(""), vec!["open", "late"]),
        (
            Some("files:write"),
            vec!["open", "write", "dynamic", "late"],
        ),
    ] {
        let mut peer = Peer::over(&server, |stream| match granted {
            Some(scope) => stream.extension(AccessToken::new("client").scopes(scope.split(' '))),
            None => stream,
        });
        let listed = peer.result("tools/list", json!({})).await;
        let names = listed["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| &tool["name"]);
        assert_eq!(names.collect::<Vec<_>>(), expected, "{granted:?}");
        assert_eq!(listed["cacheScope"], "private");
    }
    // What is not listed can still be asked for, so that the client learns which scopes it needs.
    lacks(&call_tool(address, "", "write").await, "files:write");
}

#[tokio::test]
async fn definition_with_scopes_is_refused_where_there_are_no_tokens() {
    let server = scoped(|builder| builder);
    let address = serve(&server);
    let (head, body) = Raw::post(address, &call_headers("write"), &call(1, "write")).await;
    assert_eq!(head.status, 403, "{body}");
    assert_eq!(
        head.get("www-authenticate"),
        Some("Bearer error=\"insufficient_scope\", scope=\"files:write\"")
    );
    let (head, _) = Raw::post(address, &call_headers("open"), &call(1, "open")).await;
    assert_eq!(head.status, 200);
}
