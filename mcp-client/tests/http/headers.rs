//! Headers of requests at the newest revision.

use mcp_client::types::Revision;
use mcp_client::types::json::Object;
use mcp_client::{CallError, Client, HttpError};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::fake::*;

fn tool(name: &str, properties: &Value) -> Value {
    json!({"name": name, "inputSchema": {"type": "object", "properties": properties}})
}

fn call(client: &Client, tool: &str, arguments: &Value) -> JoinHandle<Result<(), CallError>> {
    let arguments: Object = serde_json::from_value(arguments.clone()).expect("an object");
    let call = client.call_tool(tool).arguments(arguments);
    tokio::spawn(async move { call.await.map(drop) })
}

async fn list(fake: &mut FakeHttp, client: &Client, list: &Value) -> Vec<String> {
    let client = client.clone();
    let listing = tokio::spawn(async move { client.tools().one_page().await });
    fake.message("tools/list").await.result(&tools(list)).await;
    let list = soon(listing).await.expect("no panic").expect("a list");
    list.tools.into_iter().map(|tool| tool.name).collect()
}

fn done() -> Value {
    json!({"resultType": "complete", "content": []})
}

#[tokio::test]
async fn every_request_has_the_protocol_headers() {
    let mut fake = FakeHttp::start().await;
    let http = fake
        .http()
        .header("X-Tenant", "blue")
        .header("Mcp-Method", "mine");
    let client = fake.modern_with(http, Client::builder("test", "1")).await;
    let calling = call(&client, "fetch", &json!({}));
    let asked = fake.message("tools/call").await;
    for (name, value) in [
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("mcp-protocol-version", Revision::LATEST.as_str()),
        ("mcp-method", "tools/call"),
        ("mcp-name", "fetch"),
        ("x-tenant", "blue"),
    ] {
        assert_eq!(asked.header(name), Some(value), "{name}");
    }
    assert_eq!(asked.header("mcp-session-id"), None);
    asked.result(&done()).await;
    soon(calling).await.expect("no panic").expect("a result");

    let reading = client.clone();
    let reading = tokio::spawn(async move { reading.read_resource("file:///ü").await });
    let asked = fake.message("resources/read").await;
    assert_eq!(
        asked.header("mcp-name"),
        Some("=?base64?ZmlsZTovLy/DvA==?=")
    );
    let contents =
        json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "contents": []});
    asked.result(&contents).await;
    soon(reading).await.expect("no panic").expect("contents");
}

#[tokio::test]
async fn marked_arguments_are_sent_as_headers_once_the_list_is_known() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    let marked = json!({
        "city": {"type": "string", "x-mcp-header": "City"},
        "deep": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
        "flag": {"type": "boolean", "x-mcp-header": "Flag"},
        "gone": {"type": "string", "x-mcp-header": "Gone"},
        "nil": {"type": "string", "x-mcp-header": "Nil"},
    });
    assert_eq!(
        list(&mut fake, &client, &json!([tool("where", &marked)])).await,
        ["where"]
    );
    let arguments = json!({"city": "Zürich", "deep": {"n": -7}, "flag": false, "nil": null});
    let calling = call(&client, "where", &arguments);
    let asked = fake.message("tools/call").await;
    assert_eq!(
        asked.header("mcp-param-city"),
        Some("=?base64?WsO8cmljaA==?=")
    );
    assert_eq!(asked.header("mcp-param-n"), Some("-7"));
    assert_eq!(asked.header("mcp-param-flag"), Some("false"));
    assert_eq!(asked.header("mcp-param-gone"), None);
    assert_eq!(asked.header("mcp-param-nil"), None);
    asked.result(&done()).await;
    soon(calling).await.expect("no panic").expect("a result");

    let error = call(&client, "where", &json!({"city": ["Zürich"]}));
    let error = soon(error)
        .await
        .expect("no panic")
        .expect_err("unexpected list");
    assert!(matches!(http(&error), HttpError::Param(_)), "{error}");

    // A newer list has other marks.
    list(&mut fake, &client, &json!([tool("where", &json!({}))])).await;
    let calling = call(&client, "where", &arguments);
    let asked = fake.message("tools/call").await;
    assert_eq!(asked.header("mcp-param-city"), None);
    asked.result(&done()).await;
    soon(calling).await.expect("no panic").expect("a result");
}

#[tokio::test]
async fn tool_with_invalid_header_marks_is_omitted_from_the_list() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    let offered = json!([
        tool("first", &json!({"a": {"type": "string"}})),
        tool(
            "number",
            &json!({"a": {"type": "number", "x-mcp-header": "A"}})
        ),
        tool(
            "space",
            &json!({"a": {"type": "string", "x-mcp-header": "A B"}})
        ),
        tool(
            "items",
            &json!({"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}})
        ),
        tool(
            "last",
            &json!({"a": {"type": "string", "x-mcp-header": "A"}})
        ),
    ]);
    let list = list(&mut fake, &client, &offered);
    assert_eq!(list.await, ["first", "last"]);
}

#[tokio::test]
async fn call_without_a_required_header_is_retried_after_listing() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    let calling = call(&client, "where", &json!({"city": "Bern"}));
    let asked = fake.message("tools/call").await;
    assert_eq!(asked.header("mcp-param-city"), None);
    asked.error("400 Bad Request", -32020).await;
    let mut first = tools(&json!([tool("other", &json!({}))]));
    first["nextCursor"] = json!("2");
    fake.message("tools/list").await.result(&first).await;
    let asked = fake.message("tools/list").await;
    assert_eq!(asked.body["params"]["cursor"], "2");
    let marked = json!({"city": {"type": "string", "x-mcp-header": "City"}});
    asked.result(&tools(&json!([tool("where", &marked)]))).await;
    let asked = fake.message("tools/call").await;
    assert_eq!(asked.header("mcp-param-city"), Some("Bern"));
    asked.result(&done()).await;
    soon(calling).await.expect("no panic").expect("a result");

    // If the new list has no new marks, the error of the server is returned.
    let calling = call(&client, "where", &json!({"city": "Bern"}));
    fake.message("tools/call")
        .await
        .error("400 Bad Request", -32020)
        .await;
    fake.message("tools/list")
        .await
        .result(&tools(&json!([tool("where", &marked)])))
        .await;
    let error = soon(calling).await.expect("no panic").expect_err("refused");
    assert!(
        matches!(&error, CallError::Refused { source, .. } if source.code == -32020),
        "{error}"
    );
}
