//! The extension `io.modelcontextprotocol/ui`.

use mcp_server::apps::{
    Apps, UiResourceCsp, UiResourceMeta, UiResourcePermissions, UiToolMeta, UiToolVisibility,
};
use mcp_server::types::{
    CacheScope, CallToolResult, ReadResourceOutcome, ReadResourceRequest, ReadResourceResult,
};
use mcp_server::{Params, ResourceDef, Server, ServerBuilder, ToolDef};
use serde_json::{Value, json};

use crate::support::peer::Peer;

const IDENTIFIER: &str = "io.modelcontextprotocol/ui";
const CHART: &str = "ui://sales/chart.html";
const TYPE: &str = "text/html;profile=mcp-app";

fn structured_only() -> CallToolResult {
    CallToolResult::new([]).structured_content(json!({ "apples": 3 }))
}

fn builder() -> ServerBuilder {
    let for_app = UiToolMeta::new().visibility([UiToolVisibility::App]);
    let for_both = [UiToolVisibility::Model, UiToolVisibility::App];
    let shown = UiToolMeta::new().resource_uri(CHART).visibility(for_both);
    let hour = std::time::Duration::from_secs(3600);
    Server::builder("test", "1")
        .extension(Apps::new())
        .cache_tools(hour, CacheScope::Public)
        .add_tool(
            ToolDef::new("sales")
                .handler(async || structured_only())
                .ui(shown),
        )
        .add_tool(
            ToolDef::new("add_sale")
                .handler(async || "added")
                .ui(for_app),
        )
        .add_tool(ToolDef::new("plain").handler(async || "text"))
}

fn ui() -> UiResourceMeta {
    let csp = UiResourceCsp::new()
        .connect_domains(["https://api.example.com", "wss://live.example.com:8443"])
        .resource_domains(["https://*.example.com"])
        .frame_domains(["https://video.example.com"])
        .base_uri_domains(["https://cdn.example.com"]);
    let permissions = UiResourcePermissions::new().camera().clipboard_write();
    UiResourceMeta::new()
        .csp(csp)
        .permissions(permissions)
        .domain("sales.apps.example.com")
        .prefers_border(false)
}

fn server() -> Server {
    let chart = ResourceDef::text(CHART, "chart", "<!doctype html>").ui(ui());
    builder().add_resource(chart).build().unwrap()
}

/// A peer of each revision that shows apps, or that does not.
async fn peers(capabilities: Value) -> Vec<Peer> {
    let server = server();
    let mut peers = vec![Peer::modern(&server)];
    for _ in 0..3 {
        peers.push(Peer::raw(&server));
    }
    for (peer, revision) in peers
        .iter_mut()
        .zip(["", "2025-11-25", "2025-06-18", "2024-11-05"])
    {
        peer.capabilities = capabilities.clone();
        if !revision.is_empty() {
            peer.handshake(revision).await;
        }
    }
    peers
}

fn names(list: &Value) -> Vec<&str> {
    let tools = list["tools"].as_array().expect("tools").iter();
    tools.filter_map(|tool| tool["name"].as_str()).collect()
}

#[tokio::test]
async fn host_gets_tools_with_their_apps() {
    let capabilities =
        json!({ "extensions": { IDENTIFIER: { "mimeTypes": ["image/png", TYPE] } } });
    for mut peer in peers(capabilities).await {
        let list = peer.result("tools/list", json!({})).await;
        assert_eq!(names(&list), ["sales", "add_sale", "plain"]);
        let expected = json!({ "resourceUri": CHART, "visibility": ["model", "app"] });
        assert_eq!(list["tools"][0]["_meta"]["ui"], expected, "{list}");
        let expected = json!({ "visibility": ["app"] });
        assert_eq!(list["tools"][1]["_meta"]["ui"], expected, "{list}");
        assert_eq!(
            peer.call("add_sale", json!({})).await["content"][0]["text"],
            "added"
        );
    }
}

#[tokio::test]
async fn client_without_apps_gets_text_and_no_tools_for_apps() {
    let other_type = json!({ "extensions": { IDENTIFIER: { "mimeTypes": ["text/html"] } } });
    for capabilities in [json!({}), other_type] {
        for mut peer in peers(capabilities).await {
            let list = peer.result("tools/list", json!({})).await;
            assert_eq!(names(&list), ["sales", "plain"]);
            assert_eq!(list["tools"][0]["_meta"], Value::Null, "{list}");
            let (code, message) = peer
                .error("tools/call", json!({ "name": "add_sale", "arguments": {} }))
                .await;
            assert_eq!(code, -32602, "{message}");
            let result = peer.call("sales", json!({})).await;
            assert_eq!(result["content"][0]["text"], r#"{"apples":3}"#, "{result}");
            let result = peer.call("plain", json!({})).await;
            assert_eq!(result["content"].as_array().map(Vec::len), Some(1));
        }
    }
}

#[tokio::test]
async fn list_that_differs_between_clients_is_not_shared() {
    let mut peer = Peer::modern(&server());
    let list = peer.result("tools/list", json!({})).await;
    assert_eq!(list["cacheScope"], "private", "{list}");
}

#[tokio::test]
async fn app_has_its_metadata_in_the_list_and_in_its_contents() {
    let expected = json!({
        "csp": {
            "connectDomains": ["https://api.example.com", "wss://live.example.com:8443"],
            "resourceDomains": ["https://*.example.com"],
            "frameDomains": ["https://video.example.com"],
            "baseUriDomains": ["https://cdn.example.com"],
        },
        "permissions": { "camera": {}, "clipboardWrite": {} },
        "domain": "sales.apps.example.com",
        "prefersBorder": false,
    });
    let server = server();
    for mut peer in [
        Peer::modern(&server),
        Peer::legacy(&server, "2025-11-25").await,
    ] {
        let list = peer.result("resources/list", json!({})).await;
        let read = peer.result("resources/read", json!({ "uri": CHART })).await;
        for described in [&list["resources"][0], &read["contents"][0]] {
            assert_eq!(described["uri"], CHART);
            assert_eq!(described["mimeType"], TYPE);
            assert_eq!(described["_meta"]["ui"], expected, "{described}");
        }
        assert_eq!(read["contents"][0]["text"], "<!doctype html>");
    }
}

/// Returns the only error of a server that cannot be built.
fn refused(builder: ServerBuilder) -> String {
    let errors = builder.build().expect_err("refused");
    let [error] = errors.errors() else {
        panic!("{errors}");
    };
    error.to_string()
}

#[test]
fn build_refuses_what_does_not_fit_together() {
    let error = refused(builder());
    assert!(
        error.contains("`sales`") && error.contains(CHART),
        "{error}"
    );
    let tool = |ui| ToolDef::new("tool").handler(async || "").ui(ui);
    let empty = || Server::builder("test", "1");
    let error = refused(empty().add_tool(tool(UiToolMeta::new())));
    assert!(error.contains("`Apps`"), "{error}");
    let web = UiToolMeta::new().resource_uri("https://example.com/chart.html");
    let error = refused(empty().extension(Apps::new()).add_tool(tool(web)));
    assert!(error.contains("ui://"), "{error}");
    let nobody = UiToolMeta::new().visibility([]);
    let error = refused(empty().extension(Apps::new()).add_tool(tool(nobody)));
    assert!(error.contains("visibility"), "{error}");

    let app = |ui| ResourceDef::text("ui://app", "app", "").ui(ui);
    let csp =
        |domain: &str| UiResourceMeta::new().csp(UiResourceCsp::new().frame_domains([domain]));
    for (resource, expected) in [
        (app(csp("https://a.example; script-src *")), "frameDomains"),
        (app(csp("example.com")), "https://"),
        (app(UiResourceMeta::new().domain("a b")), "domain"),
        (
            ResourceDef::text("file:///app", "app", "").ui(ui()),
            "ui://",
        ),
        (ResourceDef::new("ui://app", "app").ui(ui()), "handler"),
    ] {
        let error = refused(empty().add_resource(resource));
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn program_that_reads_resources_itself_may_have_other_apps() {
    let read = |_: Params<ReadResourceRequest>| async {
        ReadResourceOutcome::from(ReadResourceResult::new([], 0, CacheScope::Private))
    };
    builder().on(read).build().expect("valid");
}
