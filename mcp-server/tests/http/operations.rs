//! Health, readiness and metrics.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use mcp_server::{HttpConfig, Metrics, Server};

use super::legacy::{listen, start_session, tool};
use super::subject::*;
use crate::support::apps::serve_app;

fn with_operations() -> HttpConfig {
    HttpConfig::new()
        .health_path("/healthz")
        .readiness_path("/readyz")
        .metrics_path("metrics")
}

async fn get(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&'static str, &str)],
) -> (Head, String) {
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect();
    let mut raw = Raw::connect(address).await.at(path);
    raw.request(method, &headers, "").await;
    let head = raw.head().await;
    let body = if method == "HEAD" {
        String::new()
    } else {
        raw.body(&head).await
    };
    (head, body)
}

/// Waits until the metrics are as expected.
async fn until(server: &Server, expected: impl Fn(&Metrics) -> bool) {
    soon(async {
        while !expected(&server.metrics()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn operation_paths_are_off_by_default() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    for path in ["/healthz", "/readyz", "/metrics"] {
        let (head, _) = get(address, "GET", path, &[]).await;
        assert_eq!(head.status, 406, "{path}: a GET of the protocol");
    }
}

#[tokio::test]
async fn probes_are_answered_for_any_host() {
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, with_operations());
    for (path, text) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
        for host in ["localhost", "10.1.2.3:8080"] {
            let (head, body) = get(address, "GET", path, &[("Host", host)]).await;
            assert_eq!((head.status, &*body), (200, text), "{path} {host}");
            assert_eq!(head.get("cache-control"), Some("no-store"));
        }
        let (head, _) = get(address, "HEAD", path, &[]).await;
        assert_eq!(head.status, 200, "{path}");
        let (head, _) = get(address, "PUT", path, &[]).await;
        assert_eq!((head.status, head.get("allow")), (405, Some("GET, HEAD")));
        let page = [("Origin", "http://evil.example.com")];
        let (head, _) = get(address, "GET", path, &page).await;
        assert_eq!(head.status, 403, "{path}");
        let page = [("Host", "evil.example.com"), ("Origin", "http://localhost")];
        let (head, _) = get(address, "GET", path, &page).await;
        assert_eq!(head.status, 403, "{path}");
    }
    for path in ["/healthz/", "/metrics", "/mcp"] {
        let (head, _) = get(address, "GET", path, &[("Host", "10.1.2.3:8080")]).await;
        assert_eq!(head.status, 403, "{path}");
    }
    // Messages of the protocol are accepted at every path.
    let mut raw = Raw::connect(address).await.at("/healthz");
    let (head, _) = raw
        .ask("POST", &call_headers("echo"), &call(1, "echo"))
        .await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn full_server_is_alive_but_not_ready() {
    let (server, mut probe) = server(limits(|limits| limits.concurrent_requests = 1));
    let address = serve_with(&server, with_operations());
    let mut first = Raw::connect(address).await;
    first
        .request("POST", &call_headers("wait"), &call(1, "wait"))
        .await;
    soon(probe.waiting.recv()).await;
    let (head, body) = get(address, "GET", "/readyz", &[]).await;
    assert_eq!((head.status, &*body), (503, "too many requests\n"));
    assert!(head.get("retry-after").is_some());
    let (head, _) = get(address, "GET", "/healthz", &[]).await;
    assert_eq!(head.status, 200);
    probe.go.notify_one();
    assert_eq!(first.head().await.status, 200);
    let (head, _) = get(address, "GET", "/readyz", &[]).await;
    assert_eq!(head.status, 200);
}

#[tokio::test]
async fn stopping_server_is_alive_but_not_ready() {
    let (server, _probe) = server(|builder| builder);
    let service = server.clone().into_service(with_operations());
    let app = axum::Router::new().fallback_service(service);
    let address = serve_app(app).await;
    server.shutdown();
    let (head, body) = get(address, "GET", "/readyz", &[]).await;
    assert_eq!((head.status, &*body), (503, "shutting down\n"));
    let (head, _) = get(address, "GET", "/healthz", &[]).await;
    assert_eq!(head.status, 200);
}

/// Parses the samples of a text in the OpenMetrics format, and checks each line.
fn samples(text: &str) -> BTreeMap<&str, u64> {
    let families = text.strip_suffix("# EOF\n").expect("an end");
    let mut samples = BTreeMap::new();
    let (mut family, mut kind) = ("", "");
    for line in families.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            let mut words = comment.splitn(3, ' ');
            let (word, name, rest) = (words.next(), words.next(), words.next());
            match (word, name, rest) {
                (Some("TYPE"), Some(name), Some(named)) => (family, kind) = (name, named),
                (Some("UNIT"), Some(name), Some(unit)) => {
                    assert!(name == family && name.ends_with(unit), "{line}");
                }
                (Some("HELP"), Some(name), Some(_)) => assert_eq!(name, family),
                _ => panic!("{line}"),
            }
            continue;
        }
        let (sample, value) = line.split_once(' ').expect("a sample");
        let name = sample.split('{').next().expect("a name");
        match kind {
            "gauge" => assert_eq!(name, family),
            "counter" => assert_eq!(name.strip_suffix("_total"), Some(family)),
            "histogram" => {
                let suffix = name.strip_prefix(family);
                assert!(
                    matches!(suffix, Some("_bucket" | "_count" | "_sum")),
                    "{line}"
                );
                assert!(value.parse::<f64>().is_ok(), "{line}");
                continue;
            }
            other => panic!("{other}"),
        }
        let value = value.parse().expect("a number");
        assert_eq!(samples.insert(sample, value), None, "{sample}");
    }
    samples
}

#[tokio::test]
async fn metrics_are_served_as_open_metrics() {
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, with_operations());
    let body = call(1, "echo");
    Raw::post(address, &call_headers("echo"), &body).await;
    let _session = start_session(address, "2025-11-25").await;
    let (head, text) = get(address, "GET", "/metrics", &[]).await;
    assert_eq!(head.status, 200);
    assert_eq!(
        head.get("content-type"),
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    let samples = samples(&text);
    assert_eq!(samples["mcp_server_sessions"], 1);
    assert_eq!(samples["mcp_server_requests_in_flight"], 0);
    // `start_session` sends two messages.
    assert_eq!(samples["mcp_server_requests_total"], 4);
    assert!(samples["mcp_server_request_bytes_total"] > body.len() as u64);
    assert_eq!(samples["mcp_server_refusals_total{cause=\"host\"}"], 0);
    // The server of these tests handles the method itself.
    let echo = r#"{method="tools/call",tool="",outcome="ok"}"#;
    assert_eq!(samples[&*format!("mcp_server_operations_total{echo}")], 1);
}

#[tokio::test]
async fn gauges_follow_open_connections_and_sessions() {
    let (server, mut probe) = server(|builder| builder);
    let address = serve_with(&server, with_operations().http_sse("/sse"));
    let metrics = server.metrics();
    assert_eq!((metrics.connections, metrics.sessions), (0, 0));

    let session = start_session(address, "2025-11-25").await;
    let events = listen(address, &session).await;
    let mut channel = Raw::connect(address).await.at("/sse");
    let accept = [("Accept", "text/event-stream".to_owned())];
    channel.request("GET", &accept, "").await;
    assert_eq!(channel.head().await.status, 200);
    channel.chunks_until("endpoint").await;
    let mut call_in_flight = Raw::connect(address).await;
    call_in_flight
        .request("POST", &call_headers("wait"), &call(1, "wait"))
        .await;
    soon(probe.waiting.recv()).await;
    let metrics = server.metrics();
    assert_eq!(metrics.sessions, 1);
    assert_eq!(metrics.http_sse_channels, 1);
    assert_eq!(metrics.requests_in_flight, 1);
    assert!(metrics.connections >= 3, "{metrics:?}");
    assert!(metrics.accepted_connections >= metrics.connections as u64);

    drop((events, channel, call_in_flight));
    until(&server, |metrics| {
        metrics.connections == 0
            && metrics.requests_in_flight == 0
            && metrics.http_sse_channels == 0
    })
    .await;
    Raw::connect(address)
        .await
        .ask("DELETE", &session, "")
        .await;
    assert_eq!(server.metrics().sessions, 0);
}

#[tokio::test]
async fn queued_bytes_count_unread_output() {
    let (server, _probe) = server(|builder| builder);
    let address = serve(&server);
    assert_eq!(server.metrics().queued_bytes, 0);
    let session = start_session(address, "2025-06-18").await;
    let modern = (call_headers("torrent"), call(1, "torrent"));
    let legacy = (session, tool(1, "torrent"));
    for (headers, body) in [modern, legacy] {
        let mut raw = Raw::connect(address).await;
        raw.request("POST", &headers, &body).await;
        until(&server, |metrics| metrics.queued_bytes > 256 << 10).await;
        if headers.iter().any(|(name, _)| *name == "Mcp-Session-Id") {
            // A session buffers what its client has not read.
            Raw::connect(address)
                .await
                .ask("DELETE", &headers, "")
                .await;
        }
        drop(raw);
        until(&server, |metrics| metrics.queued_bytes == 0).await;
    }
}
