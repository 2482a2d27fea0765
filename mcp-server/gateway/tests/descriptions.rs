//! What a gateway says of itself and its lists, and the names that models see.

use mcp_gateway::{Gateway, Upstream};
use mcp_server::types::{CacheScope, Revision, json};
use mcp_server::{AnyRequest, AnyResult, Server};
use serde_json::{Value, json};

use crate::support::{at, client, gateway, soon};

fn described(name: &str) -> Server {
    Server::builder(name, "7.8.9")
        .title(format!("The {name}"))
        .website_url(format!("https://{name}.example.com"))
        .instructions(format!("How to use {name}."))
        .tool("name", "Returns the name", async || "name")
        .build()
        .expect("valid")
}

#[tokio::test]
async fn instructions_of_several_upstreams_stand_below_their_names() {
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let gateway = gateway([
            at("notes", revision, &described("notes")),
            at("My Clock", revision, &described("clock")),
        ])
        .await;
        let client = client(&gateway, revision).await;
        let expected = "# notes\n\nThe notes, https://notes.example.com\n\nHow to use notes.\n\n\
             # My Clock (`my-clock_`)\n\nThe clock, https://clock.example.com\n\nHow to use clock.";
        assert_eq!(client.instructions().as_deref(), Some(expected));
        let info = client.server_info().expect("named");
        assert_eq!((&*info.name, &*info.version), ("gateway", "1.0.0"));
    }
}

#[tokio::test]
async fn single_upstream_is_described_as_it_is() {
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let upstream = at("notes", revision, &described("notes"));
        let gateway = Gateway::builder("gateway", "1.0.0")
            .configure(|server| server.title("Office"))
            .upstream(upstream)
            .build();
        let gateway = gateway.await.expect("valid");
        let client = client(&gateway, revision).await;
        let info = client.server_info().expect("named");
        assert_eq!((&*info.name, &*info.version), ("notes", "7.8.9"));
        let website = info.website_url.as_deref();
        assert_eq!(website, Some("https://notes.example.com"));
        // What the program has set is kept.
        assert_eq!(info.title.as_deref(), Some("Office"));
        assert_eq!(client.instructions().as_deref(), Some("How to use notes."));
    }
}

/// A server whose list of tools may be kept for some time.
fn kept(time: u64, scope: &'static str) -> Server {
    let answer = move |_: AnyRequest| async move {
        let tool = json!({ "name": "name", "inputSchema": { "type": "object" } });
        AnyResult::from_json(&json!({
            "resultType": "complete", "tools": [tool], "ttlMs": time, "cacheScope": scope,
        }))
    };
    let server = Server::builder("kept", "1");
    let server = server.capabilities(|all| all.tools(mcp_server::types::ToolsCapability::new()));
    server.fallback(answer).build().expect("valid")
}

#[tokio::test]
async fn merged_lists_are_kept_as_the_strictest_upstream_says() {
    let merged = async |upstreams: [Upstream; 2]| {
        let gateway = gateway(upstreams).await;
        let client = client(&gateway, Revision::LATEST).await;
        let params = json::Object::new();
        let listed = soon(client.request_json("tools/list", &params)).await;
        let listed: Value = serde_json::from_str(listed.expect("listed").get()).expect("JSON");
        assert_eq!(listed["tools"].as_array().expect("a list").len(), 2);
        let time = listed["ttlMs"].as_u64().expect("a number");
        (
            time,
            listed["cacheScope"].as_str().expect("a text").to_owned(),
        )
    };
    let modern = |time, scope| at("a", Revision::LATEST, &kept(time, scope));
    let other = |time, scope| at("b", Revision::LATEST, &kept(time, scope));
    let (time, scope) = merged([modern(50_000, "public"), other(200_000, "public")]).await;
    assert!((1..=50_000).contains(&time), "{time}");
    assert_eq!(scope, "public");
    let (_, scope) = merged([modern(50_000, "public"), other(200_000, "private")]).await;
    assert_eq!(scope, "private");
    let (time, _) = merged([modern(50_000, "public"), other(0, "public")]).await;
    assert_eq!(time, 0);
    // Older revisions say nothing.
    let older = at("b", Revision::V2025_11_25, &described("older"));
    let merged = merged([modern(50_000, "public"), older]).await;
    assert_eq!(merged, (0, "private".to_owned()));
    let by_client = other(50_000, "public").visible_to(|_, _, _| true);
    let (_, scope) = self::scope_of([modern(50_000, "public"), by_client]).await;
    assert_eq!(scope, CacheScope::Private);
}

async fn scope_of(upstreams: [Upstream; 2]) -> (usize, CacheScope) {
    let gateway = gateway(upstreams).await;
    let client = client(&gateway, Revision::LATEST).await;
    let listed = soon(client.tools().one_page()).await.expect("listed");
    (listed.tools.len(), listed.cache_scope)
}

#[tokio::test]
async fn names_have_at_most_64_characters_and_are_found_by_another_gateway() {
    let long = "a_tool_with_a_name_that_is_not_too_long_before_it_has_a_prefix";
    let server = || {
        let builder = Server::builder("long", "1").tool("short", "Short", async || "short");
        let builder = builder.tool(long, "Long", async || "long");
        builder.build().expect("valid")
    };
    let started = async || {
        let upstreams = [
            at("a", Revision::LATEST, &server()),
            at("b", Revision::LATEST, &server()),
        ];
        gateway(upstreams).await
    };
    let first = started().await;
    let listing = client(&first, Revision::LATEST).await;
    let listed = soon(listing.tools().all()).await.expect("listed");
    let names: Vec<_> = listed.items.iter().map(|tool| &*tool.name).collect();
    assert!(names.iter().all(|name| name.len() <= 64), "{names:?}");
    let shortened = names.iter().find(|name| name.starts_with("b_a_tool"));
    let shortened = (*shortened.expect("listed")).to_owned();
    let called = soon(listing.call_tool(&*shortened)).await.expect("called");
    assert_eq!(called.text(), "long");
    // The form is always the same, and a gateway that has listed nothing knows it.
    let second = started().await;
    let calling = client(&second, Revision::LATEST).await;
    let call = async |name: &str| {
        let params = json::Object::from([("name", name)]);
        soon(calling.request_json("tools/call", &params)).await
    };
    let called = call(&shortened).await.expect("called");
    assert!(called.get().contains("\"long\""), "{called}");
    let unknown = format!("{}00000000", &shortened[..shortened.len() - 8]);
    assert!(call(&unknown).await.is_err());
}
