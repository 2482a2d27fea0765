//! `resources/list`, `resources/templates/list` and `resources/read`.

use mcp_server::types::json::Map;
use mcp_server::types::{
    Annotations, AnyResourceContents, Base64Text, BlobResourceContents, Icon, Role,
    TextResourceContents,
};
use mcp_server::{HandlerError, ResourceDef, ResourceUri, Server, TemplateDef};
use serde::Deserialize;
use serde_json::json;

use crate::support::peer::Peer;

#[derive(Deserialize)]
struct Issue {
    project: String,
    number: u32,
    open: Option<bool>,
}

fn server() -> Server {
    Server::builder("test", "1")
        .add_resource(
            ResourceDef::text("x:motto", "motto", "Keep it simple.")
                .title("Motto")
                .mime_type("text/plain")
                .annotations(Annotations::new().audience([Role::User]))
                .icon(Icon::new("https://example.com/i.png")),
        )
        .add_resource(ResourceDef::bytes("x:logo", "logo", [1, 2, 3]).mime_type("image/png"))
        .resource("x:now", "now", |ResourceUri(uri): ResourceUri| async move {
            uri
        })
        .resource("x:both", "both", || async {
            vec![
                AnyResourceContents::from(TextResourceContents::new("x:both/1", "t")),
                BlobResourceContents::new("x:both/2", Base64Text::encode(b"b")).into(),
            ]
        })
        .resource_template(
            "t:{project}/{number}{?open}",
            "issue",
            async |issue: Issue, ResourceUri(uri): ResourceUri| -> Result<_, HandlerError> {
                if issue.number == 0 {
                    return Err(HandlerError::resource_not_found(uri));
                }
                Ok(format!(
                    "{} {} {:?}",
                    issue.project, issue.number, issue.open
                ))
            },
        )
        .add_resource_template(
            TemplateDef::new("t:{+rest}", "rest")
                .mime_type("text/x-rest")
                .handler(|all: Map<String>| async move {
                    format!("rest {}", all.get("rest").map_or("", String::as_str))
                }),
        )
        .resource("t:exact/1", "exact", async || "exact")
        .build()
        .unwrap()
}

async fn peers() -> [Peer; 3] {
    let server = server();
    [
        Peer::modern(&server),
        Peer::legacy(&server, "2025-11-25").await,
        Peer::legacy(&server, "2024-11-05").await,
    ]
}

#[tokio::test]
async fn resources_and_templates_are_listed() {
    for mut peer in peers().await {
        let list = peer.result("resources/list", json!({})).await;
        let motto = &list["resources"][0];
        assert_eq!(motto["uri"], "x:motto");
        assert_eq!(motto["name"], "motto");
        assert_eq!(motto["mimeType"], "text/plain");
        assert_eq!(motto["annotations"]["audience"], json!(["user"]));
        assert_eq!(list["resources"].as_array().unwrap().len(), 5);
        let list = peer.result("resources/templates/list", json!({})).await;
        let templates = list["resourceTemplates"].as_array().unwrap();
        assert_eq!(templates[0]["uriTemplate"], "t:{project}/{number}{?open}");
        assert_eq!(templates[1]["mimeType"], "text/x-rest");
    }
    let list = Peer::modern(&server())
        .result("resources/list", json!({}))
        .await;
    let motto = &list["resources"][0];
    assert_eq!(motto["size"], 15);
    assert_eq!(motto["title"], "Motto");
    assert_eq!(motto["icons"][0]["src"], "https://example.com/i.png");
}

#[tokio::test]
async fn contents_are_read() {
    for mut peer in peers().await {
        for (uri, contents) in [
            (
                "x:motto",
                json!([{ "text": "Keep it simple.", "uri": "x:motto", "mimeType": "text/plain" }]),
            ),
            (
                "x:logo",
                json!([{ "blob": "AQID", "uri": "x:logo", "mimeType": "image/png" }]),
            ),
            ("x:now", json!([{ "text": "x:now", "uri": "x:now" }])),
            (
                "x:both",
                json!([{ "text": "t", "uri": "x:both/1" }, { "blob": "Yg==", "uri": "x:both/2" }]),
            ),
            // Static resources take precedence over templates, and templates are tried in order.
            (
                "t:exact/1",
                json!([{ "text": "exact", "uri": "t:exact/1" }]),
            ),
            (
                "t:a%20b/7?open=true",
                json!([{ "text": "a b 7 Some(true)", "uri": "t:a%20b/7?open=true" }]),
            ),
            (
                "t:a/b/c",
                json!([{ "text": "rest a/b/c", "uri": "t:a/b/c", "mimeType": "text/x-rest" }]),
            ),
        ] {
            let result = peer.result("resources/read", json!({ "uri": uri })).await;
            assert_eq!(result["contents"], contents);
        }
    }
}

#[tokio::test]
async fn unknown_resource_is_reported_as_not_found() {
    let [modern, recent, oldest] = peers().await;
    for (mut peer, expected) in [(modern, -32602), (recent, -32002), (oldest, -32002)] {
        for uri in ["x:other", "t:a/0"] {
            let answer = peer.request("resources/read", json!({ "uri": uri })).await;
            assert_eq!(answer["error"]["code"], expected);
            assert_eq!(answer["error"]["data"], json!({ "uri": uri }));
        }
        let (code, message) = peer
            .error("resources/read", json!({ "uri": "t:a/many" }))
            .await;
        assert!(code == -32602 && message.contains("$.number"), "{message}");
    }
}
