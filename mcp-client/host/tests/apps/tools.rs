//! Which tools the model and the apps may call.

use mcp_client::Client;
use mcp_client::types::{Revision, TextResourceContents};
use mcp_host::apps::{AppError, AppsHost};
use mcp_server::Server;
use mcp_testkit::soon;
use serde_json::json;

use super::{TYPE, connect, host, tool, with_app};
use crate::serve;

fn app() -> TextResourceContents {
    TextResourceContents::new("ui://app", "<!doctype html>").mime_type(TYPE)
}

#[tokio::test]
async fn client_announces_that_it_shows_apps() {
    let announced = async |cx: mcp_server::Context| {
        let extensions = cx.peer().capabilities().extensions.clone();
        serde_json::to_string(&extensions).expect("JSON")
    };
    let server = Server::builder("demo", "1").tool("announced", "Repeats", announced);
    let server = server.build().expect("valid");
    let expected = json!({ "io.modelcontextprotocol/ui": { "mimeTypes": [TYPE] } });
    for revision in [Revision::LATEST, Revision::V2025_11_25] {
        let builder = Client::builder("host", "1").revision(revision);
        let builder = builder.extension(AppsHost::extension());
        let client = soon(builder.connect(serve(&server)))
            .await
            .expect("connected");
        let result = soon(client.call_tool("announced")).await.expect("a result");
        let found: serde_json::Value = serde_json::from_str(&result.text()).expect("JSON");
        assert_eq!(found, expected, "{revision}");
    }
}

#[tokio::test]
async fn model_and_apps_get_the_tools_for_them() {
    let builder = with_app(app())
        .add_tool(tool("for_app", json!({ "visibility": ["app"] })))
        .add_tool(tool("for_model", json!({ "visibility": ["model"] })))
        .add_tool(tool(
            "for_both",
            json!({ "visibility": ["model", "app", "other"] }),
        ))
        .add_tool(tool("for_others", json!({ "visibility": ["other"] })))
        .add_tool(tool("malformed", json!({ "visibility": "app" })))
        .add_tool(tool("text", json!("text")))
        .add_tool(tool("null", json!(null)));
    let host = host(builder).await;
    let for_model: Vec<&str> = host.model_tools().map(|tool| &*tool.name).collect();
    assert_eq!(for_model, ["show", "for_model", "for_both", "null"]);
    assert_eq!(host.tools().len(), 8);

    let app = soon(host.open("show")).await.expect("an app");
    for name in ["show", "for_app", "for_both", "null"] {
        let call = host.call_from(&app, name).expect(name);
        assert_eq!(soon(call).await.expect("a result").text(), name);
    }
    for name in ["for_model", "for_others", "malformed", "text"] {
        let refused = host.call_from(&app, name).map(drop);
        let Err(AppError::NotForApps { tool }) = refused else {
            panic!("{name}: {refused:?}");
        };
        assert_eq!(tool, name);
    }
    let refused = host.call_from(&app, "unknown").map(drop);
    assert!(
        matches!(refused, Err(AppError::UnknownTool { .. })),
        "{refused:?}"
    );

    // A model may name a tool that it was not offered.
    for name in for_model {
        let call = host.call_from_model(name).expect(name);
        assert_eq!(soon(call).await.expect("a result").text(), name);
    }
    for name in ["for_app", "for_others", "malformed", "text"] {
        let refused = host.call_from_model(name).map(drop);
        let Err(AppError::NotForModel { tool }) = refused else {
            panic!("{name}: {refused:?}");
        };
        assert_eq!(tool, name);
    }
    let refused = host.call_from_model("unknown").map(drop);
    assert!(
        matches!(refused, Err(AppError::UnknownTool { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn app_calls_no_tool_of_another_server() {
    let (client, first) = connect(with_app(app())).await;
    let second = host(with_app(app())).await;
    let shown = soon(first.open("show")).await.expect("an app");
    let refused = second.call_from(&shown, "show").map(drop);
    assert!(
        matches!(refused, Err(AppError::OtherServer { .. })),
        "{refused:?}"
    );
    // After a change of the list, the app stays that of its server.
    let again = soon(AppsHost::load(&client)).await.expect("tools");
    soon(again.call_from(&shown, "show").expect("permitted"))
        .await
        .expect("a result");
}
