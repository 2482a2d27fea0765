//! The bounded table of tools whose arguments are repeated in headers.

use mcp_client::Client;
use mcp_client::types::json::Object;
use serde_json::{Value, json};

use super::fake::*;

/// The length of the name of a header. The table holds it twice, and has room for 4 MiB: more than
/// 60, but less than 75 of such names.
const NAME: usize = 30_000;

/// A tool with arguments that are repeated in the headers with these names.
fn tool(name: &str, headers: &[String]) -> Value {
    let properties = headers.iter().enumerate().map(|(at, header)| {
        let schema = json!({"type": "string", "x-mcp-header": header});
        (at.to_string(), schema)
    });
    let properties: serde_json::Map<String, Value> = properties.collect();
    json!({"name": name, "inputSchema": {"type": "object", "properties": properties}})
}

async fn list(fake: &mut FakeHttp, client: &Client, list: &[Value]) {
    let client = client.clone();
    let listing = tokio::spawn(async move { client.tools().one_page().await });
    let asked = fake.message("tools/list").await;
    asked.result(&tools(&json!(list))).await;
    let listed = soon(listing).await.expect("no panic").expect("a list");
    assert_eq!(listed.tools.len(), list.len());
}

/// Calls a tool, and returns `true` if its first argument is repeated in a header.
async fn is_repeated(fake: &mut FakeHttp, client: &Client, tool: &str, header: &str) -> bool {
    let arguments: Object = serde_json::from_value(json!({"0": "x"})).expect("an object");
    let call = client.call_tool(tool).arguments(arguments);
    let calling = tokio::spawn(async move { call.await.map(drop) });
    let asked = fake.message("tools/call").await;
    let value = asked.header(&format!("mcp-param-{header}"));
    let value = value.map(str::to_owned);
    let done = json!({"resultType": "complete", "content": []});
    asked.result(&done).await;
    soon(calling).await.expect("no panic").expect("a result");
    assert!(
        value.as_deref().is_none_or(|value| value == "x"),
        "{value:?}"
    );
    value.is_some()
}

#[tokio::test]
async fn oldest_tools_are_evicted_when_names_exceed_the_total_size() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    let header = "a".repeat(NAME);
    let headers = [header.clone()];
    let offered: Vec<Value> = (0..100).map(|n| tool(&n.to_string(), &headers)).collect();
    list(&mut fake, &client, &offered).await;
    let mut known = Vec::new();
    for number in 0..100 {
        known.push(is_repeated(&mut fake, &client, &number.to_string(), &header).await);
    }
    let first = known
        .iter()
        .position(|known| *known)
        .expect("some are known");
    assert!((25..40).contains(&first), "{known:?}");
    assert!(known[first..].iter().all(|known| *known), "{known:?}");

    // A tool that is listed again counts as the newest; the next oldest one is evicted instead.
    list(&mut fake, &client, &offered[first..=first]).await;
    list(&mut fake, &client, &offered[..1]).await;
    for (number, known) in [
        (0, true),
        (first, true),
        (first + 1, false),
        (first + 2, true),
    ] {
        let repeated = is_repeated(&mut fake, &client, &number.to_string(), &header).await;
        assert_eq!(repeated, known, "{number} of {first}");
    }

    // A tool whose arguments are no longer repeated frees its space.
    list(&mut fake, &client, &[tool("99", &[])]).await;
    list(&mut fake, &client, &offered[1..2]).await;
    for (number, known) in [(1, true), (99, false), (first + 2, true)] {
        let repeated = is_repeated(&mut fake, &client, &number.to_string(), &header).await;
        assert_eq!(repeated, known, "{number} of {first}");
    }
}

#[tokio::test]
async fn tool_with_too_long_names_is_not_cached_and_evicts_no_other() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    let small = "a".to_owned();
    let long: Vec<String> = (0..100)
        .map(|n| format!("{}{n}", "a".repeat(NAME)))
        .collect();
    let offered = [
        tool("small", std::slice::from_ref(&small)),
        tool("huge", &long),
    ];
    list(&mut fake, &client, &offered).await;
    assert!(is_repeated(&mut fake, &client, "small", &small).await);
    assert!(!is_repeated(&mut fake, &client, "huge", &long[0]).await);
}

#[tokio::test]
async fn oldest_tools_are_evicted_when_there_are_too_many() {
    let mut fake = FakeHttp::start().await;
    let client = fake.modern().await;
    let headers = ["a".to_owned()];
    let offered: Vec<Value> = (0..4_097).map(|n| tool(&n.to_string(), &headers)).collect();
    list(&mut fake, &client, &offered).await;
    for (name, known) in [("0", false), ("1", true), ("4096", true)] {
        let repeated = is_repeated(&mut fake, &client, name, "a").await;
        assert_eq!(repeated, known, "{name}");
    }
}
