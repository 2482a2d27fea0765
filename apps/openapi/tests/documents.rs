//! Documents, their operations, and the definitions of tools.

use mcp_openapi::OpenApi;
use mcp_server::{Definition, Server};
use serde_json::{Value, json};

use super::{Api, OK, call, connect, listed};

#[test]
fn faults_of_documents_say_what_and_where() {
    for (text, expected) in [
        ("{", "the document is not JSON: "),
        ("a: [", "the document is not YAML: "),
        (
            "a: &x [*x]",
            "the document is not YAML: an alias (`*name`) within the value that it refers to",
        ),
        (
            r#"{"swagger":"2.0"}"#,
            "expected `openapi` to be 3.0.x, 3.1.x or 3.2.x, found `swagger` 2.0: convert the document first, \
             for example with `npx swagger2openapi swagger.json -o openapi.json`",
        ),
        (
            "openapi: 3.3.0",
            "expected `openapi` to be 3.0.x, 3.1.x or 3.2.x, found `3.3.0`",
        ),
        (
            "openapi: 3.0",
            "expected `openapi` to be 3.0.x, 3.1.x or 3.2.x, found no string",
        ),
        (
            "x",
            "expected `openapi` to be 3.0.x, 3.1.x or 3.2.x, found no such member",
        ),
        (
            r#"{"openapi":"3.1.0","paths":[]}"#,
            "`paths` in the document: expected an object",
        ),
    ] {
        let error = OpenApi::parse(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    let base = |url: &str| {
        let api = OpenApi::parse("openapi: 3.1.0").unwrap().base_url(url);
        api.tools().map_err(|error| error.to_string())
    };
    assert!(base("https://example.com:8443/a/").is_ok() && base("http://[::1]").is_ok());
    for url in [
        "",
        "/v1",
        "example.com",
        "ftp://example.com",
        "https://",
        "https://me@example.com",
        "https://example.com/?a",
        "https://example.com/#a",
        "https://example.com/a/../b",
        "https://example.com\\@evil.example",
        "https://example.com/ü",
    ] {
        assert!(
            base(url)
                .unwrap_err()
                .starts_with("invalid URL of the API `"),
            "{url}"
        );
    }
}

#[test]
fn passwords_in_urls_are_not_shown() {
    let api = OpenApi::parse("openapi: 3.1.0").unwrap();
    let api = api.base_url("https://me:secret@example.com/a?key=secret");
    let shown = format!("{api:?}");
    let error = api.tools().unwrap_err();
    assert!(
        error.to_string().contains("`https://…@example.com/a`"),
        "{error}"
    );
    assert!(
        !format!("{shown} {error} {error:?}").contains("secret"),
        "{error:?}"
    );
    for url in [
        "https://me:?secret@example.com/",
        "https://example.com/#secret",
    ] {
        let api = OpenApi::parse("openapi: 3.1.0").unwrap();
        let error = api.base_url(url).tools().unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn servers_have_variables_and_can_be_replaced() {
    let text = r"
openapi: 3.0.0
servers:
  - url: '{scheme}://{tenant}.example/v{version}'
    variables:
      scheme: { default: https, enum: [https, http] }
      version: { default: '2' }
paths: { /x: { get: { operationId: get } } }
";
    let parse = || OpenApi::parse(text).unwrap();
    let error = parse().tools().unwrap_err().to_string();
    assert!(
        error.contains("variable `tenant`") && error.contains("no default"),
        "{error}"
    );
    let error = parse()
        .variable("scheme", "ftp")
        .tools()
        .unwrap_err()
        .to_string();
    assert!(error.contains("variable `scheme`"), "{error}");
    // The value of a variable cannot add a user name to the URL.
    let error = parse()
        .variable("tenant", "a@evil")
        .tools()
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("invalid URL of the API"), "{error}");
    let api = parse()
        .variable("tenant", "acme")
        .variable("scheme", "http");
    let api = api.send_with(async |request: mcp_openapi::ApiRequest| {
        Ok(http::Response::new(bytes::Bytes::from(
            request.uri().to_string(),
        )))
    });
    let client = connect(api.tools().unwrap()).await;
    assert_eq!(
        client.call_tool("get").await.unwrap().text(),
        "http://acme.example/v2/x"
    );

    let relative = r#"{"openapi":"3.0.0","servers":[{"url":"/api"}],"paths":{}}"#;
    let error = OpenApi::parse(relative)
        .unwrap()
        .tools()
        .unwrap_err()
        .to_string();
    assert!(error.contains("`OpenApi::base_url`"), "{error}");
}

#[tokio::test]
async fn tools_have_names_descriptions_and_hints() {
    let long = "word ".repeat(1000);
    let document = json!({
        "openapi": "3.1.0",
        "paths": {
            "/pets/{id}": {
                "parameters": [{ "name": "id", "in": "path", "required": true, "schema": {} }],
                "get": { "summary": "Get a pet", "description": "By its id.", "tags": ["pets"] },
                "head": { "operationId": "pets.get" },
                "put": { "operationId": "pets/get", "deprecated": true },
                "delete": { "operationId": "x".repeat(80), "description": long },
                "post": { "operationId": "x".repeat(90) },
                "trace": {},
            },
        },
    });
    let text = document.to_string();
    let tools = listed(&text).await;
    let members = |name: &str| {
        tools
            .iter()
            .map(|tool| tool[name].clone())
            .collect::<Vec<_>>()
    };
    let (x64, x53) = ("x".repeat(64), format!("{}_2", "x".repeat(53)));
    let names = ["get_pets_id", "pets_get", "pets_get_2", &*x64, &*x53];
    assert_eq!(members("name"), names);
    assert_eq!(tools[0]["title"], "Get a pet");
    assert_eq!(tools[0]["description"], "Get a pet\n\nBy its id.");
    assert_eq!(tools[1]["description"], "HEAD /pets/{id}");
    assert_eq!(tools[2]["description"], "Deprecated. PUT /pets/{id}");
    let cut = tools[3]["description"].as_str().unwrap();
    assert!(cut.ends_with("wor…") || cut.ends_with("word…"), "{cut}");
    assert!(cut.chars().count() <= 1025);
    let hints = [
        json!({ "readOnlyHint": true }),
        json!({ "readOnlyHint": true }),
        json!({ "idempotentHint": true }),
        json!({ "destructiveHint": true, "idempotentHint": true }),
        Value::Null,
    ];
    assert_eq!(members("annotations"), hints);

    let api = OpenApi::parse(&text).unwrap();
    let api = api
        .filter(|it| !it.deprecated)
        .filter(|it| it.method != "DELETE" && it.method != "HEAD");
    let names: Vec<_> = api.operations().into_iter().map(|it| it.name).collect();
    // A filter does not change the names.
    assert_eq!(names, ["get_pets_id", &*x53]);
    let tools = api
        .filter(|it| it.tags == ["pets"])
        .base_url("http://localhost")
        .tools()
        .unwrap();
    let server = Server::builder("pets", "1.0.0")
        .merge(tools.into_group().prefix("shop_"))
        .build();
    assert!(server.unwrap().tools().contains("shop_get_pets_id"));
}

#[test]
fn faults_of_operations_leave_the_others() {
    let document = json!({
        "openapi": "3.0.0",
        "paths": {
            "/a": { "get": [] },
            "/b": { "get": { "parameters": [{ "$ref": "other.yaml#/x" }] } },
            "/c": { "$ref": "#/nothing" },
            "/d/{x": { "get": {} },
            "/e": { "get": { "parameters": [{ "name": "x", "in": "body" }] } },
            "/f": { "get": { "requestBody": {} } },
            "/g/../h": { "get": {} },
            "/ok/{id}": { "get": {} },
        },
    });
    let api = OpenApi::parse(&document.to_string())
        .unwrap()
        .base_url("http://localhost");
    let made = api.tools().unwrap();
    let mut faults: Vec<String> = made.faults.iter().map(ToString::to_string).collect();
    faults.sort();
    let expected = [
        "/c: skipped: `#/nothing` points to nothing",
        "GET /a: skipped: expected an object, with no more than 128 members",
        "GET /b: skipped: a parameter: `other.yaml#/x` refers to another document",
        "GET /d/{x: skipped: the path has `{` without `}`",
        "GET /e: skipped: the parameter `x` is in `body`, expected `path`, `query`, `header` or `cookie`",
        "GET /f: loosened: `requestBody.content` has no media type: requests have no body",
        "GET /g/../h: skipped: the path has a segment `.` or `..`",
        "GET /ok/{id}: loosened: the path parameter `id` is not declared: it is a string",
    ];
    assert_eq!(faults, expected);
    assert_eq!(made.tools.len(), 2);
}

/// What 3.2 adds and changes a request is a fault, and the other operations stay.
#[tokio::test]
async fn documents_of_3_2_have_faults_where_requests_would_differ() {
    let sequential = json!({ "multipart/mixed": { "itemSchema": {} } });
    let document = json!({
        "openapi": "3.2.0",
        "$self": "https://example.com/api",
        "tags": [{ "name": "a", "parent": "b", "kind": "nav" }],
        "paths": {
            "/a": {
                "query": { "operationId": "search" },
                "additionalOperations": { "LINK": { "operationId": "link" } },
                "get": { "operationId": "get" },
            },
            "/b": { "get": { "parameters": [{ "name": "q", "in": "querystring", "content": {} }] } },
            "/c": { "post": { "requestBody": { "content": sequential } } },
            "/d": { "post": {
                "operationId": "send",
                "requestBody": { "content": { "application/json": { "$ref": "#/components/mediaTypes/a" } } },
            } },
        },
        "components": { "mediaTypes": { "a": { "schema": {
            "type": "object", "properties": { "member": { "type": "string" } },
        } } } },
    });
    let api = OpenApi::parse(&document.to_string()).unwrap();
    let made = api.base_url("http://localhost").tools().unwrap();
    let mut faults: Vec<String> = made.faults.iter().map(ToString::to_string).collect();
    faults.sort();
    let expected = [
        "GET /b: skipped: the parameter `q` is in `querystring`, expected `path`, `query`, `header` or `cookie`",
        "LINK /a: skipped: methods that 3.2 added are not supported",
        "POST /c: skipped: `itemSchema` of a multipart body is not supported",
        "QUERY /a: skipped: methods that 3.2 added are not supported",
    ];
    assert_eq!(faults, expected);
    let names: Vec<_> = made.tools.iter().map(Definition::key).collect();
    assert_eq!(names, ["get", "send"]);
    let tools = listed(&document.to_string()).await;
    assert_eq!(
        tools[1]["inputSchema"]["properties"]["member"]["type"],
        "string"
    );
}

#[tokio::test]
async fn aliases_of_yaml_are_copies_and_merged() {
    let text = r"
openapi: 3.1.0
x-common: &common
  responses: { '200': { description: fine } }
x-limit: &limit { name: limit, in: query, schema: { type: integer } }
paths:
  /a: { get: { <<: *common, operationId: a, parameters: [*limit] } }
  /b: { get: { <<: *common, operationId: b, parameters: [*limit] } }
";
    let api = Api::start(OK).await;
    for name in ["a", "b"] {
        call(text, &api, name, json!({ "limit": 3 })).await;
        assert_eq!(api.target(), format!("/v1/{name}?limit=3"));
    }
}

#[test]
fn aliases_of_yaml_that_stand_for_too_much_are_refused() {
    let mut text = "openapi: 3.1.0\na0: &a0 [lol, lol, lol, lol]\n".to_owned();
    for level in 1..30 {
        let before = format!("*a{}", level - 1);
        text.push_str(&format!(
            "a{level}: &a{level} [{before}, {before}, {before}, {before}]\n"
        ));
    }
    let error = OpenApi::parse(&text).unwrap_err().to_string();
    assert!(error.starts_with("the document is not YAML: "), "{error}");
}
