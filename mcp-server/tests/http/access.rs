//! Responses over HTTP to a caller that may not use a tool, in both eras.

use mcp_server::middleware::{self, Next, Outcome, Request};
use mcp_server::{HandlerError, HttpConfig, HttpParts, Principal, Server, ToolDef};

use super::legacy::*;
use super::principals::mount;
use super::subject::serve;
use super::subject::*;

async fn only_ada(principal: Option<Principal>) -> Result<(), HandlerError> {
    match principal {
        Some(Principal(name)) if name == "ada" => Ok(()),
        Some(_) => Err(HandlerError::insufficient_scope("notes:read notes:write")),
        None => Err(HandlerError::forbidden("sign in first")),
    }
}

async fn only_get(request: Request, next: Next) -> Outcome {
    if request.param::<String>("name")?.as_deref() == Some("locked") {
        return Err(HandlerError::forbidden("locked"));
    }
    next.run(request).await
}

async fn path(parts: HttpParts) -> String {
    parts.uri.path().to_owned()
}

fn server(layered: bool) -> Server {
    let mut builder = Server::builder("test", "1");
    if layered {
        builder = builder.layer(middleware::from_fn(only_get));
    }
    builder
        .add_tool(ToolDef::new("notes").guard(only_ada).handler(path))
        .tool("locked", "", path)
        .build()
        .expect("valid")
}

#[tokio::test]
async fn guard_returns_403_with_the_challenge_in_both_eras() {
    for layered in [false, true] {
        let address = mount(&server(layered), HttpConfig::new()).await;
        let session = start_session(address, "2025-06-18").await;
        for (headers, body) in [
            (call_headers("notes"), call(1, "notes")),
            (session, tool(1, "notes")),
        ] {
            let (head, text) = Raw::post(address, &headers, &body).await;
            assert_eq!(head.status, 403, "{text}");
            assert_eq!(code(&text), -32600);
            assert!(text.contains("sign in first"), "{text}");
            assert_eq!(head.get("www-authenticate"), None);
        }
        let bob = with_header(call_headers("notes"), "X-User", "bob");
        let (head, text) = Raw::post(address, &bob, &call(1, "notes")).await;
        assert_eq!(head.status, 403, "{text}");
        assert_eq!(
            head.get("www-authenticate"),
            Some("Bearer error=\"insufficient_scope\", scope=\"notes:read notes:write\"")
        );
        let ada = with_header(call_headers("notes"), "X-User", "ada");
        let (head, text) = Raw::post(address, &ada, &call(1, "notes")).await;
        assert_eq!(head.status, 200, "{text}");
        assert!(text.contains(r#""text":"/mcp""#), "{text}");
    }
}

#[tokio::test]
async fn layer_does_not_change_status_codes() {
    for layered in [false, true] {
        let address = serve(&server(layered));
        let wrong = call(1, "locked").replace(r#""arguments":{}"#, r#""arguments":1"#);
        let unknown = call(1, "other").replace("tools/call", "no/method");
        let unknown_headers = with_header(call_headers("locked"), "Mcp-Method", "no/method");
        for (headers, body, status) in [
            (
                call_headers("locked"),
                wrong,
                if layered { 403 } else { 400 },
            ),
            (with_header(unknown_headers, "Mcp-Name", ""), unknown, 404),
        ] {
            let (head, text) = Raw::post(address, &headers, &body).await;
            assert_eq!(head.status, status, "{layered} {text}");
        }
        let wrong = call(1, "notes").replace(r#""arguments":{}"#, r#""arguments":1"#);
        let (head, text) = Raw::post(address, &call_headers("notes"), &wrong).await;
        assert_eq!(
            (head.status, code(&text)),
            (400, -32602),
            "{layered} {text}"
        );
    }
}

#[tokio::test]
async fn insufficient_scope_from_middleware_returns_403() {
    let address = serve(&server(true));
    let (head, text) = Raw::post(address, &call_headers("locked"), &call(1, "locked")).await;
    assert_eq!((head.status, code(&text)), (403, -32600), "{text}");
}

#[tokio::test]
async fn scope_that_a_header_cannot_represent_is_omitted() {
    let guard = async || Err::<(), _>(HandlerError::insufficient_scope("a\"\r\nx: y"));
    let tool = ToolDef::new("notes").guard(guard).handler(path);
    let server = Server::builder("test", "1")
        .add_tool(tool)
        .build()
        .expect("valid");
    let (head, _) = Raw::post(serve(&server), &call_headers("notes"), &call(1, "notes")).await;
    assert_eq!(head.status, 403);
    assert_eq!(
        head.get("www-authenticate"),
        Some("Bearer error=\"insufficient_scope\"")
    );
}
