//! How the values of parameters are written.

use mcp_openapi::NestedLists;
use serde_json::{Value, json};

use super::{Api, OK, call, connect, document, listed, open, with_parameters};

#[tokio::test]
async fn a_request_has_exactly_these_bytes() {
    let api = Api::start(OK).await;
    let parameters = json!([
        { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
        { "name": "limit", "in": "query", "schema": { "type": "integer" } },
        { "name": "X-Trace", "in": "header", "schema": { "type": "array", "items": { "type": "integer" } } },
        { "name": "theme", "in": "cookie", "schema": { "type": "string" } },
        { "name": "size", "in": "cookie", "schema": { "type": "integer" } },
    ]);
    let arguments =
        json!({ "id": "a b/ü", "limit": 3, "X-Trace": [1, 2], "theme": "a;b", "size": 1 });
    let result = call(
        &with_parameters("/things/{id}/all", &parameters),
        &api,
        "get",
        arguments,
    )
    .await;
    assert_eq!(result.text(), r#"{"fine":true}"#);
    let host = api
        .url
        .strip_prefix("http://")
        .unwrap()
        .strip_suffix("/v1/")
        .unwrap();
    let expected = format!(
        "GET /v1/things/a%20b%2F%C3%BC/all?limit=3 HTTP/1.1\r\nx-trace: 1,2\r\ncookie: theme=a%3Bb; size=1\r\n\
         accept: application/json, */*;q=0.1\r\nuser-agent: mcp-gateway/{}\r\nhost: {host}\r\n\r\n",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(api.request(), expected);
}

/// Each row of the table of styles in OpenAPI, for a value.
#[tokio::test]
async fn styles_are_those_of_the_specification() {
    let api = Api::start(OK).await;
    let list = json!(["blue", "bl,k"]);
    let object = json!({ "G": "a&b", "R": 100 });
    for (place, style, explode, value, expected) in [
        (
            "query",
            "form",
            true,
            &json!("a b&c=d#e"),
            "?color=a%20b%26c%3Dd%23e",
        ),
        ("query", "form", true, &list, "?color=blue&color=bl%2Ck"),
        ("query", "form", false, &list, "?color=blue,bl%2Ck"),
        ("query", "form", true, &object, "?G=a%26b&R=100"),
        ("query", "form", false, &object, "?color=G,a%26b,R,100"),
        (
            "query",
            "spaceDelimited",
            false,
            &list,
            "?color=blue%20bl%2Ck",
        ),
        (
            "query",
            "pipeDelimited",
            false,
            &list,
            "?color=blue%7Cbl%2Ck",
        ),
        (
            "query",
            "deepObject",
            true,
            &object,
            "?color%5BG%5D=a%26b&color%5BR%5D=100",
        ),
        (
            "query",
            "deepObject",
            true,
            &json!({ "a": { "b": [1] } }),
            "?color%5Ba%5D%5Bb%5D%5B0%5D=1",
        ),
        ("query", "form", true, &json!([]), ""),
        ("path", "simple", false, &json!("blue"), "blue"),
        ("path", "simple", false, &list, "blue,bl%2Ck"),
        ("path", "simple", false, &object, "G,a%26b,R,100"),
        ("path", "simple", true, &object, "G=a%26b,R=100"),
        ("path", "label", false, &list, ".blue,bl%2Ck"),
        ("path", "label", true, &list, ".blue.bl%2Ck"),
        ("path", "label", true, &object, ".G=a%26b.R=100"),
        ("path", "matrix", false, &json!(5), ";color=5"),
        ("path", "matrix", false, &list, ";color=blue,bl%2Ck"),
        ("path", "matrix", true, &list, ";color=blue;color=bl%2Ck"),
        ("path", "matrix", true, &object, ";G=a%26b;R=100"),
        ("path", "matrix", false, &object, ";color=G,a%26b,R,100"),
    ] {
        let parameters = json!([
            { "name": "color", "in": place, "required": true, "style": style, "explode": explode, "schema": {} },
        ]);
        let path = if place == "path" { "/x/{color}" } else { "/x/" };
        let document = with_parameters(path, &parameters);
        call(&document, &api, "get", json!({ "color": value })).await;
        assert_eq!(
            api.target(),
            format!("/v1/x/{expected}"),
            "{place} {style} {explode} {value}"
        );
    }
}

#[tokio::test]
async fn content_parameters_are_json_and_allowed_reserved_characters_stay() {
    let api = Api::start(OK).await;
    let parameters = json!([
        { "name": "filter", "in": "query", "content": { "application/json": { "schema": {} } } },
        { "name": "url", "in": "query", "allowReserved": true, "schema": { "type": "string" } },
    ]);
    let arguments = json!({ "filter": { "a": [1] }, "url": "http://x/?a=1&b#c;d" });
    call(&with_parameters("/x", &parameters), &api, "get", arguments).await;
    let target = api.target();
    assert_eq!(
        target,
        "/v1/x?filter=%7B%22a%22%3A%5B1%5D%7D&url=http://x/?a%3D1%26b%23c%3Bd"
    );
}

#[tokio::test]
async fn equal_names_get_the_name_of_their_place() {
    let api = Api::start(OK).await;
    let body = json!({
        "required": true,
        "content": { "application/json": { "schema": {
            "type": "object",
            "properties": { "id": { "type": "string" }, "filter[a]": { "type": "string" } },
            "required": ["id"],
        } } },
    });
    let item = json!({
        "parameters": [
            { "name": "id", "in": "query", "schema": { "type": "string" } },
            { "name": "lang", "in": "query", "schema": { "type": "boolean" } },
        ],
        "put": {
            "operationId": "put",
            "parameters": [
                { "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } },
                { "name": "filter_a", "in": "query", "schema": { "type": "string" } },
                // Replaces the one of the path.
                { "name": "lang", "in": "query", "schema": { "type": "string" } },
            ],
            "requestBody": body,
        },
    });
    let document = document("3.0.0", "/x/{id}", &item);
    let tools = listed(&document).await;
    let properties = &tools[0]["inputSchema"]["properties"];
    let names: Vec<_> = properties.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "id",
            "query_id",
            "lang",
            "filter_a",
            "body_id",
            "body_filter_a"
        ]
    );
    assert_eq!(properties["lang"]["type"], "string");
    assert_eq!(
        tools[0]["inputSchema"]["required"],
        json!(["id", "body_id"])
    );
    let arguments = json!({
        "id": 1, "query_id": "q", "body_id": "b", "filter_a": "x", "body_filter_a": "y",
    });
    call(&document, &api, "put", arguments).await;
    let request = api.request();
    assert!(
        request.starts_with("PUT /v1/x/1?id=q&filter_a=x HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(
        request.ends_with(r#"{"id":"b","filter[a]":"y"}"#),
        "{request}"
    );
}

#[tokio::test]
async fn fragments_are_not_sent_and_fixed_queries_are() {
    let api = Api::start(OK).await;
    let parameters = json!([{ "name": "a", "in": "query", "schema": {} }]);
    call(
        &with_parameters("/x#y", &parameters),
        &api,
        "get",
        json!({ "a": 1 }),
    )
    .await;
    assert_eq!(api.target(), "/v1/x?a=1");
    call(
        &with_parameters("/x?b=2", &parameters),
        &api,
        "get",
        json!({ "a": 1 }),
    )
    .await;
    assert_eq!(api.target(), "/v1/x?b=2&a=1");
}

#[tokio::test]
async fn wrong_arguments_are_explained_and_not_sent() {
    let api = Api::start(OK).await;
    let parameters = json!([
        { "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } },
    ]);
    let document = with_parameters("/x/{id}", &parameters);
    for arguments in [
        json!({}),
        json!({ "id": "x" }),
        json!({ "id": 1, "other": Value::Null }),
    ] {
        let result = call(&document, &api, "get", arguments).await;
        assert!(
            result.has_failed() && result.text().starts_with("arguments of `get`"),
            "{result:?}"
        );
    }
    assert!(api.is_untouched());
}

/// A list that differs each time would be a new one to caches.
#[tokio::test]
async fn parameters_that_are_not_declared_keep_their_order() {
    let tools = listed(&with_parameters("/{d}/{b}/{f}/{a}/{e}/{c}", &json!([]))).await;
    let names = tools[0]["inputSchema"]["required"].clone();
    assert_eq!(names, json!(["a", "b", "c", "d", "e", "f"]));
}

#[tokio::test]
async fn members_of_an_object_are_not_another_parameter() {
    let api = Api::start(OK).await;
    for place in ["query", "cookie"] {
        let parameters = json!([
            { "name": "limit", "in": place, "schema": { "type": "integer" } },
            { "name": "filter", "in": place, "schema": { "type": "object" } },
        ]);
        let document = with_parameters("/x?action=list", &parameters);
        let mut names = vec!["limit"];
        names.extend((place == "query").then_some("action"));
        for name in names {
            let arguments = json!({ "limit": 1, "filter": { "color": "red", name: 1_000 } });
            let result = call(&document, &api, "get", arguments).await;
            let expected = format!("`filter`: `{name}` is set by another argument, or by the API");
            assert!(
                result.has_failed() && result.text() == expected,
                "{result:?}"
            );
            assert!(api.is_untouched());
        }
        let arguments = json!({ "limit": 1, "filter": { "color": "red", "filter": "a" } });
        let result = call(&document, &api, "get", arguments).await;
        assert!(!result.has_failed(), "{result:?}");
        let _ = api.request();
    }
}

/// The specification leaves it open, and servers differ.
#[tokio::test]
async fn lists_in_deep_objects_are_written_as_the_program_says() {
    let api = Api::start(OK).await;
    let parameters = json!([{
        "name": "f", "in": "query", "style": "deepObject", "explode": true, "schema": { "type": "object" },
    }]);
    let text = with_parameters("/x", &parameters);
    let arguments = json!({ "f": { "a": ["x", 1], "b": [{ "c": [2] }] } });
    for (lists, expected) in [
        (
            NestedLists::Indexed,
            "f%5Ba%5D%5B0%5D=x&f%5Ba%5D%5B1%5D=1&f%5Bb%5D%5B0%5D%5Bc%5D%5B0%5D=2",
        ),
        (
            NestedLists::Brackets,
            "f%5Ba%5D%5B%5D=x&f%5Ba%5D%5B%5D=1&f%5Bb%5D%5B0%5D%5Bc%5D%5B%5D=2",
        ),
        (
            NestedLists::Repeated,
            "f%5Ba%5D=x&f%5Ba%5D=1&f%5Bb%5D%5B0%5D%5Bc%5D=2",
        ),
    ] {
        let made = open(&text, &api).nested_lists(lists).tools().unwrap();
        let client = connect(made).await;
        let call = client.call_tool("get").arguments(&arguments);
        call.await.unwrap();
        assert_eq!(api.target(), format!("/v1/x?{expected}"));
    }
}
