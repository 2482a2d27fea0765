//! Requests are authorized by the program, never by the model.

use mcp_client::{ByteStream, Client};
use mcp_openapi::{ApiRequest, OpenApi, Operation};
use mcp_server::{Context, HandlerError, Principal, Server};
use serde_json::json;

use super::{Api, OK, connect, document, open};

/// A document whose operation names its own secrets as parameters.
fn protected() -> String {
    let operation = json!({
        "operationId": "get",
        "parameters": [
            { "name": "Authorization", "in": "header", "required": true, "schema": { "type": "string" } },
            { "name": "x-api-key", "in": "header", "schema": { "type": "string" } },
            { "name": "key", "in": "query", "schema": { "type": "string" } },
            { "name": "Host", "in": "header", "schema": { "type": "string" } },
            { "name": "filter", "in": "query", "schema": { "type": "object" } },
            { "name": "theme", "in": "cookie", "schema": { "type": "string" } },
            { "name": "more", "in": "cookie", "schema": { "type": "object" } },
            { "name": "deep", "in": "query", "style": "deepObject", "explode": true, "schema": { "type": "object" } },
        ],
    });
    let mut document: serde_json::Value =
        serde_json::from_str(&document("3.0.0", "/x", &json!({ "get": operation }))).unwrap();
    document["components"]["securitySchemes"] = json!({
        "header": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
        "query": { "type": "apiKey", "in": "query", "name": "key" },
        "cookie": { "type": "apiKey", "in": "cookie", "name": "sid" },
    });
    document.to_string()
}

async fn authorize(mut request: ApiRequest, cx: Context) -> Result<ApiRequest, HandlerError> {
    let Some(Principal(user)) = cx.extension() else {
        return Err(HandlerError::forbidden("log in first"));
    };
    assert_eq!(request.extensions().get::<Operation>().unwrap().name, "get");
    request
        .headers_mut()
        .insert("authorization", format!("Bearer of {user}").parse()?);
    request.headers_mut().insert("cookie", "session=1".parse()?);
    Ok(request)
}

#[tokio::test]
async fn the_program_adds_the_credentials_of_the_caller() {
    let api = Api::start(OK).await;
    let tools = open(&protected(), &api)
        .authorize(authorize)
        .tools()
        .unwrap();
    let server = Server::builder("test", "1.0.0")
        .merge(tools.into_group())
        .build()
        .unwrap();
    let ada = ByteStream::of(server.in_memory_as(Principal("ada".to_owned())));
    let client = Client::builder("test", "1.0.0").connect(ada).await.unwrap();
    let tools = client.tools().all().await.unwrap();
    let tool = serde_json::to_value(&tools.items[0]).unwrap();
    let names: Vec<_> = tool["inputSchema"]["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(names, ["filter", "deep", "theme", "more"]);
    client
        .call_tool("get")
        .arguments(json!({ "theme": "dark" }))
        .await
        .unwrap();
    let request = api.request();
    assert!(
        request.contains("\r\nauthorization: Bearer of ada\r\n"),
        "{request}"
    );
    assert!(
        request.contains("\r\ncookie: session=1; theme=dark\r\n"),
        "{request}"
    );

    let nobody = ByteStream::of(server.in_memory());
    let client = Client::builder("test", "1.0.0")
        .connect(nobody)
        .await
        .unwrap();
    let error = client.call_tool("get").await.unwrap_err();
    assert!(error.to_string().contains("log in first"), "{error}");
    assert!(api.is_untouched());
}

#[tokio::test]
async fn the_model_cannot_name_a_secret() {
    let api = Api::start(OK).await;
    let client = connect(open(&protected(), &api).tools().unwrap()).await;
    for arguments in [
        json!({ "Authorization": "Bearer x" }),
        json!({ "x-api-key": "x" }),
        json!({ "key": "x" }),
        // The members of an object become parameters of the query.
        json!({ "filter": { "key": "x" } }),
        json!({ "more": { "SID": "x" } }),
    ] {
        let result = client.call_tool("get").arguments(&arguments).await.unwrap();
        assert!(result.has_failed(), "{arguments}");
    }
    assert!(api.is_untouched());
    // This is not the parameter `key`, but `deep[key]`.
    let arguments = json!({ "deep": { "key": "x" } });
    client.call_tool("get").arguments(&arguments).await.unwrap();
    assert_eq!(api.target(), "/v1/x?deep%5Bkey%5D=x");
}

/// Some APIs are authorized by the path or by the query.
#[tokio::test]
async fn secrets_of_the_url_are_not_shown() {
    async fn authorize(mut request: ApiRequest, _: Context) -> Result<ApiRequest, HandlerError> {
        let mut parts = request.uri().clone().into_parts();
        parts.path_and_query = Some("/bot-secret/x?key=secret".parse()?);
        *request.uri_mut() = http::Uri::from_parts(parts)?;
        Ok(request)
    }
    let moved =
        "HTTP/1.1 301 Moved Permanently\r\nlocation: https://a.example/x?key=secret\r\n\r\n";
    for response in [moved, "HTTP/1.1 200 OK\r\ncontent-type: a/b\r\n\r\nx"] {
        let api = Api::start(response).await;
        let tools = open(&protected(), &api).authorize(authorize).tools();
        let client = connect(tools.unwrap()).await;
        let result = client.call_tool("get").await.unwrap();
        assert!(api.target().contains("bot-secret"));
        assert!(!format!("{result:?}").contains("secret"), "{result:?}");
    }
    let api = OpenApi::parse(&protected()).unwrap();
    let api = api.base_url("https://api.example").authorize(authorize);
    let api = api.send_with(async |request: ApiRequest| {
        Err(format!("cannot connect: {}", request.uri()).into())
    });
    let client = connect(api.tools().unwrap()).await;
    let result = client.call_tool("get").await.unwrap();
    let expected = "the API cannot be reached: cannot connect: https://api.example…";
    assert_eq!(result.text(), expected);
}

#[tokio::test]
async fn authorization_cannot_change_the_host() {
    let api = Api::start(OK).await;
    let tools = open(&protected(), &api).authorize(async |mut request: ApiRequest, _| {
        *request.uri_mut() = "http://elsewhere.example/x".parse()?;
        Ok(request)
    });
    let client = connect(tools.tools().unwrap()).await;
    let error = client.call_tool("get").await.unwrap_err();
    assert!(error.to_string().contains("changed the host"), "{error}");
}

#[tokio::test]
async fn a_program_can_send_requests_itself() {
    let api = OpenApi::parse(&protected())
        .unwrap()
        .base_url("https://api.example/");
    let api = api.send_with(async |request: ApiRequest| {
        assert_eq!(request.uri(), "https://api.example/x");
        let mut response = http::Response::new(bytes::Bytes::from_static(b"fine"));
        response
            .headers_mut()
            .insert("content-type", "text/plain".parse()?);
        Ok(response)
    });
    let client = connect(api.tools().unwrap()).await;
    assert_eq!(client.call_tool("get").await.unwrap().text(), "fine");
}

/// Frameworks take `key[]` for `key`, CGI takes `X_Api_Key` for `X-Api-Key`, and servers believe proxies.
#[tokio::test]
async fn spellings_of_secrets_and_headers_of_proxies_are_no_arguments() {
    let query = ["key[]", "key[0]", "KEY", "key[a][b]"];
    let headers = [
        "X_Api_Key",
        "X-Forwarded-For",
        "x-forwarded-host",
        "X-Forwarded-Proto",
        "X-Real-IP",
        "Forwarded",
        "Via",
        "True-Client-IP",
        "CF-Connecting-IP",
        "X-Original-URL",
        "X-HTTP-Method-Override",
        "Proxy-Authorization",
        "Keep-Alive",
        "Content-Encoding",
        "X_Forwarded_For",
    ];
    let parameter =
        |name: &&str, place| json!({ "name": name, "in": place, "schema": { "type": "string" } });
    let query = query.iter().map(|name| parameter(name, "query"));
    let headers = headers.iter().map(|name| parameter(name, "header"));
    let others = [parameter(&"keys", "query"), parameter(&"X-Trace", "header")];
    let parameters: Vec<_> = query.chain(headers).chain(others).collect();
    let mut document: serde_json::Value = serde_json::from_str(&protected()).unwrap();
    document["paths"]["/x"]["get"]["parameters"] = json!(parameters);
    let tools = super::listed(&document.to_string()).await;
    let names: Vec<_> = tools[0]["inputSchema"]["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(names, ["keys", "X-Trace"]);

    let api = Api::start(OK).await;
    let client = connect(open(&protected(), &api).tools().unwrap()).await;
    for arguments in [
        json!({ "filter": { "key[]": "x" } }),
        json!({ "more": { "sid[0]": "x" } }),
    ] {
        let result = client.call_tool("get").arguments(&arguments).await.unwrap();
        assert!(result.has_failed(), "{arguments}");
    }
    assert!(api.is_untouched());
}
