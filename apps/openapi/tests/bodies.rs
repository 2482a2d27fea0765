//! Bodies of requests.

use serde_json::{Value, json};

use super::{Api, OK, call, listed, with_body};

fn body(media_type: &str, schema: &Value) -> Value {
    json!({ "required": true, "content": { media_type: { "schema": schema } } })
}

#[tokio::test]
async fn json_bodies_are_written_from_members_or_as_a_whole() {
    let api = Api::start(OK).await;
    let object = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "id": { "type": "integer", "readOnly": true } },
        "required": ["id", "name"],
    });
    let document = with_body(&body("application/vnd.x+json", &object));
    call(&document, &api, "send", json!({ "name": "é" })).await;
    let request = api.request();
    assert!(
        request.contains("\r\ncontent-type: application/vnd.x+json\r\n"),
        "{request}"
    );
    assert!(request.ends_with("\r\n\r\n{\"name\":\"é\"}"), "{request}");

    let list = json!({ "type": "array", "items": { "type": "integer" } });
    let document = with_body(&body("application/json", &list));
    call(&document, &api, "send", json!({ "body": [1, 2] })).await;
    assert_eq!(api.body(), "[1,2]");

    // A body that may be left out is an argument of its own if it has required members.
    let document = with_body(&json!({ "content": { "application/json": { "schema": object } } }));
    call(&document, &api, "send", json!({})).await;
    let request = api.request();
    assert!(
        !request.contains("content-type") && request.ends_with("\r\n\r\n"),
        "{request}"
    );
    call(&document, &api, "send", json!({ "body": { "name": "x" } })).await;
    assert_eq!(api.body(), r#"{"name":"x"}"#);
}

#[tokio::test]
async fn forms_are_encoded_with_the_styles_of_their_members() {
    let api = Api::start(OK).await;
    let schema = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string" },
            "list": { "type": "array", "items": { "type": "string" } },
            "deep": { "type": "object" },
            "json": { "type": "object" },
        },
    });
    let mut form = body("application/x-www-form-urlencoded", &schema);
    form["content"]["application/x-www-form-urlencoded"]["encoding"] = json!({
        "deep": { "style": "deepObject", "explode": true },
        "json": { "contentType": "application/json" },
    });
    let arguments = json!({
        "text": "a b&c=é", "list": ["x", "y"], "deep": { "k": { "l": 1 } }, "json": { "m": 2 },
    });
    call(&with_body(&form), &api, "send", arguments).await;
    let request = api.request();
    assert!(
        request.contains("\r\ncontent-type: application/x-www-form-urlencoded\r\n"),
        "{request}"
    );
    let written =
        "text=a%20b%26c%3D%C3%A9&list=x&list=y&deep%5Bk%5D%5Bl%5D=1&json=%7B%22m%22%3A2%7D";
    assert!(request.ends_with(written), "{request}");
}

/// The specification and other programs write them as JSON.
#[tokio::test]
async fn objects_in_forms_without_a_style_are_json() {
    let api = Api::start(OK).await;
    let object = json!({ "type": "object" });
    let schema = json!({
        "type": "object",
        "properties": {
            "object": object, "objects": { "type": "array", "items": object },
            "texts": { "type": "array", "items": { "type": "string" } },
            "lists": { "type": "array", "items": { "type": "array" } },
            "headers": object, "styled": object,
        },
    });
    let mut form = body("application/x-www-form-urlencoded", &schema);
    form["content"]["application/x-www-form-urlencoded"]["encoding"] = json!({
        "headers": { "headers": {} },
        "styled": { "style": "form" },
    });
    for (arguments, written) in [
        (json!({ "object": { "a": 1 } }), "object=%7B%22a%22%3A1%7D"),
        (
            json!({ "objects": [{ "a": 1 }, {}] }),
            "objects=%5B%7B%22a%22%3A1%7D%2C%7B%7D%5D",
        ),
        (json!({ "lists": [["a"]] }), "lists=%5B%5B%22a%22%5D%5D"),
        (json!({ "texts": ["a", "b"] }), "texts=a&texts=b"),
        (
            json!({ "headers": { "a": 1 } }),
            "headers=%7B%22a%22%3A1%7D",
        ),
        (json!({ "styled": { "a": 1, "b": 2 } }), "a=1&b=2"),
    ] {
        call(&with_body(&form), &api, "send", arguments).await;
        assert_eq!(api.body(), written);
    }
}

#[tokio::test]
async fn multipart_bodies_have_texts_and_files() {
    let api = Api::start(OK).await;
    let file = json!({ "type": "string", "format": "binary", "description": "A picture" });
    let schema = json!({
        "type": "object",
        "properties": {
            "title": { "type": "string" },
            "meta": { "type": "object" },
            "picture": file,
            "more": { "type": "array", "items": file },
        },
        "required": ["picture"],
    });
    let document = with_body(&body("multipart/form-data", &schema));
    let tools = listed(&document).await;
    let properties = &tools[0]["inputSchema"]["properties"];
    assert_eq!(properties["picture"]["required"], json!(["data"]));
    assert_eq!(properties["picture"]["description"], "A picture");
    assert_eq!(properties["more"]["type"], "array");

    let arguments = json!({
        "title": "x\r\ny",
        "meta": { "a": 1 },
        "picture": { "data": "AAE=", "filename": "a\"\r\nb.png", "mediaType": "image/png" },
        "more": [{ "data": "Y A\n==" }],
    });
    call(&document, &api, "send", arguments).await;
    let request = api.request();
    let (_, boundary) = request
        .split_once("multipart/form-data; boundary=")
        .unwrap();
    let boundary = boundary.split("\r\n").next().unwrap();
    assert_eq!(boundary.len(), 36);
    let (_, body) = request.split_once("\r\n\r\n").unwrap();
    let part = |head: &str, content: &str| {
        format!("--{boundary}\r\nContent-Disposition: form-data; name={head}\r\n\r\n{content}\r\n")
    };
    let expected = [
        part("\"title\"", "x\r\ny"),
        part("\"meta\"\r\nContent-Type: application/json", r#"{"a":1}"#),
        part(
            "\"picture\"; filename=\"a%22%0D%0Ab.png\"\r\nContent-Type: image/png",
            "\0\u{1}",
        ),
        part(
            "\"more\"; filename=\"more\"\r\nContent-Type: application/octet-stream",
            "`",
        ),
        format!("--{boundary}--\r\n"),
    ];
    assert_eq!(body, expected.concat());
}

#[tokio::test]
async fn files_must_be_base64_with_a_plain_media_type() {
    let api = Api::start(OK).await;
    let schema = json!({
        "type": "object",
        "properties": { "file": { "type": "string", "format": "binary" } },
    });
    let document = with_body(&body("multipart/form-data", &schema));
    for (file, reason) in [
        (json!({ "data": "?" }), "`file`: expected base64"),
        (
            json!({ "data": "", "mediaType": "text/plain\r\nX-Evil: 1" }),
            "`file.mediaType`: expected a media type",
        ),
    ] {
        let result = call(&document, &api, "send", json!({ "file": file })).await;
        assert!(
            result.has_failed() && result.text().contains(reason),
            "{result:?}"
        );
    }
    assert!(api.is_untouched());
}

#[tokio::test]
async fn other_bodies_are_text_or_base64() {
    let api = Api::start(OK).await;
    let string = json!({ "type": "string" });
    call(
        &with_body(&body("application/xml", &string)),
        &api,
        "send",
        json!({ "body": "<a/>" }),
    )
    .await;
    let request = api.request();
    assert!(request.contains("content-type: application/xml\r\n") && request.ends_with("<a/>"));

    let binary = json!({ "type": "string", "format": "binary" });
    for media_type in ["application/octet-stream", "*/*"] {
        let document = with_body(&body(media_type, &binary));
        call(&document, &api, "send", json!({ "body": "aGk=" })).await;
        let request = api.request();
        assert!(
            request.contains("content-type: application/octet-stream\r\n"),
            "{request}"
        );
        assert!(request.ends_with("\r\n\r\nhi"), "{request}");
    }
}
