//! A URL gives access to what its principal may read, and nothing else.

use std::net::SocketAddr;

use axum::extract::Request;
use axum::middleware::{self, Next};
use mcp_server::{
    Context, Extensions, HandlerError, HttpConfig, Principal, ReadByUrl, ResourceUri, ServerBuilder,
};
use serde_json::json;

use super::client::*;
use super::subject::*;
use crate::support::apps::serve_app;

/// An extension that the middleware attaches in addition to the principal.
#[derive(Clone)]
struct Rights(&'static str);

fn rights(name: &str) -> Rights {
    Rights(if name == "alice" { "all" } else { "none" })
}

/// Serves behind a middleware that authenticates if requested.
async fn authenticated(change: impl FnOnce(ServerBuilder) -> ServerBuilder) -> SocketAddr {
    let (server, _) = server(|builder| {
        change(
            builder
                .resource("demo://me", "me", |cx: Context| async move {
                    let name = cx.extension::<Principal>().map(|it| it.0.clone());
                    let rights = cx.extension::<Rights>().map(|rights| rights.0);
                    let by_url = cx.extension::<ReadByUrl>().is_some();
                    let parts = cx.extension::<http::request::Parts>().is_some();
                    format!("{name:?} {rights:?} {by_url} {parts}")
                })
                .resource(
                    "demo://hers",
                    "hers",
                    async |ResourceUri(uri): ResourceUri, cx: Context| -> Result<_, HandlerError> {
                        match cx.extension::<Rights>() {
                            Some(Rights("all")) => Ok("hers"),
                            _ => Err(HandlerError::resource_not_found(uri)),
                        }
                    },
                ),
        )
    });
    let authenticate = middleware::from_fn(|mut request: Request, next: Next| async move {
        let name = request.headers().get("x-user").cloned();
        if let Some(name) = name.and_then(|name| Some(name.to_str().ok()?.to_owned())) {
            request.extensions_mut().insert(rights(&name));
            request.extensions_mut().insert(Principal(name));
        }
        next.run(request).await
    });
    let urls = server.resource_urls().expect("configured");
    let app = axum::Router::new()
        .route_service("/mcp", server.into_service(HttpConfig::new()))
        .layer(authenticate)
        .route_service("/r/{token}", urls);
    serve_app(app).await
}

async fn path_for(address: SocketAddr, uri: &str, headers: &[(&str, &str)]) -> String {
    let answer = call_with(address, "resources/list", json!({}), headers).await;
    path(&find(&answer, uri))
}

#[tokio::test]
async fn handler_sees_the_principal_of_the_url() {
    let address = authenticated(|builder| builder).await;
    for (headers, expected) in [
        (
            &[("x-user", "alice")][..],
            r#"Some("alice") None true false"#,
        ),
        (&[("x-user", "")], r#"Some("") None true false"#),
        (&[], "None None true false"),
    ] {
        let path = path_for(address, "demo://me", headers).await;
        for others in [
            &[][..],
            &[("x-user", "bob")],
            &[("authorization", "Bearer x")],
        ] {
            let reply = get(address, &path, others).await;
            assert_eq!((reply.status.as_u16(), reply.text()), (200, expected));
        }
    }
}

#[tokio::test]
async fn guards_apply_to_downloads() {
    let address = authenticated(|builder| {
        // The time is not relevant for this test.
        builder.http_urls(Clock::at(NOON).urls().claims(|Principal(name)| {
            let mut claims = Extensions::new();
            claims.insert(rights(name));
            // The principal cannot be determined here.
            claims.insert(Principal("root".to_owned()));
            claims
        }))
    })
    .await;
    for (name, status) in [("alice", 200), ("bob", 404)] {
        let headers = [("x-user", name)];
        let answer = {
            let params = json!({"uri": "demo://hers"});
            call_with(address, "resources/read", params, &headers).await
        };
        assert_eq!(answer.get("result").is_some(), status == 200, "{answer}");
        let path = path_for(address, "demo://hers", &headers).await;
        assert_eq!(get(address, &path, &[]).await.status, status, "{name}");
    }
    let path = path_for(address, "demo://me", &[("x-user", "alice")]).await;
    let expected = r#"Some("alice") Some("all") true false"#;
    assert_eq!(get(address, &path, &[]).await.text(), expected);
    // Without a principal no claims are restored.
    let path = path_for(address, "demo://hers", &[]).await;
    assert_eq!(get(address, &path, &[]).await.status, 404);
}

#[tokio::test]
async fn panic_in_claims_fails_only_its_request() {
    let address = authenticated(|builder| {
        builder.http_urls(Clock::at(NOON).urls().claims(|Principal(name)| {
            assert_ne!(name, "alice", "as asked");
            Extensions::new()
        }))
    })
    .await;
    for (name, status) in [("alice", 500), ("bob", 200)] {
        let path = path_for(address, "demo://me", &[("x-user", name)]).await;
        assert_eq!(get(address, &path, &[]).await.status, status);
    }
}

#[tokio::test]
async fn unknown_peers_get_no_urls() {
    let address = authenticated(|builder| builder).await;
    let authorization = ("authorization", "Bearer x");
    let nobody = call_with(address, "resources/list", json!({}), &[authorization]).await;
    let resource = find(&nobody, "demo://me");
    assert!(resource.get("httpUrl").is_none(), "{resource}");
    let known = [authorization, ("x-user", "alice")];
    path_for(address, "demo://me", &known).await;
    // A name that is too long for a URL.
    let long = "x".repeat(513);
    let answer = call_with(address, "resources/list", json!({}), &[("x-user", &long)]).await;
    let resource = find(&answer, "demo://me");
    assert!(resource.get("httpUrl").is_none(), "{resource}");
}
