//! Where an application may put the router of an endpoint.

use std::net::SocketAddr;

use axum::Router;
use mcp_server::HttpConfig;

use crate::http::subject::*;
use crate::support::apps::serve_app;

async fn echo_at(address: SocketAddr, path: &str) -> (Head, String) {
    let mut raw = Raw::connect(address).await.at(path);
    raw.ask("POST", &call_headers("echo"), &call(1, "echo"))
        .await
}

fn nested(config: HttpConfig) -> Router {
    let (server, _probe) = server(|builder| builder);
    Router::new().nest("/api", server.into_router("/mcp", config))
}

#[tokio::test]
async fn nested_router_serves_what_has_no_fixed_path() {
    let address = serve_app(nested(HttpConfig::new().health_path("/healthz"))).await;
    assert_eq!(echo_at(address, "/api/mcp").await.0.status, 200);
    let mut raw = Raw::connect(address).await.at("/api/healthz");
    assert_eq!(raw.ask("GET", &[], "").await.0.status, 200);
}

#[tokio::test]
async fn nested_router_with_fixed_paths_names_the_path_to_merge() {
    let cases = [
        ("HTTP+SSE", HttpConfig::new().http_sse("/sse")),
        (
            "the metadata for authorization",
            HttpConfig::new().authenticate(authorization::oauth("/api/mcp")),
        ),
    ];
    for (fixed, config) in cases {
        let address = serve_app(nested(config)).await;
        let (head, body) = echo_at(address, "/api/mcp").await;
        assert_eq!(head.status, 500, "{body}");
        assert!(body.contains(fixed), "{body}");
        assert!(
            body.contains(r#"merge `into_router(\"/api/mcp\", ..)`"#),
            "{body}"
        );
    }
}

#[cfg(feature = "proposals")]
#[tokio::test]
async fn nested_router_with_urls_of_resources_names_the_path_to_merge() {
    use mcp_server::{HttpUrls, Proposal, Server};

    let server = Server::builder("urls", "1")
        .proposals([Proposal::HttpsUrl])
        .http_urls(HttpUrls::new("https://example.com/api/files/").expect("a base"))
        .build()
        .expect("sound");
    let router = server.into_router("/mcp", HttpConfig::new());
    let address = serve_app(Router::new().nest("/api", router)).await;
    let (head, body) = echo_at(address, "/api/mcp").await;
    assert_eq!(head.status, 500, "{body}");
    assert!(body.contains("URLs of resources"), "{body}");
}

mod authorization {
    use mcp_server::AccessToken;
    use mcp_server_oauth::{OAuth, StaticTokens};

    use super::*;

    const HOST: &str = "https://mcp.example.com";

    /// Accepts a token for the endpoint at a path.
    pub(super) fn oauth(path: &str) -> OAuth {
        let url = format!("{HOST}{path}");
        let token = AccessToken::new(HOST).subject("ada").audience([&*url]);
        let tokens = StaticTokens::new(HOST).token(format!("token-for{path}"), token);
        let oauth = OAuth::builder(url).verifier(tokens).build();
        oauth.expect("the settings are sound")
    }

    /// Checks that the refusal of an endpoint leads to its metadata, and that its token is accepted.
    async fn check(address: SocketAddr, path: &str) {
        let (head, _) = echo_at(address, path).await;
        assert_eq!(head.status, 401, "{path}");
        let challenge = head.get("www-authenticate").expect("a challenge");
        let named = challenge.split('"').nth(1).expect("quoted");
        let metadata = named.strip_prefix(HOST).expect("at this host");
        let mut raw = Raw::connect(address).await.at(metadata);
        let (head, body) = raw.ask("GET", &[], "").await;
        assert_eq!(head.status, 200, "{metadata}");
        assert!(
            body.contains(&format!("\"resource\":\"{HOST}{path}\"")),
            "{body}"
        );
        let token = format!("Bearer token-for{path}");
        let headers = with_header(call_headers("echo"), "Authorization", &token);
        let mut raw = Raw::connect(address).await.at(path);
        let (head, body) = raw.ask("POST", &headers, &call(1, "echo")).await;
        assert_eq!(head.status, 200, "{path}: {body}");
    }

    #[tokio::test]
    async fn two_endpoints_of_an_application_have_their_own_metadata() {
        let mut app: Router = Router::new();
        let paths = ["/mcp", "/api/mcp", "/api/other"];
        for path in paths {
            let (server, _probe) = server(|builder| builder);
            app = app.merge(server.into_router(path, HttpConfig::new().authenticate(oauth(path))));
        }
        let address = serve_app(app).await;
        for path in paths {
            check(address, path).await;
        }
    }

    #[tokio::test]
    async fn token_for_one_endpoint_is_refused_at_another() {
        let mut app: Router = Router::new();
        for path in ["/a", "/b"] {
            let (server, _probe) = server(|builder| builder);
            app = app.merge(server.into_router(path, HttpConfig::new().authenticate(oauth(path))));
        }
        let address = serve_app(app).await;
        let headers = with_header(call_headers("echo"), "Authorization", "Bearer token-for/a");
        let mut raw = Raw::connect(address).await.at("/b");
        assert_eq!(
            raw.ask("POST", &headers, &call(1, "echo")).await.0.status,
            401
        );
    }
}
