//! Attacks by a model, by an API and by a document.

use std::fmt::Write;

use mcp_openapi::{FaultKind, OpenApi, OpenApiError};
use serde_json::{Value, json};

use super::{Api, OK, call, connect, document, listed, open, with_parameters};

fn string(name: &str, place: &str) -> Value {
    json!({ "name": name, "in": place, "required": true, "schema": { "type": "string" } })
}

#[tokio::test]
async fn path_parameters_cannot_leave_their_segment() {
    let api = Api::start(OK).await;
    let document = with_parameters("/users/{id}/posts", &json!([string("id", "path")]));
    for (id, segment) in [
        ("a/b", "a%2Fb"),
        ("a?b=c", "a%3Fb%3Dc"),
        ("a#b", "a%23b"),
        ("@evil.example", "%40evil.example"),
        ("//evil.example", "%2F%2Fevil.example"),
        ("a\\b", "a%5Cb"),
        ("a;b", "a%3Bb"),
        ("%2f", "%252f"),
        ("..a", "..a"),
    ] {
        call(&document, &api, "get", json!({ "id": id })).await;
        assert_eq!(api.target(), format!("/v1/users/{segment}/posts"));
    }
    for id in [
        "",
        ".",
        "..",
        "../x",
        "a/../../b",
        "a/..",
        "..\\x",
        "%2e%2e",
        "%2E%2E%2Fx",
        ".%2e/x",
        "..;/x",
        "a/..;b=c/x",
        "a\0b",
        "a\r\nX-Evil: 1",
    ] {
        let result = call(&document, &api, "get", json!({ "id": id })).await;
        assert!(
            result.has_failed() && result.text().starts_with("`id`"),
            "{id:?}: {result:?}"
        );
    }
    // Values of two parameters that make a dangerous segment together.
    let two = json!([string("a", "path"), string("b", "path")]);
    let document = with_parameters("/x/{a}{b}", &two);
    let result = call(&document, &api, "get", json!({ "a": "..", "b": "/x" })).await;
    assert!(result.has_failed());
    let document = with_parameters("/x/.{a}/y", &json!([string("a", "path")]));
    let result = call(&document, &api, "get", json!({ "a": "." })).await;
    assert!(result.has_failed(), "{result:?}");
    assert!(api.is_untouched());
}

#[tokio::test]
async fn headers_cannot_be_injected() {
    let api = Api::start(OK).await;
    let parameters = json!([
        string("X-A", "header"),
        string("c", "cookie"),
        string("q", "query")
    ]);
    let document = with_parameters("/x", &parameters);
    for value in ["a\r\nX-Evil: 1", "a\nb", "a\0b", "é"] {
        let arguments = json!({ "X-A": value, "c": "", "q": "" });
        let result = call(&document, &api, "get", arguments).await;
        assert!(
            result.has_failed() && result.text().starts_with("`X-A`"),
            "{result:?}"
        );
    }
    assert!(api.is_untouched());
    let evil = "a\r\nX-Evil: 1";
    call(
        &document,
        &api,
        "get",
        json!({ "X-A": "", "c": evil, "q": evil }),
    )
    .await;
    let request = api.request();
    assert!(
        request.starts_with("GET /v1/x?q=a%0D%0AX-Evil%3A%201 HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(
        request.contains("cookie: c=a%0D%0AX-Evil%3A%201\r\n"),
        "{request}"
    );
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = Api::start(OK).await;
    let target = &elsewhere.url;
    let moved = format!("HTTP/1.1 302 Found\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n");
    let api = Api::start(moved).await;
    let result = call(&with_parameters("/x", &json!([])), &api, "get", json!({})).await;
    assert!(result.has_failed());
    let expected = format!("the API answered with HTTP 302 Found, which is not followed: {target}");
    assert_eq!(result.text(), expected);
    assert!(elsewhere.is_untouched());
}

#[tokio::test]
async fn bodies_without_end_are_cut_off() {
    let document = with_parameters("/x", &json!([]));
    let endless = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n{}",
        "x".repeat(3 << 20)
    );
    let long = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 9999999999\r\n\r\nx";
    for response in [endless, long.to_owned()] {
        let api = Api::start(response).await;
        let result = call(&document, &api, "get", json!({})).await;
        let expected = "the response of the API has more than 1048576 bytes";
        assert_eq!((result.has_failed(), &*result.text()), (true, expected));
    }
    let api = Api::start("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n12345").await;
    let client = connect(open(&document, &api).response_bytes(4).tools().unwrap()).await;
    assert!(client.call_tool("get").await.unwrap().has_failed());
}

#[tokio::test(start_paused = true)]
async fn an_api_that_never_answers_is_given_up() {
    let api = OpenApi::parse(&with_parameters("/x", &json!([]))).unwrap();
    let api = api
        .base_url("http://localhost")
        .send_with(|_| std::future::pending());
    let client = connect(api.tools().unwrap()).await;
    let result = client.call_tool("get").await.unwrap();
    assert_eq!(result.text(), "the API did not answer within 30s");
}

#[tokio::test]
async fn circles_of_references_end() {
    let schemas = json!({
        "Tree": { "type": "object", "properties": { "children": {
            "type": "array", "items": { "$ref": "#/components/schemas/Tree" },
        } } },
        "Loop": { "$ref": "#/components/schemas/Pool" },
        "Pool": { "$ref": "#/components/schemas/Loop" },
        "Self": { "allOf": [{ "$ref": "#/components/schemas/Self" }] },
    });
    for (name, is_loosened) in [("Tree", false), ("Loop", true), ("Self", false)] {
        let body = json!({ "required": true, "content": { "application/json": { "schema": {
            "$ref": format!("#/components/schemas/{name}"),
        } } } });
        let operation = json!({ "operationId": "send", "requestBody": body });
        let mut document: Value =
            serde_json::from_str(&document("3.0.0", "/x", &json!({ "post": operation }))).unwrap();
        document["components"]["schemas"] = schemas.clone();
        let text = document.to_string();
        let made = OpenApi::parse(&text)
            .unwrap()
            .base_url("http://localhost")
            .tools()
            .unwrap();
        if name == "Loop" {
            // The reference of the body itself is a circle.
            assert_eq!(made.faults[0].kind, FaultKind::Skipped, "{made:?}");
            continue;
        }
        assert_eq!(made.tools.len(), 1, "{name}: {made:?}");
        assert_eq!(!made.faults.is_empty(), is_loosened, "{name}: {made:?}");
        let api = Api::start(OK).await;
        let arguments = match name {
            "Tree" => json!({ "children": [{ "children": [] }] }),
            _ => json!({ "body": { "a": 1 } }),
        };
        call(&text, &api, "send", arguments).await;
    }
}

#[test]
fn documents_with_too_many_operations_are_refused() {
    let mut text = String::from(r#"{"openapi":"3.1.0","paths":{"#);
    for number in 0..100_000 {
        let comma = if number == 0 { "" } else { "," };
        write!(text, r#"{comma}"/x{number}":{{"get":{{}}}}"#).unwrap();
    }
    text.push_str("}}");
    let error = OpenApi::parse(&text).unwrap_err();
    assert!(
        matches!(error, OpenApiError::Operations { limit: 50_000 }),
        "{error}"
    );
}

/// One schema that all operations refer to is read as far as the budget of each goes, not to its end.
#[tokio::test]
async fn shared_schemas_cost_each_operation_only_its_budget() {
    let mut properties = serde_json::Map::new();
    for number in 0..5_000 {
        properties.insert(
            format!("member{number}"),
            json!({ "type": "string", "enum": ["x".repeat(50)] }),
        );
    }
    let mut paths = serde_json::Map::new();
    for number in 0..20 {
        let schema = json!({ "$ref": "#/components/schemas/Large" });
        let parameters = json!([{ "name": "a", "in": "query", "schema": schema }]);
        paths.insert(
            format!("/x{number}"),
            json!({ "get": { "parameters": parameters } }),
        );
    }
    let document = json!({
        "openapi": "3.1.0",
        "paths": paths,
        "components": { "schemas": { "Large": { "type": "object", "properties": properties } } },
    });
    let tools = listed(&document.to_string()).await;
    assert_eq!(tools.len(), 20);
    for tool in tools {
        let size = tool["inputSchema"].to_string().len();
        assert!((30 << 10..80 << 10).contains(&size), "{size}");
    }
}

/// A large object that many others refer to is not read again for each of them.
#[test]
fn large_objects_that_many_refer_to_are_refused() {
    let mut members = serde_json::Map::new();
    for number in 0..1_000 {
        members.insert(format!("x-{number}"), json!(0));
    }
    let mut operation = members.clone();
    operation.insert("operationId".to_owned(), json!("get"));
    members.insert("get".to_owned(), json!({}));
    let document = json!({
        "openapi": "3.1.0",
        "paths": {
            "/a": { "$ref": "#/components/pathItems/Large" },
            "/b": { "get": operation },
        },
        "components": { "pathItems": { "Large": members } },
    });
    let api = OpenApi::parse(&document.to_string()).unwrap();
    let made = api.base_url("http://localhost").tools().unwrap();
    assert_eq!((made.tools.len(), made.faults.len()), (0, 2), "{made:?}");
    let has_reason = |it: &mcp_openapi::Fault| it.reason.ends_with("more than 128 members");
    assert!(made.faults.iter().all(has_reason), "{made:?}");
}

#[test]
fn deep_documents_and_nests_of_schemas_are_bounded() {
    let deep = format!(r#"{{"openapi":"3.1.0","x":{}}}"#, "[".repeat(100_000));
    assert!(matches!(OpenApi::parse(&deep), Err(OpenApiError::Json(_))));
    let deep = format!("openapi: 3.1.0\nx: {}", "[".repeat(100_000));
    assert!(matches!(OpenApi::parse(&deep), Err(OpenApiError::Yaml(_))));
    let mut schema = json!({ "type": "string" });
    for _ in 0..40 {
        schema = json!({ "type": "array", "items": schema });
    }
    let parameters = json!([{ "name": "a", "in": "query", "schema": schema }]);
    let api = OpenApi::parse(&with_parameters("/x", &parameters)).unwrap();
    let made = api.base_url("http://localhost").tools().unwrap();
    assert_eq!((made.tools.len(), made.faults.len()), (1, 1), "{made:?}");
    assert!(
        made.faults[0]
            .to_string()
            .contains("nests deeper than 20 levels"),
        "{made:?}"
    );
}

/// Returns a document in which many paths refer to one object with an operation.
fn sharing(paths: usize, item: &Value, components: &Value) -> String {
    let shared = json!({ "$ref": "#/x-item" });
    let paths = (0..paths).map(|number| (format!("/x{number}"), shared.clone()));
    let paths: serde_json::Map<String, Value> = paths.collect();
    json!({ "openapi": "3.1.0", "paths": paths, "x-item": item, "components": components })
        .to_string()
}

/// What an operation keeps of its part of the document is bounded, as many operations can share it.
#[test]
fn long_names_that_operations_share_are_not_kept_for_each() {
    let long = "x".repeat(100_000);
    let get = json!({ "operationId": long, "tags": vec![long.clone(); 100] });
    let document = sharing(100, &json!({ "get": get }), &json!({}));
    let operations = OpenApi::parse(&document).unwrap().operations();
    let sizes = operations.iter().map(|operation| {
        let tags = operation.tags.iter().map(String::len).sum::<usize>();
        operation.id.as_ref().map_or(0, String::len) + tags
    });
    assert_eq!(operations.len(), 100);
    assert!(sizes.sum::<usize>() < 1_000_000);

    let made = |item: Value| {
        let api = OpenApi::parse(&sharing(3, &item, &json!({}))).unwrap();
        api.base_url("http://localhost").tools().unwrap()
    };
    let parameter = |name: &str, place: &str| json!({ "name": name, "in": place });
    let of_long = made(json!({ "get": { "parameters": [parameter(&long, "query")] } }));
    let reserved = vec![parameter("Authorization", "header"); 1_000];
    let of_many = made(json!({ "get": {}, "parameters": reserved }));
    for made in [&of_long, &of_many] {
        assert_eq!((made.tools.len(), made.faults.len()), (0, 3), "{made:?}");
        assert!(
            made.faults.iter().all(|it| it.to_string().len() < 1_000),
            "{made:?}"
        );
    }
    // The names of all plans are counted, so not all operations have tools.
    let names = (0..500).map(|number| parameter(&format!("{number:0>1000}"), "query"));
    let item = json!({ "get": {}, "parameters": names.collect::<Vec<_>>() });
    let api = OpenApi::parse(&sharing(1_000, &item, &json!({}))).unwrap();
    let made = api.base_url("http://localhost").tools().unwrap();
    assert!(
        (100..800).contains(&made.tools.len()),
        "{}",
        made.tools.len()
    );
}

/// Before there were limits, the cases took minutes.
#[test]
fn long_lists_that_operations_share_are_not_read_for_each() {
    let media = json!({ "schema": { "type": "object" } });
    let many = |of: &dyn Fn(usize) -> (String, Value)| -> Value {
        (0..100_000)
            .map(of)
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let types = many(&|number| (format!("application/x-{number}"), media.clone()));
    let large = many(&|number| (format!("x-{number}"), json!(0)));
    let parts = vec![json!({ "type": "string" }); 100_000];
    let file = json!({ "type": "object", "properties": { "a": { "anyOf": parts } } });
    let spaces = " ".repeat(4 << 20);
    let body = |content: Value| json!({ "post": { "requestBody": { "content": content } } });
    let responses = |content: Value| json!({ "responses": { "200": { "content": content } } });
    for (name, item) in [
        ("media types of a body", body(types.clone())),
        (
            "members of a media type",
            json!({ "get": responses(json!({ "application/json": large })) }),
        ),
        (
            "encodings",
            body(json!({ "multipart/form-data": { "schema": file, "encoding": large } })),
        ),
        (
            "empty names",
            json!({ "get": { "parameters": [{ "name": "a", "in": "query", "schema": {
            "type": "object", "required": vec![""; 100_000],
        } }] } }),
        ),
        (
            "a text",
            json!({ "get": { "description": spaces, "parameters": [
            { "name": "a", "in": "query", "description": spaces },
        ] } }),
        ),
        (
            "a reference",
            json!({ "get": { "parameters": [{ "name": "a", "in": "query", "schema": {
            "$ref": format!("#/{}", "x/".repeat(2 << 20)),
        } }] } }),
        ),
        (
            "a path of a server",
            json!({ "get": {}, "servers": [
            { "url": format!("/{}", "{a}".repeat(1 << 20)), "variables": { "a": { "default": "" } } },
        ] }),
        ),
    ] {
        let api = OpenApi::parse(&sharing(500, &item, &json!({}))).unwrap();
        let made = api.base_url("http://localhost").tools().unwrap();
        let skipped = made
            .faults
            .iter()
            .filter(|it| it.kind == FaultKind::Skipped);
        assert_eq!(made.tools.len() + skipped.count(), 500, "{name}");
    }
}

#[test]
fn variables_of_a_server_do_not_multiply() {
    let document = json!({
        "openapi": "3.1.0",
        "paths": { "/x": { "get": {} } },
        "servers": [{
            "url": format!("https://api.example/{}", "{a}".repeat(50)),
            "variables": { "a": { "default": "x".repeat(400) } },
        }],
    });
    let error = OpenApi::parse(&document.to_string())
        .unwrap()
        .tools()
        .unwrap_err();
    assert!(matches!(error, OpenApiError::BaseUrl { .. }), "{error}");
    assert!(error.to_string().len() < 500);
}
