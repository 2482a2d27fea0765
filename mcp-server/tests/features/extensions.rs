//! Extensions that a program adds to its server.

use mcp_server::middleware::{self, Next, Outcome, Request};
use mcp_server::types::{EmptyResult, JsonObject, Sender};
use mcp_server::{
    BuildError, Extension, ExtensionSettings, Negotiated, NotificationParams, Params, Server,
    ServerExtension,
};
use serde_json::json;

use crate::support::peer::Peer;

const AUDIT: &str = "com.example/audit";
const TRACE: &str = "com.example/trace";

struct Record;

impl mcp_server::types::Request for Record {
    const METHOD: &'static str = "com.example/audit/record";
    const SENDER: Sender = Sender::Client;
    type Params = JsonObject;
    type Result = JsonObject;
}

struct Flush;

impl mcp_server::types::Notification for Flush {
    const METHOD: &'static str = "com.example/audit/flush";
    const SENDER: Sender = Sender::Client;
    type Params = JsonObject;
}

#[derive(serde::Deserialize)]
struct Audit {
    level: u8,
}

impl ExtensionSettings for Audit {
    const IDENTIFIER: &'static str = AUDIT;
}

async fn record(
    Params(entry): Params<Record>,
    Negotiated(audit): Negotiated<Audit>,
    trace: Option<Extension<String>>,
) -> JsonObject {
    let trace = trace.map(|Extension(trace)| trace);
    JsonObject::from([
        ("level", audit.level.to_string()),
        ("members", entry.len().to_string()),
        ("trace", trace.unwrap_or_default()),
    ])
}

async fn attach_trace(request: Request, next: Next) -> Outcome {
    match request.meta::<String>(TRACE)? {
        Some(trace) => next.run(request.with_extension(trace)).await,
        None => next.run(request).await,
    }
}

fn audit() -> ServerExtension {
    ServerExtension::new(AUDIT)
        .settings(&json!({ "kept": "90 days" }))
        .on(record)
        .on_notification::<Flush, _, _>(|_: NotificationParams<Flush>| async {})
        .meta_key(TRACE)
        .layer(middleware::from_fn(attach_trace))
}

fn server() -> Server {
    let level = |audit: Option<Negotiated<Audit>>| async move {
        audit.map_or("none".to_owned(), |Negotiated(audit)| {
            audit.level.to_string()
        })
    };
    let builder = Server::builder("test", "1").extension(audit());
    builder.tool("level", "", level).build().unwrap()
}

#[tokio::test]
async fn extension_is_announced_and_serves_its_methods_in_every_era() {
    for modern in [true, false] {
        let server = server();
        let mut peer = Peer::modern(&server);
        if !modern {
            peer = Peer::raw(&server);
        }
        peer.capabilities = json!({ "extensions": { AUDIT: { "level": 3 } } });
        if modern {
            let discovered = peer.result("server/discover", json!({})).await;
            let announced = &discovered["capabilities"]["extensions"][AUDIT];
            assert_eq!(announced, &json!({ "kept": "90 days" }), "{discovered}");
        } else {
            peer.handshake("2025-11-25").await;
            let announced = &peer.announced["extensions"][AUDIT];
            assert_eq!(announced, &json!({ "kept": "90 days" }));
        }
        let result = peer
            .result("com.example/audit/record", json!({ "a": 1 }))
            .await;
        assert_eq!(result["level"], "3", "{result}");
        let result = peer.call("level", json!({})).await;
        assert_eq!(result["content"][0]["text"], "3");
    }
}

#[tokio::test]
async fn client_without_the_extension_gets_its_name() {
    let mut peer = Peer::modern(&server());
    let answer = peer.request("com.example/audit/record", json!({})).await;
    let error = &answer["error"];
    assert_eq!(error["code"], -32021, "{answer}");
    let required = &error["data"]["requiredCapabilities"]["extensions"][AUDIT];
    assert_eq!(required, &json!({}), "{answer}");
    let result = peer.call("level", json!({})).await;
    assert_eq!(result["content"][0]["text"], "none");
    peer.capabilities = json!({ "extensions": { AUDIT: { "level": "high" } } });
    let (code, message) = peer.error("com.example/audit/record", json!({})).await;
    assert_eq!(code, -32602);
    assert!(
        message.contains(AUDIT) && message.contains("level"),
        "{message}"
    );
}

#[tokio::test]
async fn middleware_of_the_extension_reads_its_meta_key() {
    let mut peer = Peer::modern(&server());
    let capabilities = json!({ "extensions": { AUDIT: { "level": 3 } } });
    let params = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        TRACE: "t-1",
    } });
    let result = peer.result("com.example/audit/record", params).await;
    assert_eq!(result["trace"], "t-1");
}

struct ListTools;

impl mcp_server::types::Request for ListTools {
    const METHOD: &'static str = "tools/list";
    const SENDER: Sender = Sender::Client;
    type Params = JsonObject;
    type Result = EmptyResult;
}

#[test]
fn build_refuses_names_twice_and_names_of_the_protocol() {
    let errors = Server::builder("test", "1")
        .extension(audit())
        .extension(audit())
        .build()
        .expect_err("everything occurs twice");
    let names: Vec<String> = errors.errors().iter().map(ToString::to_string).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    for expected in [
        AUDIT,
        TRACE,
        "com.example/audit/record",
        "com.example/audit/flush",
    ] {
        assert!(
            names
                .iter()
                .any(|name| name.contains(&format!("`{expected}`"))),
            "{names:?}"
        );
    }
    let list = |_: Params<ListTools>| async { EmptyResult::new() };
    let extensions = [
        ServerExtension::new("audit"),
        ServerExtension::new(AUDIT).on(list),
        ServerExtension::new(AUDIT).settings(&[1]),
        ServerExtension::new(AUDIT).meta_key("io.modelcontextprotocol/trace"),
        ServerExtension::new(AUDIT).meta_key("trace"),
    ];
    for extension in extensions {
        let shown = format!("{extension:?}");
        let errors = Server::builder("test", "1").extension(extension).build();
        let errors = errors.expect_err(&shown);
        let [
            BuildError::Invalid {
                kind: "extension", ..
            },
        ] = errors.errors()
        else {
            panic!("{shown}: {errors}");
        };
    }
}
