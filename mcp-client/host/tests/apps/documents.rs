//! The documents of apps, and their policies.

use mcp_client::types::{Base64Text, BlobResourceContents, TextResourceContents};
use mcp_host::apps::{App, AppError, DomainFault, UiResourceCsp, content_security_policy};
use mcp_server::{ResourceDef, Server};
use serde_json::json;

use super::{TYPE, host, meta, tool, with_app};
use mcp_testkit::soon;

const HTML: &str = "<!doctype html>";

fn contents() -> TextResourceContents {
    TextResourceContents::new("ui://app", HTML).mime_type(TYPE)
}

async fn open(contents: TextResourceContents) -> Result<App, AppError> {
    soon(host(with_app(contents)).await.open("show")).await
}

/// Returns the app with this metadata.
async fn with_ui(ui: serde_json::Value) -> Result<App, AppError> {
    open(contents().meta(meta(ui))).await
}

const STRICT: &str = "default-src 'none'; script-src 'self' 'unsafe-inline'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; \
    media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; \
    form-action 'none'; base-uri 'self'";

#[tokio::test]
async fn app_without_metadata_may_do_nothing() {
    for other in [
        json!({}),
        json!({ "csp": null, "other": 1 }),
        json!({ "csp": { "connectDomains": null } }),
    ] {
        let app = with_ui(other).await.expect("an app");
        assert_eq!(app.html, HTML);
        assert_eq!(app.content_security_policy(), STRICT);
        assert_eq!(app.allow(), "");
    }
}

#[tokio::test]
async fn policy_has_the_declared_domains_and_the_frame_the_permissions() {
    let app = with_ui(json!({
        "csp": {
            "connectDomains": ["https://api.example.com", "wss://live.example.com"],
            "resourceDomains": ["https://*.example.com"],
            "frameDomains": ["https://video.example.com"],
            "baseUriDomains": ["https://cdn.example.com"],
        },
        "permissions": { "camera": {}, "microphone": false, "clipboardWrite": {}, "usb": {} },
        "domain": "app.example.com",
        "prefersBorder": true,
    }))
    .await
    .expect("an app");
    assert_eq!(
        app.content_security_policy(),
        "default-src 'none'; script-src 'self' 'unsafe-inline' https://*.example.com; \
         style-src 'self' 'unsafe-inline' https://*.example.com; \
         img-src 'self' data: https://*.example.com; font-src 'self' https://*.example.com; \
         media-src 'self' data: https://*.example.com; \
         connect-src https://api.example.com wss://live.example.com; \
         frame-src https://video.example.com; object-src 'none'; form-action 'none'; \
         base-uri https://cdn.example.com"
    );
    assert_eq!(app.allow(), "camera; clipboard-write");
    assert_eq!(app.meta.domain.as_deref(), Some("app.example.com"));
    assert_eq!(app.meta.prefers_border, Some(true));
}

#[tokio::test]
async fn domain_cannot_add_a_directive() {
    for domain in [
        "https://a.example; script-src *",
        "https://a.example, default-src *",
        "https://a.example 'unsafe-eval'",
        "https://a.example\" onload=\"x",
        "https://a.example\r\nX: y",
        "*",
        "'self'",
        "https:",
    ] {
        for member in [
            "connectDomains",
            "resourceDomains",
            "frameDomains",
            "baseUriDomains",
        ] {
            let refused = with_ui(json!({ "csp": { member: [domain] } })).await;
            let Err(AppError::Domain { source, .. }) = refused else {
                panic!("{domain}: {refused:?}");
            };
            assert_eq!((source.member, &*source.domain), (member, domain));
        }
        let csp = UiResourceCsp::new().connect_domains(["https://a.example", domain]);
        assert_eq!(content_security_policy(Some(&csp)), STRICT);
    }
    let many: Vec<String> = (0..65).map(|n| format!("https://{n}.example")).collect();
    let refused = with_ui(json!({ "csp": { "connectDomains": many } })).await;
    let Err(AppError::Domain { source, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(source.fault, DomainFault::Number);
}

#[tokio::test]
async fn metadata_of_the_list_is_used_if_the_contents_have_none() {
    let ui = json!({ "csp": { "connectDomains": ["https://api.example.com"] } });
    let listed = ResourceDef::new("ui://app", "app")
        .meta(meta(ui.clone()))
        .handler(async || contents());
    let builder = Server::builder("test", "1")
        .add_tool(tool("show", json!({ "resourceUri": "ui://app" })))
        .add_resource(ResourceDef::text("ui://other", "other", ""));
    let app = soon(host(builder.add_resource(listed)).await.open("show"))
        .await
        .expect("an app");
    assert!(
        app.content_security_policy()
            .contains("connect-src https://api.example.com;")
    );

    let own = contents().meta(meta(json!({ "prefersBorder": true })));
    let listed = ResourceDef::new("ui://app", "app")
        .meta(meta(ui))
        .handler(move || std::future::ready(own.clone()));
    let builder = Server::builder("test", "1")
        .add_tool(tool("show", json!({ "resourceUri": "ui://app" })))
        .add_resource(listed);
    let app = soon(host(builder).await.open("show"))
        .await
        .expect("an app");
    assert_eq!(app.content_security_policy(), STRICT);
}

#[tokio::test]
async fn other_documents_are_refused() {
    for media_type in ["text/html", "text/html;profile=other", "application/json"] {
        let refused = open(contents().mime_type(media_type)).await;
        let Err(AppError::MediaType { found, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(found, media_type);
    }
    let written = open(contents().mime_type("Text/HTML; profile=\"mcp-app\"")).await;
    written.expect("the same media type");
    let refused = open(TextResourceContents::new("ui://other", HTML).mime_type(TYPE)).await;
    assert!(
        matches!(refused, Err(AppError::Contents { .. })),
        "{refused:?}"
    );
    for ui in [
        json!([]),
        json!({ "csp": "https://a.example" }),
        json!({ "csp": { "frameDomains": [1] } }),
    ] {
        let refused = with_ui(ui).await;
        assert!(matches!(refused, Err(AppError::Meta { .. })), "{refused:?}");
    }
    let host = host(with_app(contents())).await;
    soon(host.clone().max_bytes(HTML.len()).open("show"))
        .await
        .expect("not larger");
    let refused = soon(host.max_bytes(HTML.len() - 1).open("show")).await;
    assert!(
        matches!(
            refused,
            Err(AppError::TooLarge {
                limit: 14,
                found: 15,
                ..
            })
        ),
        "{refused:?}"
    );
}

#[tokio::test]
async fn document_may_be_a_blob() {
    for (bytes, is_text) in [(HTML.as_bytes(), true), (b"\xff", false)] {
        let blob = BlobResourceContents::new("ui://app", Base64Text::encode(bytes)).mime_type(TYPE);
        let app =
            ResourceDef::new("ui://app", "app").handler(move || std::future::ready(blob.clone()));
        let builder = Server::builder("test", "1")
            .add_tool(tool("show", json!({ "resourceUri": "ui://app" })))
            .add_resource(app);
        let opened = soon(host(builder).await.open("show")).await;
        match opened {
            Ok(app) => assert!(is_text && app.html == HTML),
            Err(error) => assert!(!is_text && matches!(error, AppError::Contents { .. })),
        }
    }
}

#[tokio::test]
async fn tool_names_its_app_by_a_ui_uri() {
    let mut old = tool("old", json!(null));
    let key = [(
        "ui/resourceUri",
        mcp_client::types::json::Value::from("ui://app"),
    )];
    old = old.meta(key.into());
    let builder = with_app(contents())
        .add_tool(old)
        .add_tool(tool(
            "web",
            json!({ "resourceUri": "https://example.com/" }),
        ))
        .add_tool(tool("none", json!({})))
        .add_tool(tool("malformed", json!({ "resourceUri": 3 })));
    let host = host(builder).await;
    soon(host.open("old"))
        .await
        .expect("the key of older servers");
    let refused = soon(host.open("web")).await;
    assert!(
        matches!(refused, Err(AppError::Scheme { .. })),
        "{refused:?}"
    );
    let refused = soon(host.open("none")).await;
    assert!(
        matches!(refused, Err(AppError::NoApp { .. })),
        "{refused:?}"
    );
    let refused = soon(host.open("malformed")).await;
    assert!(
        matches!(refused, Err(AppError::ToolMeta { .. })),
        "{refused:?}"
    );
    let refused = soon(host.open("unknown")).await;
    assert!(
        matches!(refused, Err(AppError::UnknownTool { .. })),
        "{refused:?}"
    );
}
