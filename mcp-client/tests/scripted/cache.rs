//! What is cached, for which clients, and for how long.

use std::time::Duration;

use mcp_client::types::Revision;
use mcp_client::types::json::Object;
use mcp_client::{Cache, CallError, Client, ClientBuilder};
use tokio::time::advance;

use super::fake::{FakeStream, text};

fn builder(cache: Cache) -> ClientBuilder {
    Client::builder("test", "1.0.0").cache(cache)
}

/// A server whose results are valid for a second, and contain the number of requests.
fn counting(scope: &str) -> impl FnMut(&str, &Object) -> String + Send + 'static {
    let hints = format!(r#""resultType":"complete","ttlMs":1000,"cacheScope":"{scope}""#);
    let mut times = 0;
    move |method, params| {
        times += 1;
        match method {
            "tools/list" => {
                let next = match text(params, "cursor") {
                    None => r#","nextCursor":"2""#,
                    Some(_) => "",
                };
                let tool = format!(r#"{{"name":"{times}","inputSchema":{{"type":"object"}}}}"#);
                format!(r#""result":{{"tools":[{tool}]{next},{hints}}}"#)
            }
            "prompts/list" => format!(r#""result":{{"prompts":[],{hints}}}"#),
            "resources/read" => {
                let uri = text(params, "uri").unwrap_or_default();
                format!(r#""result":{{"contents":[{{"uri":"{uri}","text":"{times}"}}],{hints}}}"#)
            }
            // Results of tool calls are never cached, whatever the server says.
            _ => format!(r#""result":{{"content":[],{hints}}}"#),
        }
    }
}

async fn connect(cache: Cache, scope: &str) -> FakeStream {
    FakeStream::connect(Revision::LATEST, builder(cache), counting(scope)).await
}

/// Lists the tools of the first page.
async fn tools(client: &Client) -> String {
    let page = client.tools().one_page().await.expect("a page");
    page.tools.iter().map(|tool| &*tool.name).collect()
}

#[tokio::test(start_paused = true)]
async fn cached_result_is_used_until_its_ttl_ends() {
    let mut fake = connect(Cache::new(), "private").await;
    assert_eq!(tools(&fake.client).await, "1");
    advance(Duration::from_millis(999)).await;
    assert_eq!(tools(&fake.client).await, "1", "still fresh");
    assert_eq!(fake.asked().len(), 1);
    advance(Duration::from_millis(1)).await;
    assert_eq!(tools(&fake.client).await, "2", "stale");
    let page = fake
        .client
        .tools()
        .one_page()
        .fresh()
        .await
        .expect("a page");
    assert_eq!(page.tools[0].name, "3", "asked for afresh");
    assert_eq!(tools(&fake.client).await, "3", "and kept");

    // Each page is cached separately; tool calls are executed each time.
    fake.asked();
    for _ in 0..2 {
        let listed = fake.client.tools().all().await.expect("a list");
        assert_eq!(listed.items.len(), 2);
        fake.client.call_tool("act").await.expect("an answer");
    }
    let methods: Vec<_> = fake.asked().into_iter().map(|(method, _)| method).collect();
    assert_eq!(methods, ["tools/list", "tools/call", "tools/call"]);
}

#[tokio::test(start_paused = true)]
async fn cache_limits_work_at_extreme_values() {
    for (cache, reads, kept) in [
        // More than the default.
        (Cache::new().entries(usize::MAX), 300, true),
        (Cache::new().bytes(usize::MAX), 100, true),
        (
            Cache::new().entries(usize::MAX).bytes(usize::MAX),
            300,
            true,
        ),
        (Cache::new().entries(0), 100, false),
        (Cache::new().bytes(0), 100, false),
        (Cache::new().entries(0).bytes(0), 100, false),
    ] {
        let mut fake = connect(cache.clone(), "private").await;
        for at in 0..reads {
            let uri = format!("test://{at}");
            fake.client.read_resource(uri).await.expect("contents");
        }
        assert_eq!(fake.asked().len(), reads);
        fake.client
            .read_resource("test://0")
            .await
            .expect("contents");
        assert_eq!(fake.asked().is_empty(), kept, "{cache:?}");
        // Results are evicted when the limit is reduced later.
        let cache = cache.entries(0);
        assert!(
            format!("{cache:?}").contains("entries: 0, bytes: 0"),
            "{cache:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_cached_without_a_cache_or_at_older_revisions() {
    let plain = Client::builder("test", "1.0.0");
    let mut fake = FakeStream::connect(Revision::LATEST, plain, counting("public")).await;
    assert_eq!(tools(&fake.client).await, "1");
    assert_eq!(tools(&fake.client).await, "2");
    assert_eq!(fake.asked().len(), 2);
    let older = Revision::V2025_11_25;
    let mut fake = FakeStream::connect(older, builder(Cache::new()), counting("public")).await;
    assert_eq!(tools(&fake.client).await, "1");
    assert_eq!(tools(&fake.client).await, "2");
    assert_eq!(fake.asked().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn results_of_different_params_are_cached_separately() {
    let mut fake = connect(Cache::new(), "private").await;
    let client = fake.client.clone();
    for uri in ["file:///a", "file:///b", "file:///a"] {
        client.read_resource(uri).await.expect("contents");
    }
    assert_eq!(fake.asked().len(), 2);
    // A trace does not affect the result; other members of `_meta` may.
    let read = || client.read_resource("file:///a");
    read().traceparent("00-1-2-01").await.expect("contents");
    read().on_progress(drop).await.expect("contents");
    assert_eq!(fake.asked().len(), 0);
    read()
        .meta("com.example/tenant", 7)
        .await
        .expect("contents");
    assert_eq!(fake.asked().len(), 1);
    // A call that continues after input requests is not cached.
    for _ in 0..2 {
        read().request_state("x").await.expect("contents");
    }
    assert_eq!(fake.asked().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn change_notification_removes_cached_results() {
    let mut fake = connect(Cache::new(), "private").await;
    let client = fake.client.clone();
    let fill = async || {
        tools(&client).await;
        client.prompts().one_page().await.expect("a page");
        for uri in ["file:///a/b", "file:///c"] {
            client.read_resource(uri).await.expect("contents");
        }
    };
    fill().await;
    assert_eq!(fake.asked().len(), 4);
    let cases = [
        ("notifications/tools/list_changed", "{}", "tools/list"),
        ("notifications/prompts/list_changed", "{}", "prompts/list"),
        (
            "notifications/resources/updated",
            r#"{"uri":"file:///a"}"#,
            "resources/read",
        ),
    ];
    for (notification, params, dropped) in cases {
        fake.notify(notification, params).await;
        fill().await;
        let asked: Vec<_> = fake.asked();
        assert_eq!(asked.len(), 1, "{notification}: {asked:?}");
        assert_eq!(asked[0].0, dropped);
    }
    fake.client.forget_cached();
    fill().await;
    assert_eq!(fake.asked().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn private_results_are_not_shared() {
    for (scope, shared) in [("private", false), ("public", true)] {
        let cache = Cache::new();
        let one = connect(cache.of("here"), scope).await;
        assert_eq!(tools(&one.client).await, "1");
        for (cache, shared) in [
            (cache.of("here"), shared),
            (cache.of("there"), false),
            (cache.clone(), false),
        ] {
            let mut other = connect(cache, scope).await;
            assert_eq!(tools(&other.client).await, "1");
            assert_eq!(other.asked().is_empty(), shared, "{scope}");
        }
        // A notification to one client applies to all.
        let mut one = one;
        one.asked();
        one.notify("notifications/tools/list_changed", "{}").await;
        let mut other = connect(cache.of("here"), scope).await;
        tools(&other.client).await;
        assert_eq!(other.asked().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn cache_is_bounded() {
    let mut fake = connect(Cache::new().entries(2), "private").await;
    let client = fake.client.clone();
    let read = async |uri: &str| client.read_resource(uri).await.map(drop);
    for uri in ["file:///a", "file:///b", "file:///a", "file:///c"] {
        read(uri).await.expect("contents");
    }
    assert_eq!(fake.asked().len(), 3);
    read("file:///a").await.expect("contents");
    assert_eq!(fake.asked().len(), 0, "used last");
    read("file:///b").await.expect("contents");
    assert_eq!(fake.asked().len(), 1, "made room");

    let mut fake = connect(Cache::new().bytes(10), "private").await;
    tools(&fake.client).await;
    tools(&fake.client).await;
    assert_eq!(fake.asked().len(), 2, "too large to be kept");
}

#[tokio::test(start_paused = true)]
async fn missing_cache_members_have_the_specified_defaults() {
    let results = [
        r#"{"tools":[]}"#,
        r#"{"tools":[],"resultType":"complete","ttlMs":-5,"cacheScope":"public"}"#,
        r#"{"tools":[],"resultType":"complete","ttlMs":0,"cacheScope":"public"}"#,
    ];
    for result in results {
        let answer = move |_: &str, _: &_| format!(r#""result":{result}"#);
        let mut fake = FakeStream::connect(Revision::LATEST, builder(Cache::new()), answer).await;
        for _ in 0..2 {
            let page = fake.client.tools().one_page().await.expect("a page");
            assert_eq!(page.ttl_ms, 0);
        }
        assert_eq!(fake.asked().len(), 2, "{result}");
    }
    // Present members must be valid.
    let answer = |_: &str, _: &_| {
        r#""result":{"tools":[],"resultType":"other","ttlMs":0,"cacheScope":"public"}"#.to_owned()
    };
    let fake = FakeStream::connect(Revision::LATEST, builder(Cache::new()), answer).await;
    for error in [
        fake.client.tools().one_page().await.expect_err("no page"),
        fake.client.tools().all().await.expect_err("no page"),
    ] {
        let CallError::ResultType { result_type, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(result_type, "other");
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_cursor_restarts_the_list() {
    let mut times = 0;
    let mut fake =
        FakeStream::connect(Revision::LATEST, builder(Cache::new()), move |_, params| {
            times += 1;
            let hints = r#""resultType":"complete","ttlMs":60000,"cacheScope":"private""#;
            let tool = format!(r#"{{"name":"{times}","inputSchema":{{"type":"object"}}}}"#);
            match text(params, "cursor") {
                None => {
                    format!(r#""result":{{"tools":[{tool}],"nextCursor":"at-{times}",{hints}}}"#)
                }
                Some("at-1") => r#""error":{"code":-32602,"message":"not a cursor"}"#.to_owned(),
                Some(_) => format!(r#""result":{{"tools":[{tool}],{hints}}}"#),
            }
        })
        .await;
    assert_eq!(tools(&fake.client).await, "1");
    let listed = fake.client.tools().all().await.expect("a list");
    let names: Vec<_> = listed.items.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["3", "4"]);
    assert_eq!(fake.asked().len(), 4);
}
