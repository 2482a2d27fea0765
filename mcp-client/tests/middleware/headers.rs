//! The headers of requests that a middleware changed.

use mcp_client::middleware::{self, Next, Outcome, Request};
use mcp_client::types::json::Object;
use serde_json::json;

use super::builder;
use crate::http::fake::{FakeHttp, tools};
use crate::support::soon;

async fn change(request: Request, next: Next) -> Outcome {
    match request.method() {
        "tools/call" => {
            let city = Object::from([("city", "Oslo")]);
            let request = request.with_param("name", "where")?;
            next.run(request.with_param("arguments", &city)?).await
        }
        "resources/read" => next.run(request.with_param("uri", "file:///new")?).await,
        _ => next.run(request).await,
    }
}

#[tokio::test]
async fn headers_repeat_the_changed_params() {
    let mut fake = FakeHttp::start().await;
    let http = fake.http();
    let builder = builder().layer(middleware::from_fn(change));
    let client = fake.modern_with(http, builder).await;

    let listing = client.clone();
    let listing = tokio::spawn(async move { listing.tools().one_page().await.map(drop) });
    let city = json!({"city": {"type": "string", "x-mcp-header": "City"}});
    let tool = json!({"name": "where", "inputSchema": {"type": "object", "properties": city}});
    let asked = fake.message("tools/list").await;
    asked.result(&tools(&json!([tool]))).await;
    soon(listing).await.expect("no panic").expect("a list");

    let arguments = Object::from([("city", "Bergen")]);
    let call = client.call_tool("alias").arguments(arguments);
    let calling = tokio::spawn(call.into_future());
    let asked = fake.message("tools/call").await;
    assert_eq!(asked.body["params"]["name"], "where");
    assert_eq!(asked.header("mcp-name"), Some("where"));
    assert_eq!(asked.header("mcp-param-city"), Some("Oslo"));
    asked
        .result(&json!({"resultType": "complete", "content": []}))
        .await;
    soon(calling).await.expect("no panic").expect("a result");

    let reading = tokio::spawn(client.read_resource("file:///old").into_future());
    let asked = fake.message("resources/read").await;
    assert_eq!(asked.header("mcp-name"), Some("file:///new"));
    let contents =
        json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "contents": []});
    asked.result(&contents).await;
    soon(reading).await.expect("no panic").expect("contents");
}

#[tokio::test]
async fn version_header_repeats_the_changed_revision() {
    async fn change(request: Request, next: Next) -> Outcome {
        let mut meta: Object = request.param("_meta")?.unwrap_or_default();
        meta.insert("io.modelcontextprotocol/protocolVersion", "2025-11-25");
        next.run(request.with_param("_meta", &meta)?).await
    }
    let mut fake = FakeHttp::start().await;
    let http = fake.http();
    let builder = builder().layer(middleware::from_fn(change));
    let connecting = tokio::spawn(builder.connect(http));
    let asked = fake.message("server/discover").await;
    assert_eq!(asked.header("mcp-protocol-version"), Some("2025-11-25"));
    connecting.abort();
}
