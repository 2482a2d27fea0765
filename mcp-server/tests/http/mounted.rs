//! The service mounted in other HTTP stacks.

use axum::extract::Request;
use axum::middleware::{self, Next};
use mcp_server::HttpConfig;

use super::subject::*;
use crate::support::apps::{serve_app, serve_app_with_addresses, serve_in_hyper};

#[tokio::test]
async fn extensions_of_axum_middleware_reach_handlers() {
    let (server, _probe) = server(|builder| builder);
    let service = server.into_service(HttpConfig::default());
    let claim = middleware::from_fn(|mut request: Request, next: Next| async move {
        request.extensions_mut().insert(Claim("user-1"));
        next.run(request).await
    });
    let app = axum::Router::new()
        .route_service("/mcp", service.clone())
        .layer(claim)
        .fallback_service(service);
    let address = serve_app(app).await;
    let (head, body) = Raw::post(address, &call_headers("parts"), &call(1, "parts")).await;
    assert_eq!(head.status, 200);
    assert!(
        body.contains(r#"Some(\"/mcp\") Some(\"user-1\")"#),
        "{body}"
    );
}

#[tokio::test]
async fn service_can_be_mounted_in_hyper() {
    let (server, _probe) = server(|builder| builder);
    let service = server.into_service(HttpConfig::default());
    let address = serve_in_hyper(service).await;
    let (head, body) = Raw::post(address, &call_headers("say"), &call(1, "say")).await;
    assert_eq!(head.get("content-type"), Some("text/event-stream"));
    assert!(body.contains("\"said\""), "{body}");
}

#[cfg(feature = "axum")]
#[tokio::test]
async fn router_has_all_paths_and_the_address_of_the_client() {
    use axum::routing::get;
    use mcp_server::AccessToken;
    use mcp_server_oauth::{OAuth, StaticTokens};

    let (server, _probe) = server(|builder| builder);
    let issuer = "https://auth.example.com";
    let token = AccessToken::new(issuer).subject("ada");
    let oauth = OAuth::builder("https://mcp.example.com/mcp")
        .verifier(
            StaticTokens::new(issuer)
                .token("sesame", token.audience(["https://mcp.example.com/mcp"])),
        )
        .build()
        .expect("settings");
    let config = HttpConfig::new()
        .health_path("/healthz")
        .readiness_path("/readyz")
        .metrics_path("/metrics")
        .authenticate(oauth);
    let app: axum::Router = axum::Router::new()
        .route("/", get(async || "hello"))
        .merge(server.into_router("/mcp", config));
    let address = serve_app_with_addresses(app).await;
    let metadata = "/.well-known/oauth-protected-resource/mcp";
    for (path, status, text) in [
        ("/", 200, "hello"),
        ("/healthz", 200, "ok\n"),
        ("/readyz", 200, "ready\n"),
        ("/metrics", 200, "# EOF"),
        (metadata, 200, "authorization_servers"),
        ("/other", 404, ""),
    ] {
        let mut raw = Raw::connect(address).await.at(path);
        let (head, body) = raw.ask("GET", &[], "").await;
        assert_eq!(head.status, status, "{path}");
        assert!(body.contains(text), "{path}: {body}");
    }
    let (head, _) = Raw::post(address, &call_headers("peer"), &call(1, "peer")).await;
    assert_eq!(head.status, 401);
    let headers = with_header(call_headers("peer"), "Authorization", "Bearer sesame");
    let (head, body) = Raw::post(address, &headers, &call(1, "peer")).await;
    assert_eq!(head.status, 200, "{body}");
    assert!(body.contains("127.0.0.1"), "{body}");
}
