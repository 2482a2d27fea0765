//! The extension `io.modelcontextprotocol/ui`.

mod documents;
mod tools;

use std::future::ready;

use mcp_client::Client;
use mcp_client::types::json::Value;
use mcp_client::types::{MetaObject, TextResourceContents};
use mcp_host::apps::AppsHost;
use mcp_server::{ResourceDef, Server, ServerBuilder, ToolDef};
use serde_json::json;

use crate::serve;
use mcp_testkit::soon;

const TYPE: &str = "text/html;profile=mcp-app";

fn meta(ui: serde_json::Value) -> MetaObject {
    MetaObject::from([("ui", Value::from(ui))])
}

/// Returns a tool with this metadata, which may be malformed.
fn tool(name: &str, ui: serde_json::Value) -> ToolDef {
    let name = name.to_owned();
    let answer = name.clone();
    ToolDef::new(name)
        .meta(meta(ui))
        .handler(move || ready(answer.clone()))
}

/// Returns a server whose tool `show` has an app with these contents.
fn with_app(contents: TextResourceContents) -> ServerBuilder {
    let app = ResourceDef::new("ui://app", "app").handler(move || ready(contents.clone()));
    Server::builder("test", "1")
        .add_tool(tool("show", json!({ "resourceUri": "ui://app" })))
        .add_resource(app)
}

async fn connect(builder: ServerBuilder) -> (Client, AppsHost) {
    let server = builder.build().expect("valid");
    let client = Client::builder("host", "1").extension(AppsHost::extension());
    let client = soon(client.connect(serve(&server)))
        .await
        .expect("connected");
    let host = soon(AppsHost::load(&client)).await.expect("tools");
    (client, host)
}

async fn host(builder: ServerBuilder) -> AppsHost {
    connect(builder).await.1
}
