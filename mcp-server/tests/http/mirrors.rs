//! Headers that repeat parts of the body, and undeclared capabilities.

use mcp_server::{Server, ToolDef};
use serde_json::json;

use super::subject::*;

fn work() -> Server {
    let tool = ToolDef::new("work")
        .input_schema(json!({
            "type": "object",
            "properties": {
                "region": { "type": "string", "x-mcp-header": "Region" },
                "count": { "type": "integer", "x-mcp-header": "Count" },
                "sure": { "type": "boolean", "x-mcp-header": "Sure" },
            },
        }))
        .object_handler(|_| async { "done" });
    Server::builder("mirrors", "1")
        .add_tool(tool)
        .build()
        .expect("sound")
}

/// Arguments, headers, and the status of the response.
type Case = (&'static str, &'static [(&'static str, &'static str)], u16);

#[tokio::test]
async fn headers_that_repeat_arguments_must_match_the_body() {
    let address = serve(&work());
    let cases: [Case; 18] = [
        (r"{}", &[], 200),
        (r#"{"region":"eu"}"#, &[("Mcp-Param-Region", "eu")], 200),
        (r#"{"region":"eu"}"#, &[("MCP-PARAM-REGION", " eu ")], 200),
        (
            r#"{"region":"eu"}"#,
            &[("Mcp-Param-Region", "=?base64?ZXU=?=")],
            200,
        ),
        (
            r#"{"region":"süd"}"#,
            &[("Mcp-Param-Region", "=?base64?c8O8ZA==?=")],
            200,
        ),
        (r#"{"region":null}"#, &[], 200),
        (r#"{"count":42}"#, &[("Mcp-Param-Count", "42")], 200),
        (r#"{"count":42}"#, &[("Mcp-Param-Count", "42.0")], 200),
        (r#"{"sure":true}"#, &[("Mcp-Param-Sure", "true")], 200),
        (r#"{"region":"eu"}"#, &[("Mcp-Param-Other", "x")], 400),
        (r#"{"region":"eu"}"#, &[], 400),
        (r#"{"region":"eu"}"#, &[("Mcp-Param-Region", "us")], 400),
        (r#"{"region":"eu"}"#, &[("Mcp-Param-Region", "EU")], 400),
        (
            r#"{"region":"eu"}"#,
            &[("Mcp-Param-Region", "=?base64?dXM=?=")],
            400,
        ),
        (
            r#"{"region":"eu"}"#,
            &[("Mcp-Param-Region", "=?base64?ZXU?=")],
            400,
        ),
        (
            r#"{"region":"eu"}"#,
            &[("Mcp-Param-Region", "eu"), ("Mcp-Param-Region", "eu")],
            400,
        ),
        (r"{}", &[("Mcp-Param-Region", "eu")], 400),
        (r#"{"count":42}"#, &[("Mcp-Param-Count", "43")], 400),
    ];
    for (arguments, mirrors, status) in cases {
        let mut headers = call_headers("work");
        headers.extend(
            mirrors
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        );
        let body =
            call(1, "work").replace(r#""arguments":{}"#, &format!(r#""arguments":{arguments}"#));
        let (head, answer) = Raw::post(address, &headers, &body).await;
        assert_eq!(head.status, status, "{arguments} {mirrors:?} {answer}");
        if status == 400 {
            assert_eq!(code(&answer), -32020, "{answer}");
            assert!(answer.contains("\"id\":1"), "{answer}");
        }
    }
}

#[tokio::test]
async fn undeclared_client_capability_returns_400() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    let (head, body) = Raw::post(address, &call_headers("ask"), &call(1, "ask")).await;
    assert_eq!((head.status, code(&body)), (400, -32021));
    let answer: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    let required = &answer["error"]["data"]["requiredCapabilities"];
    assert!(required["roots"].is_object(), "{body}");
    let able = call(1, "ask").replace(
        r#"clientCapabilities":{}"#,
        r#"clientCapabilities":{"roots":{}}"#,
    );
    let (head, body) = Raw::post(address, &call_headers("ask"), &able).await;
    assert_eq!(head.status, 200);
    assert!(body.contains("input_required"), "{body}");
}
