//! `Server::token_layer`, and extractors for the own routes of an application.

use std::net::SocketAddr;

use axum::Router;
use axum::routing::{get, post};
use mcp_server::{AccessToken, HttpConfig, InsufficientScope, Principal, TokenScopes};
use mcp_server_oauth::{OAuth, StaticTokens};
use tokio::net::TcpListener;

use crate::http::subject::*;

const ISSUER: &str = "https://auth.example";
const URL: &str = "https://mcp.example.com/mcp";

async fn who(Principal(name): Principal, token: AccessToken) -> String {
    format!("{name}: {}", token.subject.unwrap_or_default())
}

async fn share(scopes: TokenScopes) -> Result<&'static str, InsufficientScope> {
    scopes.require(["files:shared", "files:read"])?;
    Ok(if scopes.has("admin") { "all" } else { "shared" })
}

/// An application with own routes that need a token, some of them scopes, too.
async fn serve_application() -> SocketAddr {
    let token = |scopes: &[&str]| {
        let token = AccessToken::new(ISSUER).subject("ada").audience([URL]);
        token.scopes(scopes.iter().copied())
    };
    let tokens = StaticTokens::new(ISSUER)
        .token("none", token(&[]))
        .token("reads", token(&["files:read"]))
        .token("writes", token(&["files:read", "files:write"]))
        .token(
            "shares",
            token(&["admin", "files:read", "files:write", "files:shared"]),
        );
    let oauth = OAuth::builder(URL)
        .verifier(tokens)
        .required_scopes(["files:read"])
        .offer_dpop()
        .build()
        .expect("the settings are sound");
    let (server, _probe) = server(|builder| builder);
    let config = HttpConfig::new().any_host().authenticate(oauth.clone());
    let tokens = server.token_layer(oauth, &config);
    let writing = tokens.clone().scopes(["files:write"]);
    let app = Router::new()
        .route("/who", get(who).post(who).layer(tokens))
        .route("/write", post(async || "written").layer(writing.clone()))
        .route("/share", post(share).layer(writing))
        .route("/open", get(who))
        .merge(server.clone().into_router("/mcp", config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    let serving = server.clone();
    tokio::spawn(async move {
        let signal = std::future::pending::<()>();
        serving.serve_router(listener, app, signal).await
    });
    address
}

/// Sends the same request to a path. Returns the status, the challenges and the body.
async fn answer(address: SocketAddr, path: &str, credentials: &str) -> (u16, Vec<String>, String) {
    let headers = with_header(call_headers("echo"), "Authorization", credentials);
    let mut raw = Raw::connect(address).await.at(path);
    let (head, body) = raw.ask("POST", &headers, &call(1, "echo")).await;
    let challenges = head.all("www-authenticate");
    let challenges = challenges.into_iter().map(str::to_owned).collect();
    (head.status, challenges, body)
}

#[tokio::test]
async fn own_route_refuses_as_the_endpoint_does() {
    let address = serve_application().await;
    let cases = [
        ("", 401),
        ("Basic eDp5", 401),
        ("Bearer unknown", 401),
        ("DPoP reads", 401),
        ("Bearer", 400),
        ("Bearer none", 403),
    ];
    for (credentials, status) in cases {
        let expected = answer(address, "/mcp", credentials).await;
        assert_eq!(expected.0, status, "{credentials}: {}", expected.2);
        assert!(!expected.1.is_empty(), "{credentials}");
        let found = answer(address, "/who", credentials).await;
        assert_eq!(found, expected, "{credentials}");
    }
}

#[tokio::test]
async fn handlers_of_own_routes_get_the_principal_and_the_token() {
    let address = serve_application().await;
    let (status, _, body) = answer(address, "/who", "Bearer reads").await;
    assert_eq!((status, &*body), (200, "https://auth.example sub ada: ada"));
}

#[tokio::test]
async fn refusal_of_an_own_route_names_all_scopes_that_it_needs() {
    let address = serve_application().await;
    let cases = [
        ("/write", "none", Some("files:read files:write")),
        ("/write", "reads", Some("files:read files:write")),
        ("/write", "writes", None),
        ("/share", "reads", Some("files:read files:write")),
        (
            "/share",
            "writes",
            Some("files:read files:write files:shared"),
        ),
        ("/share", "shares", None),
    ];
    for (path, token, missing) in cases {
        let (status, challenges, body) = answer(address, path, &format!("Bearer {token}")).await;
        let Some(scopes) = missing else {
            assert_eq!(
                (status, challenges.len()),
                (200, 0),
                "{path} {token}: {body}"
            );
            continue;
        };
        assert_eq!(status, 403, "{path} {token}: {body}");
        let metadata = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";
        let expected = format!(
            "Bearer error=\"insufficient_scope\", scope=\"{scopes}\", \
             resource_metadata=\"{metadata}\""
        );
        assert_eq!(challenges, [expected], "{path} {token}");
        assert!(body.contains(scopes), "{body}");
    }
}

/// The program forgot the layer. Nobody is served without a token.
#[tokio::test]
async fn extractors_without_the_layer_answer_with_500() {
    let address = serve_application().await;
    let headers = with_header(Vec::new(), "Authorization", "Bearer reads");
    let mut raw = Raw::connect(address).await.at("/open");
    let (head, body) = raw.ask("GET", &headers, "").await;
    assert_eq!((head.status, &*body), (500, ""));
}
