//! The address of the client, directly and behind proxies.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request};
use axum::middleware::{self, Next};
use mcp_server::HttpConfig;

use super::subject::*;
use crate::support::apps::serve_app_with_addresses;

/// Calls the tool that returns the address of its client.
async fn peer(address: SocketAddr, name: &'static str, value: &str) -> String {
    let headers = with_header(call_headers("peer"), name, value);
    let (head, body) = Raw::post(address, &headers, &call(1, "peer")).await;
    assert_eq!(head.status, 200, "{body}");
    let answer: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    let text = answer["result"]["content"][0]["text"].as_str();
    text.expect("a text").to_owned()
}

fn trusting(proxies: &[&str]) -> HttpConfig {
    let config = HttpConfig::new().trusted_proxies(proxies.iter().copied());
    config.expect("networks")
}

#[tokio::test]
async fn forwarded_addresses_are_ignored_by_default() {
    let (server, _probe) = server(|builder| builder);
    let untrusting = serve(&server);
    let other = serve_with(&server, trusting(&["10.0.0.0/8"]));
    for address in [untrusting, other] {
        for (name, value) in [
            ("Forwarded", "for=192.0.2.1"),
            ("X-Forwarded-For", "192.0.2.1"),
        ] {
            assert_eq!(peer(address, name, value).await, "127.0.0.1", "{name}");
        }
    }
}

#[tokio::test]
async fn trusted_proxy_reports_the_address_of_the_client() {
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, trusting(&["127.0.0.0/8"]));
    let cases = [
        (
            "Forwarded",
            "for=\"[2001:db8::7]:1\";proto=https",
            "2001:db8::7",
        ),
        ("X-Forwarded-For", "203.0.113.9, 192.0.2.1", "192.0.2.1"),
        ("X-Forwarded-For", "192.0.2.1, 127.0.0.9", "192.0.2.1"),
        ("X-Forwarded-For", "evil", "127.0.0.1"),
        ("X-Other", "192.0.2.1", "127.0.0.1"),
    ];
    for (name, value, expected) in cases {
        assert_eq!(
            peer(address, name, value).await,
            expected,
            "{name}: {value}"
        );
    }
}

#[tokio::test]
async fn subscriptions_are_counted_by_the_forwarded_address() {
    let (server, _probe) = server(limits(|limits| limits.subscriptions = 1));
    let address = serve_with(&server, trusting(&["127.0.0.1"]));
    let headers = with_header(call_headers(""), "Mcp-Name", "");
    let headers = with_header(headers, "Mcp-Method", "subscriptions/listen");
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{{"notifications":{{"toolsListChanged":true}},{META}}}}}"#
    );
    let mut open = Vec::new();
    for (client, accepted) in [
        ("192.0.2.1", true),
        ("192.0.2.1", false),
        ("192.0.2.2", true),
    ] {
        let mut raw = Raw::connect(address).await;
        let headers = with_header(headers.clone(), "X-Forwarded-For", client);
        raw.request("POST", &headers, &body).await;
        let head = raw.head().await;
        if accepted {
            assert!(raw.chunk().await.contains("acknowledged"), "{client}");
            open.push(raw);
        } else {
            let text = raw.body(&head).await;
            assert!(text.contains("too many subscriptions"), "{client}: {text}");
        }
    }
}

#[tokio::test]
async fn address_attached_by_an_axum_program_is_used() {
    let (server, _probe) = server(|builder| builder);
    let service = server.into_service(trusting(&["127.0.0.1"]));
    let attach = middleware::from_fn(
        |ConnectInfo(address): ConnectInfo<SocketAddr>, mut request: Request, next: Next| async move {
            request.extensions_mut().insert(address);
            next.run(request).await
        },
    );
    let known = axum::Router::new()
        .route_service("/mcp", service.clone())
        .layer(attach);
    let unknown = axum::Router::new().route_service("/mcp", service);
    for (app, expected) in [(known, "192.0.2.1"), (unknown, "nobody")] {
        let address = serve_app_with_addresses(app).await;
        assert_eq!(
            peer(address, "X-Forwarded-For", "192.0.2.1").await,
            expected
        );
    }
}
