//! Responses of the API as results of tools.

use mcp_client::CallError;
use serde_json::{Value, json};

use super::{Api, OK, call, connect, document, listed, open};

fn response(status: &str, media_type: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

/// Returns a document whose `GET /x` returns JSON of a schema.
fn returning(schema: &Value) -> String {
    let content = json!({ "application/json": { "schema": schema } });
    let operation = json!({
        "operationId": "get",
        "responses": { "200": { "description": "", "content": content }, "404": { "description": "" } },
    });
    document("3.0.0", "/x", &json!({ "get": operation }))
}

/// Returns the schema of a result that may also be another one than the document says.
fn or_undocumented(schema: &Value) -> Value {
    let text = "A result that the document of the API does not describe";
    let properties = json!({ "undocumented": { "description": text } });
    let other = json!({ "properties": properties, "required": ["undocumented"] });
    json!({ "type": "object", "anyOf": [schema, other] })
}

fn plain() -> String {
    document("3.0.0", "/x", &json!({ "get": { "operationId": "get" } }))
}

#[tokio::test]
async fn objects_are_structured_content_with_a_schema() {
    let schema = json!({
        "type": "object",
        "properties": { "id": { "type": "integer" }, "note": { "type": "string", "nullable": true } },
        "required": ["id"],
        "additionalProperties": false,
    });
    let tools = listed(&returning(&schema)).await;
    let expected = json!({
        "type": "object",
        "properties": { "id": { "type": ["integer", "null"] }, "note": { "type": ["string", "null"] } },
        "required": ["id"],
    });
    assert_eq!(tools[0]["outputSchema"], or_undocumented(&expected));

    let api = Api::start(response(
        "200 OK",
        "application/json; charset=utf-8",
        r#"{"id":1,"note":null,"new":2}"#,
    ));
    let api = api.await;
    let result = call(&returning(&schema), &api, "get", json!({})).await;
    assert_eq!(result.text(), r#"{"id":1,"note":null,"new":2}"#);
    let content: Value = result.structured().unwrap();
    assert_eq!(content, json!({ "id": 1, "note": null, "new": 2 }));
}

/// The schemas of results have no formats, so a value can fit several alternatives.
#[tokio::test]
async fn a_result_may_fit_several_alternatives() {
    let at = json!({ "oneOf": [
        { "type": "string", "format": "date" },
        { "type": "string", "pattern": "^now$" },
    ] });
    let schema = json!({ "type": "object", "properties": { "at": at } });
    let api = Api::start(response("200 OK", "application/json", r#"{"at":"now"}"#)).await;
    let result = call(&returning(&schema), &api, "get", json!({})).await;
    assert!(!result.has_failed(), "{result:?}");
}

#[tokio::test]
async fn other_json_is_wrapped() {
    let list = json!({ "type": "array", "items": { "type": "integer" } });
    let tools = listed(&returning(&list)).await;
    let found = json!({ "type": ["array", "null"], "items": { "type": ["integer", "null"] } });
    let expected =
        json!({ "type": "object", "properties": { "result": found }, "required": ["result"] });
    assert_eq!(tools[0]["outputSchema"], or_undocumented(&expected));
    let api = Api::start(response("200 OK", "application/json", "[1,2]")).await;
    for document in [
        returning(&list),
        returning(&json!({ "title": "Any" })),
        plain(),
    ] {
        let result = call(&document, &api, "get", json!({})).await;
        let content: Value = result.structured().unwrap();
        assert_eq!(
            (content, result.text()),
            (json!({ "result": [1, 2] }), "[1,2]".to_owned())
        );
    }
}

#[tokio::test]
async fn a_schema_that_permits_anything_is_none() {
    let document = returning(&json!({ "title": "Any" }));
    assert!(listed(&document).await[0].get("outputSchema").is_none());
    let api = Api::start(response("200 OK", "application/json", r#"{"a":1}"#)).await;
    let content: Value = call(&document, &api, "get", json!({}))
        .await
        .structured()
        .unwrap();
    assert_eq!(content, json!({ "a": 1 }));
}

/// A call that has worked must not be made again because its result is another one.
#[tokio::test]
async fn results_that_break_the_document_are_no_failures() {
    let schema = json!({ "type": "object", "required": ["id"] });
    for (answer, text, undocumented) in [
        (
            response("200 OK", "application/json", r#"{"no":"id"}"#),
            r#"{"no":"id"}"#,
            json!({ "no": "id" }),
        ),
        (
            response("200 OK", "application/json", "null"),
            "null",
            Value::Null,
        ),
        (
            response("201 Created", "application/json", "{"),
            "{",
            json!("{"),
        ),
        (response("200 OK", "text/html", "<p>"), "<p>", json!("<p>")),
        (
            "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
            "HTTP 204 No Content",
            Value::Null,
        ),
    ] {
        let api = Api::start(answer).await;
        let result = call(&returning(&schema), &api, "get", json!({})).await;
        assert!(!result.has_failed(), "{result:?}");
        assert_eq!(result.text(), text);
        let content: Value = result.structured().unwrap();
        assert_eq!(content, json!({ "undocumented": undocumented }));
    }
    let api = Api::start(response("200 OK", "application/json", r#"{"no":"id"}"#)).await;
    let tools = open(&returning(&schema), &api)
        .output_schemas(false)
        .tools()
        .unwrap();
    let result = connect(tools).await.call_tool("get").await.unwrap();
    let content: Value = result.structured().unwrap();
    assert_eq!(content, json!({ "no": "id" }));
}

#[tokio::test]
async fn nulls_and_new_values_of_enumerations_fit() {
    let kind = json!({ "$ref": "#/components/schemas/Kind" });
    let schema = json!({
        "type": "object",
        "properties": {
            "id": { "type": "integer" }, "kind": kind, "list": { "type": "array", "items": kind },
            "parent": { "type": "object", "properties": { "id": { "type": "integer" } } },
        },
        "required": ["id", "kind"],
    });
    let mut document: Value = serde_json::from_str(&returning(&schema)).unwrap();
    document["components"]["schemas"]["Kind"] = json!({ "type": "string", "enum": ["a", "b"] });
    let document = document.to_string();
    let definitions = listed(&document).await.remove(0)["outputSchema"]["$defs"].clone();
    let expected = json!({ "type": ["string", "null"], "examples": ["a", "b"] });
    assert_eq!(definitions["Kind"], expected);
    for body in [
        json!({ "id": null, "kind": "c", "list": null, "parent": null }),
        json!({ "id": 1, "kind": null, "list": ["d", null], "parent": { "id": null } }),
    ] {
        let api = Api::start(response("200 OK", "application/json", &body.to_string())).await;
        let result = call(&document, &api, "get", json!({})).await;
        assert!(!result.has_failed(), "{result:?}");
        assert_eq!(result.structured::<Value>().unwrap(), body);
    }
}

#[tokio::test]
async fn texts_are_decoded_from_their_charset() {
    let answer = |media_type: &str, body: &[u8]| {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n\r\n"
        );
        [head.as_bytes(), body].concat()
    };
    for (media_type, body, expected) in [
        (
            "text/plain; charset=iso-8859-1",
            &b"caf\xe9"[..],
            "caf\u{e9}",
        ),
        (
            "text/plain; format=flowed; Charset=\"ISO-8859-1\"",
            b"\xfc",
            "\u{fc}",
        ),
        ("text/csv;charset=windows-1252", b"\x80", "\u{20ac}"),
        ("text/plain; charset=Shift_JIS", b"\x82\xa0", "\u{3042}"),
        ("application/xml; charset=utf-16le", b"<\0a\0", "<a"),
        ("text/plain", b"\xef\xbb\xbfhi", "hi"),
        (
            "application/json; charset=iso-8859-1",
            b"\"\xe9\"",
            "\"\u{e9}\"",
        ),
    ] {
        let api = Api::start(answer(media_type, body)).await;
        let result = call(&plain(), &api, "get", json!({})).await;
        assert_eq!(result.text(), expected, "{media_type}");
    }
    // What is not decoded stays as it is, with its charset.
    for (media_type, body, blob) in [
        ("text/plain; charset=unknown-1", &b"\xe9"[..], "6Q=="),
        ("text/plain", b"\xe9", "6Q=="),
    ] {
        let api = Api::start(answer(media_type, body)).await;
        let result = call(&plain(), &api, "get", json!({})).await;
        let content = serde_json::to_value(&result.content).unwrap();
        assert_eq!(content[0]["resource"]["blob"], blob);
        assert_eq!(content[0]["resource"]["mimeType"], media_type);
    }
    // The bodies of errors, too.
    let head = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=iso-8859-1\r\ncontent-length: 1\r\n\r\n";
    let api = Api::start([head.as_bytes(), b"\xe9"].concat()).await;
    let result = call(&plain(), &api, "get", json!({})).await;
    assert!(
        result.has_failed() && result.text().ends_with("\u{e9}"),
        "{result:?}"
    );
}

#[tokio::test]
async fn texts_images_and_bytes_are_content() {
    for (media_type, body, expected) in [
        ("text/plain", "hi", json!({ "type": "text", "text": "hi" })),
        (
            "image/svg+xml",
            "<svg/>",
            json!({ "type": "text", "text": "<svg/>" }),
        ),
        (
            "image/png",
            "hi",
            json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" }),
        ),
        (
            "audio/wav",
            "hi",
            json!({ "type": "audio", "data": "aGk=", "mimeType": "audio/wav" }),
        ),
    ] {
        let api = Api::start(response("200 OK", media_type, body)).await;
        let result = call(&plain(), &api, "get", json!({})).await;
        assert_eq!(
            serde_json::to_value(&result.content).unwrap(),
            json!([expected])
        );
    }
    let api = Api::start(response("200 OK", "application/zip", "hi")).await;
    let result = call(&plain(), &api, "get", json!({})).await;
    let uri = format!("{}x", api.url);
    let resource = json!({ "uri": uri, "mimeType": "application/zip", "blob": "aGk=" });
    let expected = json!([{ "type": "resource", "resource": resource }]);
    assert_eq!(serde_json::to_value(&result.content).unwrap(), expected);
    let unknown = "HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: 1\r\n\r\nx";
    let api = Api::start(unknown).await;
    let result = call(&plain(), &api, "get", json!({})).await;
    assert!(result.has_failed() && result.text().contains("encoding `br`"));
    let api = Api::start("HTTP/1.1 204 No Content\r\n\r\n").await;
    assert_eq!(
        call(&plain(), &api, "get", json!({})).await.text(),
        "HTTP 204 No Content"
    );
}

#[tokio::test]
async fn errors_are_failures_with_status_and_the_beginning_of_the_body() {
    let long = format!("no such thing\u{7}{}", "x".repeat(10_000));
    let api = Api::start(response("404 Not Found", "text/plain", &long)).await;
    let result = call(&plain(), &api, "get", json!({})).await;
    assert!(result.has_failed());
    let text = result.text();
    assert!(
        text.starts_with("the API answered with HTTP 404 Not Found:\nno such thingxx"),
        "{text}"
    );
    assert!(text.ends_with("xx…") && text.len() < 4300, "{}", text.len());
    let api = Api::start("HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n").await;
    let result = call(&plain(), &api, "get", json!({})).await;
    assert_eq!(
        result.text(),
        "the API answered with HTTP 500 Internal Server Error"
    );
}

#[tokio::test]
async fn an_api_that_cannot_be_reached_is_a_failure() {
    let api = Api {
        url: "http://127.0.0.1:1".to_owned(),
        requests: std::sync::Arc::default(),
    };
    let client = connect(open(&plain(), &api).tools().unwrap()).await;
    let result = client.call_tool("get").await;
    let result = result
        .map_err(|error: CallError| error.to_string())
        .unwrap();
    assert!(
        result.has_failed() && result.text().starts_with("the API cannot be reached: "),
        "{result:?}"
    );
}

#[tokio::test]
async fn member_that_is_only_written_is_not_required_by_a_sibling() {
    for reference in [false, true] {
        let user = json!({
            "type": "object",
            "properties": { "password": { "type": "string", "writeOnly": true }, "fine": {} },
        });
        let part = if reference {
            json!({ "$ref": "#/components/schemas/User" })
        } else {
            user.clone()
        };
        let schema =
            json!({ "type": "object", "allOf": [part, { "required": ["fine", "password"] }] });
        let content = json!({ "application/json": { "schema": schema } });
        let operation = json!({
            "operationId": "get",
            "responses": { "200": { "description": "", "content": content } },
        });
        let document = document("3.1.0", "/x", &json!({ "get": operation }));
        let mut document: Value = serde_json::from_str(&document).unwrap();
        document["components"] = json!({ "schemas": { "User": user } });
        let document = document.to_string();
        let schema = listed(&document).await.remove(0)["outputSchema"].to_string();
        assert!(schema.contains(r#""required":["fine"]"#), "{schema}");
        let api = Api::start(OK).await;
        let result = call(&document, &api, "get", json!({})).await;
        assert!(!result.has_failed(), "{result:?}");
    }
}
