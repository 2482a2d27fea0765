//! The service mounted in other HTTP stacks.

use axum::extract::Request;
use axum::middleware::{self, Next};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use mcp_server::HttpConfig;
use tokio::net::TcpListener;

use crate::raw::*;

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
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, app).await });
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
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a client");
        hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
            .await
    });
    let (head, body) = Raw::post(address, &call_headers("say"), &call(1, "say")).await;
    assert_eq!(head.get("content-type"), Some("text/event-stream"));
    assert!(body.contains("\"said\""), "{body}");
}
