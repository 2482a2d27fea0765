//! Results that deviate from their revision: nothing that arrived is lost.

use mcp_client::types::{ContentBlock, Revision};
use mcp_client::{Client, Listed};

use super::fake::FakeStream;

const LATEST: &str = r#","resultType":"complete""#;

/// Returns a result with these members, at a revision.
fn result(revision: Revision, members: &str) -> String {
    let more = if revision.is_modern() { LATEST } else { "" };
    format!(r#""result":{{{members}{more}}}"#)
}

async fn connect(revision: Revision, body: String) -> FakeStream {
    let builder = Client::builder("test", "1.0.0");
    FakeStream::connect(revision, builder, move |_, _| body.clone()).await
}

/// Calls a tool whose response has this body, and returns the texts of its contents.
async fn texts(revision: Revision, body: String) -> Vec<String> {
    let fake = connect(revision, body.clone()).await;
    let called = fake.client.call_tool("any").await;
    let called = called.unwrap_or_else(|error| panic!("{revision}, {body}: {error}"));
    let text = |block: ContentBlock| match block {
        ContentBlock::Text(text) => text.text,
        other => format!("{other:?}")
            .chars()
            .take_while(|c| *c != '(')
            .collect(),
    };
    called.content.into_iter().map(text).collect()
}

#[tokio::test]
async fn result_of_a_tool_is_never_lost() {
    let unknown = r#"{"type":"hologram","data":"x"}"#;
    for &revision in Revision::ALL {
        for (members, expected) in [
            (
                r#""content":[{"type":"text","text":"a\ud83d"}]"#.to_owned(),
                vec!["a\u{fffd}"],
            ),
            (r#""structuredContent":{"a":1}"#.to_owned(), vec![]),
            (r#""content":null"#.to_owned(), vec![]),
            (
                r#""content":[],"isError":null,"_meta":null,"structuredContent":null"#.to_owned(),
                vec![],
            ),
            (r#""content":"done""#.to_owned(), vec!["done"]),
            (
                r#""content":{"type":"text","text":"one"}"#.to_owned(),
                vec!["one"],
            ),
            (
                format!(
                    r#""content":[{{"type":"text","text":"a"}},{unknown},{{"type":"audio","data":"","mimeType":"audio/wav"}}]"#
                ),
                vec!["a", unknown, "Audio"],
            ),
            (r#""content":[],"structuredContent":[1]"#.to_owned(), vec![]),
        ] {
            let texts = texts(revision, result(revision, &members)).await;
            assert_eq!(texts, expected, "{revision}, {members}");
        }
        // The envelope deviates.
        let whole = result(revision, r#""content":[{"type":"text","text":"a"}]"#);
        for body in [
            format!(r#"{whole},"error":null"#),
            format!(r#""error":null,{whole}"#),
        ] {
            assert_eq!(texts(revision, body).await, ["a"], "{revision}");
        }
        let body = r#""result":"done""#.to_owned();
        assert_eq!(texts(revision, body).await, ["done"], "{revision}");
    }
}

#[tokio::test]
async fn malformed_error_keeps_code_and_message() {
    let body = r#""result":null,"error":{"code":"-32001","message":"no","data":7}"#;
    let fake = connect(Revision::LATEST, body.to_owned()).await;
    let error = fake.client.call_tool("any").await.expect_err("refused");
    assert_eq!(error.code(), Some(-32001), "{error}");
}

async fn list(revision: Revision, tools: &str) -> Listed<mcp_client::types::Tool> {
    let hints = if revision.is_modern() {
        r#","ttlMs":0,"cacheScope":"private""#
    } else {
        ""
    };
    let body = result(revision, &format!(r#""tools":{tools}{hints}"#));
    let fake = connect(revision, body).await;
    let listed = fake.client.tools().all().await;
    listed.unwrap_or_else(|error| panic!("{revision}, {tools}: {error}"))
}

#[tokio::test]
async fn tools_with_unusual_schemas_are_listed() {
    for &revision in Revision::ALL {
        for members in [
            r#""inputSchema":{"type":"object","properties":{"x":true}}"#,
            r#""inputSchema":{"type":"object"},"outputSchema":{"type":"array"}"#,
            r##""inputSchema":{"type":"object"},"outputSchema":{"$ref":"#/$defs/x","$defs":{"x":{}}}"##,
            r#""inputSchema":{"type":"object"},"outputSchema":7"#,
            r#""inputSchema":{}"#,
            r#""inputSchema":{"type":"object","properties":[]}"#,
            r#""inputSchema":{"properties":{"a":{}}}"#,
            r#""inputSchema":null"#,
            r#""inputSchema":{"type":"object"},"title":null,"annotations":null"#,
        ] {
            let whole = r#"{"name":"whole","inputSchema":{"type":"object"}}"#;
            let broken = r#"{"name":"broken","inputSchema":7}"#;
            let tools = format!(r#"[{whole},{{"name":"odd",{members}}},{broken}]"#);
            let listed = list(revision, &tools).await;
            let names: Vec<_> = listed.items.iter().map(|tool| tool.name.as_str()).collect();
            assert_eq!(names, ["whole", "odd"], "{revision}, {members}");
            let [broken] = &listed.faults[..] else {
                panic!("{revision}, {members}: {:?}", listed.faults);
            };
            assert_eq!(broken.index, 2);
        }
        assert!(list(revision, "null").await.items.is_empty());
    }
}

#[tokio::test]
async fn elements_before_the_error_are_returned() {
    let mut calls = 0;
    let builder = Client::builder("test", "1.0.0");
    let fake = FakeStream::connect(Revision::V2025_11_25, builder, move |_, _| {
        calls += 1;
        if calls == 1 {
            let tool = r#"{"name":"a","inputSchema":{"type":"object"}}"#;
            format!(r#""result":{{"tools":[{tool}],"nextCursor":"b"}}"#)
        } else {
            r#""error":{"code":-32603,"message":"no"}"#.to_owned()
        }
    })
    .await;
    let (listed, end) = fake.client.tools().until_error().await;
    assert_eq!(listed.items.len(), 1);
    assert_eq!(end.expect_err("an error").code(), Some(-32603));
}
