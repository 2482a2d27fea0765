//! Files in multipart bodies, wherever their schema is.

use serde_json::{Value, json};

use super::{Api, OK, call, document, listed};

/// Returns a document whose `POST /things` has a multipart body of this schema.
fn uploading(schema: &Value) -> String {
    let content = json!({ "multipart/form-data": { "schema": schema } });
    let operation =
        json!({ "operationId": "send", "requestBody": { "required": true, "content": content } });
    let text = document("3.1.0", "/things", &json!({ "post": operation }));
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["components"]["schemas"] = json!({
        "File": { "type": "string", "contentMediaType": "application/octet-stream" },
        "Upload": {
            "type": "object",
            "properties": { "file": { "$ref": "#/components/schemas/File" }, "note": { "type": "string" } },
            "required": ["file"],
        },
    });
    document.to_string()
}

fn object(member: &Value) -> Value {
    json!({ "type": "object", "properties": { "file": member } })
}

/// A file that a program sends, and the part of the body that must be sent.
const DATA: &str = r#"{"data": "aGk=", "filename": "a.txt", "mediaType": "text/plain"}"#;
const PART: &str = "Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\
                    Content-Type: text/plain\r\n\r\nhi\r\n";

#[tokio::test]
async fn files_are_found_behind_references_and_compositions() {
    let file = json!({ "$ref": "#/components/schemas/File" });
    let binary = json!({ "type": "string", "format": "binary" });
    let none = json!({ "type": "null" });
    let upload = json!({ "$ref": "#/components/schemas/Upload" });
    for schema in [
        // As FastAPI writes `Optional[UploadFile]`, with pydantic 2 and 1.
        object(&json!({ "anyOf": [binary, none], "title": "File" })),
        object(&json!({ "anyOf": [file, none] })),
        object(&json!({ "allOf": [file], "description": "x" })),
        object(&json!({ "oneOf": [{ "allOf": [file] }, none] })),
        object(&json!({ "type": ["string", "null"], "format": "binary" })),
        // The schema of the body itself.
        json!({ "allOf": [upload], "title": "Body" }),
        json!({ "allOf": [upload, { "type": "object", "properties": { "more": {} } }] }),
        json!({ "anyOf": [upload, none] }),
        json!({ "oneOf": [upload, object(&json!({ "type": "string" }))] }),
        json!({ "type": "object", "allOf": [{ "properties": { "file": binary } }] }),
    ] {
        let api = Api::start(OK).await;
        let data: Value = serde_json::from_str(DATA).unwrap();
        let text = uploading(&schema);
        let result = call(&text, &api, "send", json!({ "file": data })).await;
        assert!(!result.has_failed(), "{schema}: {result:?}");
        let body = api.body();
        assert!(body.contains(PART), "{schema}: {body}");
    }
}

#[tokio::test]
async fn files_of_bodies_with_other_members_are_files() {
    let binary = json!({ "type": "string", "format": "binary" });
    let named = json!({
        "type": "object", "properties": { "file": { "anyOf": [binary, { "type": "null" }] } },
        "additionalProperties": true,
    });
    let unnamed = json!({
        "type": "object", "properties": { "note": { "type": "string" } }, "additionalProperties": binary,
    });
    for schema in [named, unnamed] {
        let api = Api::start(OK).await;
        let data: Value = serde_json::from_str(DATA).unwrap();
        let arguments = json!({ "body": { "file": data } });
        let result = call(&uploading(&schema), &api, "send", arguments).await;
        assert!(!result.has_failed(), "{schema}: {result:?}");
        let body = api.body();
        assert!(body.contains(PART), "{schema}: {body}");
    }
}

#[tokio::test]
async fn optional_lists_of_files_are_lists() {
    let binary = json!({ "type": "string", "format": "binary" });
    let list = json!({ "type": "array", "items": binary });
    let schema = object(&json!({ "anyOf": [list, { "type": "null" }] }));
    let tools = listed(&uploading(&schema)).await;
    let argument = &tools[0]["inputSchema"]["properties"]["file"];
    assert_eq!(argument["items"]["required"], json!(["data"]));

    let api = Api::start(OK).await;
    let arguments = json!({ "file": [{ "data": "aGk=" }, { "data": "aG8=" }] });
    call(&uploading(&schema), &api, "send", arguments).await;
    let body = api.body();
    assert_eq!(body.matches("filename=\"file\"").count(), 2, "{body}");
}

#[tokio::test]
async fn required_members_are_those_of_parts_that_always_hold() {
    let upload = json!({ "$ref": "#/components/schemas/Upload" });
    for (schema, required) in [
        (json!({ "allOf": [upload] }), json!(["file"])),
        (
            json!({ "oneOf": [upload, object(&json!({}))] }),
            Value::Null,
        ),
    ] {
        let tools = listed(&uploading(&schema)).await;
        assert_eq!(tools[0]["inputSchema"]["required"], required, "{schema}");
    }
}

/// A text that is encoded already is not a file.
#[tokio::test]
async fn encoded_texts_are_sent_as_they_are() {
    let schema = object(&json!({
        "type": "string", "contentMediaType": "image/png", "contentEncoding": "base64",
    }));
    let api = Api::start(OK).await;
    call(&uploading(&schema), &api, "send", json!({ "file": "aGk=" })).await;
    let body = api.body();
    assert!(body.contains("name=\"file\"\r\n\r\naGk=\r\n"), "{body}");
}
