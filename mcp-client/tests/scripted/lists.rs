//! Paginated lists: from `mcp-server`, and from servers with errors.

use super::fake::{FakeStream, text};
use crate::support::serve;
use mcp_client::types::Revision;
use mcp_client::types::revision::VersionError;
use mcp_client::{CallError, Client, Limits, ListError};
use mcp_server::Server;

const LATEST: &str = r#","resultType":"complete","ttlMs":0,"cacheScope":"private""#;

/// Returns a page of tools at a revision.
fn page(revision: Revision, tools: &str, next: Option<&str>) -> String {
    let next = next.map_or(String::new(), |next| format!(r#","nextCursor":"{next}""#));
    let more = if revision.is_modern() { LATEST } else { "" };
    format!(r#""result":{{"tools":[{tools}]{next}{more}}}"#)
}

fn tool(name: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#)
}

fn builder() -> mcp_client::ClientBuilder {
    Client::builder("test", "1.0.0")
}

#[tokio::test]
async fn all_pages_of_our_server_are_listed_in_order() {
    let mut server = Server::builder("many", "1.0.0").page_size(3);
    for number in 0..10 {
        let name = format!("tool-{number}");
        server = server.tool(name, "", async || "");
    }
    let server = server.build().expect("the definition is valid");
    let client = builder().connect(serve(&server)).await;
    let client = client.expect("the server answers");
    let listed = client.tools().all().await.expect("a list");
    let names: Vec<String> = listed.items.into_iter().map(|tool| tool.name).collect();
    let expected: Vec<String> = (0..10).map(|number| format!("tool-{number}")).collect();
    assert_eq!(names, expected);
    assert!(listed.faults.is_empty());
}

#[tokio::test]
async fn list_says_whose_it_is_and_whether_it_has_ended() {
    let server = Server::builder("few", "1.0.0").tool("one", "", async || "");
    let server = server.build().expect("the definition is valid");
    let client = builder().connect(serve(&server)).await;
    let mut tools = client.expect("the server answers").tools();
    let shown = |ended| format!(r#"List {{ method: "tools/list", ended: {ended}, .. }}"#);
    assert_eq!(format!("{tools:?}"), shown(false));
    while let Some(tool) = tools.next().await {
        tool.expect("a tool");
    }
    assert_eq!(format!("{tools:?}"), shown(true));
}

#[tokio::test]
async fn malformed_element_does_not_hide_the_others() {
    for &revision in Revision::ALL {
        let mut fake = FakeStream::connect(revision, builder(), move |_, params| {
            let bad = r#"{"name":"broken","inputSchema":7},17"#;
            match text(params, "cursor") {
                None => page(
                    revision,
                    &format!("{},{bad},{}", tool("a"), tool("b")),
                    Some(""),
                ),
                Some(_) => page(
                    revision,
                    &format!("{},{{\"description\":\"\"}}", tool("c")),
                    None,
                ),
            }
        })
        .await;
        let listed = fake.client.tools().all().await.expect("a list");
        let names: Vec<_> = listed.items.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["a", "b", "c"], "{revision}");
        let [broken, number, nameless] = &listed.faults[..] else {
            panic!("{revision}: {:?}", listed.faults);
        };
        assert_eq!(broken.index, 1, "{revision}");
        assert_eq!(broken.name.as_deref(), Some("broken"), "{revision}");
        assert_eq!(broken.path.to_string(), "$.tools[1].inputSchema");
        assert_eq!(broken.raw.get(), r#"{"name":"broken","inputSchema":7}"#);
        assert!(
            broken
                .to_string()
                .starts_with(r#"$.tools[1].inputSchema, named "broken": "#),
            "{broken}"
        );
        assert_eq!((number.index, number.raw.get()), (2, "17"));
        assert_eq!(number.path.to_string(), "$.tools[2]");
        assert_eq!((nameless.index, &nameless.name), (1, &None));

        // Cursors are sent back unchanged, including the empty one.
        let asked = fake.asked();
        let cursors: Vec<_> = asked
            .iter()
            .map(|(_, params)| text(params, "cursor"))
            .collect();
        assert_eq!(cursors, [None, Some("")], "{revision}");

        // The elements are listed in order, and then the error is returned.
        let mut tools = fake.client.tools();
        let mut order = Vec::new();
        while let Some(tool) = tools.next().await {
            order.push(match tool {
                Ok(tool) => tool.name,
                Err(CallError::Element { source, .. }) => format!("!{}", source.index),
                Err(error) => panic!("{revision}: {error}"),
            });
        }
        assert_eq!(order, ["a", "!1", "!2", "b", "c", "!1"], "{revision}");
        let error = fake.client.tools().one_page().await.expect_err("strict");
        let CallError::Answer {
            source: VersionError::Decode(source),
            ..
        } = error
        else {
            panic!("{revision}: {error}");
        };
        assert_eq!(source.path().to_string(), "$.tools[1].inputSchema");
        let page = fake.client.tools().one_page().page().await.expect("a page");
        assert_eq!((page.result.tools.len(), page.faults.len()), (2, 2));
    }
}

#[tokio::test]
async fn malformed_page_is_an_error() {
    let answer = |_: &str, _: &_| {
        format!(
            r#""result":{{"tools":[{{}},{}],"nextCursor":7{LATEST}}}"#,
            { tool("a") }
        )
    };
    let fake = FakeStream::connect(Revision::LATEST, builder(), answer).await;
    let error = fake.client.tools().all().await.expect_err("no page");
    assert!(
        error.to_string().ends_with("(at $.nextCursor)"),
        "{error}, {error:?}"
    );
}

#[tokio::test]
async fn repeated_cursor_ends_the_list() {
    let mut calls = 0;
    let fake = FakeStream::connect(Revision::LATEST, builder(), move |_, _| {
        calls += 1;
        let cursor = if calls % 2 == 0 { "even" } else { "odd" };
        page(
            Revision::LATEST,
            &tool(&format!("tool-{calls}")),
            Some(cursor),
        )
    })
    .await;
    let mut tools = fake.client.tools();
    for number in 1..=3 {
        let tool = tools.next().await.expect("an element").expect("a tool");
        assert_eq!(tool.name, format!("tool-{number}"));
    }
    let error = tools.next().await.expect("an error").expect_err("no end");
    let CallError::List {
        method: "tools/list",
        source: ListError::Repeats { cursor },
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!(cursor, "odd");
    assert!(tools.next().await.is_none(), "an error ends the list");
}

#[tokio::test]
async fn endless_list_is_limited() {
    let mut limits = Limits::default();
    limits.list_pages = 4;
    let mut calls = 0;
    let fake = FakeStream::connect(Revision::LATEST, builder().limits(limits), move |_, _| {
        calls += 1;
        page(Revision::LATEST, "", Some(&calls.to_string()))
    })
    .await;
    let error = fake.client.tools().all().await.expect_err("no end");
    let CallError::List {
        source: ListError::TooLong {
            pages: 4, items: 0, ..
        },
        ..
    } = error
    else {
        panic!("{error}");
    };
}

#[tokio::test]
async fn dropped_next_loses_no_page() {
    let mut fake = FakeStream::connect(Revision::LATEST, builder(), |_, _| {
        page(Revision::LATEST, &tool("a"), None)
    })
    .await;
    let mut tools = fake.client.tools();
    {
        // Polled once, which sends the request, and dropped.
        let next = std::pin::pin!(tools.next());
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(next.poll(&mut cx).is_pending());
    }
    let tool = tools.next().await.expect("an element").expect("a tool");
    assert_eq!(tool.name, "a");
    assert!(tools.next().await.is_none());
    assert_eq!(fake.asked().len(), 1, "asked once");
}

#[tokio::test]
async fn options_of_a_call_apply_to_each_page() {
    let mut fake = FakeStream::connect(Revision::LATEST, builder(), |_, params| {
        let next = text(params, "cursor").is_none().then_some("second");
        page(Revision::LATEST, &tool("a"), next)
    })
    .await;
    let list = fake
        .client
        .tools()
        .one_page()
        .traceparent("00-1-2-01")
        .list();
    list.all().await.expect("a list");
    let asked = fake.asked();
    assert_eq!(asked.len(), 2);
    for (method, params) in asked {
        assert_eq!(method, "tools/list");
        let meta = params.get("_meta").and_then(|meta| meta.as_object());
        let trace = meta.and_then(|meta| text(meta, "traceparent"));
        assert_eq!(trace, Some("00-1-2-01"));
    }
}
