//! Servers of operations, and what they get of secrets.

use mcp_openapi::{ApiRequest, FaultKind, OpenApi, OpenApiTools};
use mcp_server::Context;
use serde_json::{Value, json};

use super::{Api, OK, connect, document};

/// Returns a document with a list of servers, and an operation `get` with another one.
fn with_servers(servers: &Value, own: &str) -> String {
    let get = json!({ "operationId": "get", "servers": [{ "url": own }] });
    let text = document("3.1.0", "/x", &json!({ "get": get }));
    let mut document: Value = serde_json::from_str(&text).unwrap();
    document["servers"] = servers.clone();
    document.to_string()
}

/// Makes tools that send a secret, and send requests nowhere but return their URL and that secret.
fn echoing(api: OpenApi) -> OpenApiTools {
    let api = api.authorize(async |mut request: ApiRequest, _: Context| {
        request
            .headers_mut()
            .insert("authorization", "secret".parse()?);
        Ok(request)
    });
    let api = api.send_with(async |request: ApiRequest| {
        let secret = request.headers().get("authorization").is_some();
        let text = format!("{} {secret}", request.uri());
        Ok(http::Response::new(bytes::Bytes::from(text)))
    });
    api.tools().unwrap()
}

#[tokio::test]
async fn servers_of_operations_are_found_relative_to_the_url_of_the_api() {
    let absolute = json!([{ "url": "https://api.example/v1" }]);
    let relative = json!([{ "url": "/v1" }]);
    let root = json!([{ "url": "https://api.example" }]);
    for (servers, own, url, expected) in [
        // Without a URL of the program.
        (
            &absolute,
            "https://api.example/v2",
            None,
            "https://api.example/v2/x",
        ),
        (
            &absolute,
            "https://api.example:443/v2",
            None,
            "https://api.example/v2/x",
        ),
        (&absolute, "/v2", None, "https://api.example/v2/x"),
        (
            &absolute,
            "//api.example/v2",
            None,
            "https://api.example/v2/x",
        ),
        (&root, "/", None, "https://api.example/x"),
        // With one.
        (
            &absolute,
            "https://api.example/v2",
            Some("http://a/v1"),
            "http://a/v2/x",
        ),
        (
            &absolute,
            "https://api.example/v1/b",
            Some("http://a/v1"),
            "http://a/v1/b/x",
        ),
        (
            &absolute,
            "https://api.example/v2",
            Some("http://a/p/v1"),
            "http://a/p/v2/x",
        ),
        (
            &absolute,
            "https://api.example/v2",
            Some("http://a"),
            "http://a/v2/x",
        ),
        (&absolute, "/v2", Some("http://a/v1/"), "http://a/v2/x"),
        (&relative, "/v2", Some("http://a/v1"), "http://a/v2/x"),
        (
            &root,
            "https://api.example/b",
            Some("http://a/p"),
            "http://a/p/b/x",
        ),
        (&json!([]), "/v2", Some("http://a"), "http://a/v2/x"),
    ] {
        let mut api = OpenApi::parse(&with_servers(servers, own)).unwrap();
        if let Some(url) = url {
            api = api.base_url(url);
        }
        let made = echoing(api);
        assert!(made.faults.is_empty(), "{own}: {made:?}");
        let result = connect(made).await.call_tool("get").await.unwrap();
        assert_eq!(result.text(), format!("{expected} true"), "{own} {url:?}");
    }
}

/// An operation of another server is called there without secrets, if it is called there at all.
#[tokio::test]
async fn other_servers_get_no_secrets_unless_they_are_allowed() {
    let own = "https://uploads.example/v1";
    let alone = json!([{ "url": "https://api.example" }]);
    let listed = json!([{ "url": "https://api.example" }, { "url": "https://uploads.example" }]);
    let parse = |servers| OpenApi::parse(&with_servers(servers, own)).unwrap();

    // The document does not list the server.
    let made = echoing(parse(&alone));
    assert!(made.tools.is_empty());
    let fault = made.faults[0].to_string();
    assert!(
        fault.contains("`uploads.example`: see `OpenApi::allow_origin`"),
        "{fault}"
    );

    for (api, expected, faults) in [
        (parse(&listed), "https://uploads.example/v1/x false", 1),
        (
            parse(&alone).allow_origin("https://uploads.example"),
            "https://uploads.example/v1/x true",
            0,
        ),
        (
            parse(&listed).base_url("https://a.example"),
            "https://a.example/x true",
            1,
        ),
        (
            parse(&alone)
                .base_url("https://a.example")
                .allow_origin("https://uploads.example"),
            "https://uploads.example/v1/x true",
            0,
        ),
        // Another scheme is another origin.
        (
            parse(&listed).allow_origin("http://uploads.example"),
            "https://uploads.example/v1/x false",
            1,
        ),
    ] {
        let made = echoing(api);
        assert_eq!(made.faults.len(), faults, "{made:?}");
        assert!(
            made.faults.iter().all(|it| it.kind == FaultKind::Loosened),
            "{made:?}"
        );
        let result = connect(made).await.call_tool("get").await.unwrap();
        assert_eq!(result.text(), expected);
    }
    let error = parse(&alone)
        .allow_origin("uploads.example")
        .tools()
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("invalid URL of the API `uploads.example`"),
        "{error}"
    );
}

#[tokio::test]
async fn servers_that_the_document_cannot_locate_are_faults() {
    for own in [
        "v2",
        "../v2",
        "/a/../b",
        "https://{host}/",
        "ftp://api.example",
    ] {
        let servers = json!([{ "url": "https://api.example/v1" }]);
        let api = OpenApi::parse(&with_servers(&servers, own)).unwrap();
        let made = api.tools().unwrap();
        assert_eq!(
            (made.tools.len(), made.faults.len()),
            (0, 1),
            "{own}: {made:?}"
        );
        assert_eq!(made.faults[0].kind, FaultKind::Skipped);
    }
}

/// Over sockets: the server of the operation gets the request, and no secret.
#[tokio::test]
async fn requests_reach_the_server_of_their_operation() {
    let (api, uploads) = (Api::start(OK).await, Api::start(OK).await);
    let servers = json!([{ "url": api.url }, { "url": uploads.url }]);
    for is_allowed in [false, true] {
        let mut open = OpenApi::parse(&with_servers(&servers, &uploads.url)).unwrap();
        if is_allowed {
            open = open.allow_origin(&uploads.url);
        }
        let open = open.authorize(async |mut request: ApiRequest, _: Context| {
            request
                .headers_mut()
                .insert("authorization", "secret".parse()?);
            Ok(request)
        });
        let client = connect(open.tools().unwrap()).await;
        let result = client.call_tool("get").await.unwrap();
        assert!(!result.has_failed(), "{result:?}");
        let request = uploads.request();
        assert!(request.starts_with("GET /v1/x HTTP/1.1\r\n"), "{request}");
        assert_eq!(request.contains("secret"), is_allowed, "{request}");
    }
    assert!(api.is_untouched());
}
