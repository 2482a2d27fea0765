//! Web pages of other origins as clients.

use std::net::SocketAddr;

use mcp_server::HttpConfig;

use super::legacy::start_session;
use super::subject::*;

const PAGE: &str = "https://app.example.com";

fn shared() -> HttpConfig {
    HttpConfig::new()
        .allow_hosts(["127.0.0.1", "mcp.example.com"])
        .allow_origins([PAGE])
}

fn list(value: Option<&str>) -> Vec<String> {
    let names = value.unwrap_or_default().split(',');
    let names = names.map(|name| name.trim().to_ascii_lowercase());
    names.filter(|name| !name.is_empty()).collect()
}

async fn preflight(
    address: SocketAddr,
    origin: &str,
    headers: &[(&'static str, &str)],
) -> (Head, String) {
    let mut all = vec![
        ("Origin", origin.to_owned()),
        ("Access-Control-Request-Method", "POST".to_owned()),
    ];
    all.extend(
        headers
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned())),
    );
    Raw::connect(address).await.ask("OPTIONS", &all, "").await
}

fn has_no_cors(head: &Head) {
    for name in [
        "access-control-allow-origin",
        "access-control-allow-methods",
        "access-control-allow-headers",
        "access-control-allow-private-network",
        "access-control-expose-headers",
        "access-control-max-age",
    ] {
        assert_eq!(head.get(name), None, "{name}");
    }
}

#[tokio::test]
async fn preflight_of_an_allowed_origin_is_answered() {
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, shared());
    let asked = "authorization,content-type,last-event-id,mcp-method,mcp-name,\
                 Mcp-Param-Region,mcp-protocol-version,mcp-session-id";
    let (head, body) = preflight(address, PAGE, &[("Access-Control-Request-Headers", asked)]).await;
    assert_eq!((head.status, &*body), (204, ""));
    assert_eq!(head.get("access-control-allow-origin"), Some(PAGE));
    assert_eq!(
        list(head.get("access-control-allow-methods")),
        ["get", "head", "post", "delete"]
    );
    let allowed = list(head.get("access-control-allow-headers"));
    assert_eq!(allowed, list(Some(asked)));
    let age = head
        .get("access-control-max-age")
        .and_then(|age| age.parse().ok());
    assert!(age.is_some_and(|age: u32| age > 0));
    let vary = list(head.get("vary"));
    for name in [
        "origin",
        "access-control-request-headers",
        "access-control-request-method",
    ] {
        assert!(vary.iter().any(|other| other == name), "{vary:?}");
    }
    assert_eq!(head.get("access-control-allow-credentials"), None);
    assert_eq!(head.get("access-control-allow-private-network"), None);
}

#[tokio::test]
async fn preflight_allows_only_the_headers_that_pages_may_send() {
    let (server, _probe) = server(|builder| builder);
    let plain = serve_with(&server, shared());
    let further = serve_with(&server, shared().allow_headers(["X-Api-Key"]));
    let cases = [
        (plain, "x-api-key, cookie, mcp", vec![]),
        (plain, "x-api-key,accept", vec!["accept"]),
        (plain, "mcp-\"x\", mcp-x y, mcp-ok", vec!["mcp-ok"]),
        (plain, ",,", vec![]),
        (further, "x-api-key,x-other", vec!["x-api-key"]),
    ];
    for (address, asked, allowed) in cases {
        let asked = [("Access-Control-Request-Headers", asked)];
        let (head, _) = preflight(address, PAGE, &asked).await;
        assert_eq!(head.status, 204, "{asked:?}");
        let answer = list(head.get("access-control-allow-headers"));
        assert_eq!(answer, allowed, "{asked:?}");
    }
}

#[tokio::test]
async fn preflight_of_another_origin_or_host_returns_403() {
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, shared());
    for origin in [
        "https://evil.example.com",
        "http://app.example.com",
        "null",
        "*",
    ] {
        let private = [("Access-Control-Request-Private-Network", "true")];
        let (head, _) = preflight(address, origin, &private).await;
        assert_eq!(head.status, 403, "{origin}");
        has_no_cors(&head);
        assert_eq!(
            head.get("vary").map(|vary| vary.contains("origin")),
            Some(true)
        );
    }
    let (head, _) = preflight(address, PAGE, &[("Host", "rebound.example.com")]).await;
    assert_eq!(head.status, 403);
    assert_eq!(head.get("access-control-allow-methods"), None);
}

#[tokio::test]
async fn allowed_origin_may_reach_a_private_network() {
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, shared());
    let private = [("Access-Control-Request-Private-Network", "true")];
    let (head, _) = preflight(address, PAGE, &private).await;
    assert_eq!(
        head.get("access-control-allow-private-network"),
        Some("true")
    );
}

#[tokio::test]
async fn options_without_a_requested_method_returns_405() {
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, shared());
    let origin = [("Origin", PAGE.to_owned())];
    let (head, _) = Raw::connect(address)
        .await
        .ask("OPTIONS", &origin, "")
        .await;
    assert_eq!(head.status, 405);
    assert_eq!(head.get("access-control-allow-origin"), Some(PAGE));
}

#[tokio::test]
async fn every_response_to_an_allowed_origin_can_be_read() {
    let (server, _probe) = server(limits(|limits| limits.message_bytes = 1_000));
    let address = serve_with(&server, shared().http_sse("/sse").health_path("/healthz"));
    let call_echo = (call_headers("echo"), call(1, "echo"));
    let session = start_session(address, "2025-11-25").await;
    let gone = with_header(session.clone(), "Mcp-Session-Id", "gone");
    let events = vec![("Accept", "text/event-stream".to_owned())];
    let large = "x".repeat(1_001);
    let cases = [
        (200, "POST", "/mcp", call_echo.0.clone(), &*call_echo.1),
        (200, "POST", "/mcp", call_headers("say"), &call(1, "say")),
        (400, "POST", "/mcp", call_headers("say"), &call_echo.1),
        (
            406,
            "POST",
            "/mcp",
            with_header(media(), "Accept", "a/b"),
            "",
        ),
        (413, "POST", "/mcp", media(), &large),
        (405, "PUT", "/mcp", media(), ""),
        (404, "GET", "/mcp", gone, ""),
        (
            403,
            "GET",
            "/mcp",
            with_header(session.clone(), "Host", "x.example.com"),
            "",
        ),
        (200, "GET", "/healthz", vec![], ""),
        (200, "GET", "/sse", events, ""),
        (200, "GET", "/mcp", session.clone(), ""),
        (204, "DELETE", "/mcp", session, ""),
    ];
    for (status, method, path, headers, body) in cases {
        let headers = with_header(headers, "Origin", PAGE);
        let mut raw = Raw::connect(address).await.at(path);
        raw.request(method, &headers, body).await;
        let head = raw.head().await;
        assert_eq!(head.status, status, "{method} {path}");
        assert_eq!(head.get("access-control-allow-origin"), Some(PAGE));
        assert_eq!(head.get("access-control-allow-credentials"), None);
        assert_eq!(head.get("vary"), Some("origin"));
        let exposed = list(head.get("access-control-expose-headers"));
        for name in [
            "mcp-session-id",
            "mcp-protocol-version",
            "www-authenticate",
            "retry-after",
        ] {
            assert!(exposed.iter().any(|other| other == name), "{exposed:?}");
        }
    }
}

#[tokio::test]
async fn responses_to_other_origins_and_to_none_have_no_cors_headers() {
    let (server, _probe) = server(|builder| builder);
    let address = serve_with(&server, shared());
    for (origin, status) in [("https://evil.example.com", 403), ("", 200)] {
        let headers = with_header(call_headers("echo"), "Origin", origin);
        let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
        assert_eq!(head.status, status, "{origin}");
        has_no_cors(&head);
    }
    // An allowed origin does not excuse a second one.
    let mut headers = call_headers("echo");
    headers.push(("Origin", PAGE.to_owned()));
    headers.push(("Origin", PAGE.to_owned()));
    let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
    assert_eq!(head.status, 403);
    has_no_cors(&head);
}

#[tokio::test]
async fn pages_of_the_servers_own_hosts_are_allowed() {
    let (server, _probe) = server(|builder| builder);
    let local = serve(&server);
    let named = serve_with(&server, shared());
    let any = serve_with(&server, HttpConfig::new().any_host());
    let cases = [
        (local, "http://localhost:5173", 204),
        (local, "http://127.0.0.1:8080", 204),
        (local, "https://mcp.example.com", 403),
        (named, "https://mcp.example.com", 204),
        (named, "http://localhost:5173", 403),
        (any, "https://mcp.example.com", 403),
    ];
    for (address, origin, status) in cases {
        let (head, _) = preflight(address, origin, &[]).await;
        assert_eq!(head.status, status, "{origin}");
        let echoed = head.get("access-control-allow-origin");
        assert_eq!(echoed, (status == 204).then_some(origin));
    }
}
