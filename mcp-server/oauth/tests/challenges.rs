//! Requests without a usable token, and the metadata that leads clients to one.

use mcp_server::HttpConfig;
use mcp_server_oauth::{Issuer, OAuth};
use mcp_testkit::http::legacy::*;
use mcp_testkit::http::subject::*;
use serde_json::{Value, json};

use super::setup::*;

#[tokio::test]
async fn request_without_a_token_gets_a_challenge_without_an_error() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let plain = protect(&server, trusting(&issuer));
    let scoped = protect(&server, trusting(&issuer).required_scopes(["mcp:use", "x"]));
    let basic = with_header(call_headers("echo"), "Authorization", "Basic YTpi");
    for headers in [call_headers("echo"), basic] {
        let (head, body) = Raw::post(plain, &headers, &call(1, "echo")).await;
        assert_eq!(head.status, 401);
        assert_eq!(
            head.get("www-authenticate"),
            Some(&*format!("Bearer resource_metadata=\"{METADATA}\""))
        );
        assert_eq!(code(&body), -32600);
        let (head, _) = Raw::post(scoped, &headers, &call(1, "echo")).await;
        assert_eq!(head.status, 401);
        assert_eq!(
            head.get("www-authenticate"),
            Some(&*format!(
                "Bearer resource_metadata=\"{METADATA}\", scope=\"mcp:use x\""
            ))
        );
    }
    assert_eq!(issuer.loads(), 0);
}

#[tokio::test]
async fn every_method_needs_a_token_before_the_body_is_read() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect_with(
        &server,
        trusting(&issuer),
        HttpConfig::new().http_sse("/sse"),
    );
    let session = with_header(media(), "Mcp-Session-Id", &"0".repeat(32));
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        let (head, _) = Raw::connect(address).await.ask(method, &session, "").await;
        assert_eq!(head.status, 401, "{method}");
    }
    for path in ["/sse", "/sse?sessionId=1", "/healthz", "/anything"] {
        for method in ["GET", "POST"] {
            let mut raw = Raw::connect(address).await.at(path);
            let (head, _) = raw.ask(method, &media(), "").await;
            assert_eq!(head.status, 401, "{method} {path}");
        }
    }
    let discover = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}"#;
    for body in [discover, &initialize("2025-11-25"), PING] {
        assert_eq!(Raw::post(address, &media(), body).await.0.status, 401);
    }
    // The body never arrives.
    let mut raw = Raw::connect(address).await;
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: 1000\r\n\r\n");
    raw.write(head.as_bytes()).await;
    assert_eq!(raw.head().await.status, 401);
}

#[tokio::test]
async fn health_readiness_and_metrics_need_no_token() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let config = HttpConfig::new()
        .health_path("/healthz")
        .readiness_path("/readyz")
        .metrics_path("/metrics");
    let address = protect_with(&server, trusting(&issuer), config);
    Raw::post(address, &call_headers("echo"), &call(1, "echo")).await;
    for path in ["/healthz", "/readyz", "/metrics"] {
        let mut raw = Raw::connect(address).await.at(path);
        let (head, body) = raw.ask("GET", &[], "").await;
        assert_eq!(head.status, 200, "{path}");
        if path == "/metrics" {
            assert!(body.contains(r#"cause="unauthorized"} 1"#), "{body}");
        }
    }
    // A POST could be a message of the protocol.
    for path in ["/healthz", "/readyz", "/metrics"] {
        let mut raw = Raw::connect(address).await.at(path);
        assert_eq!(raw.ask("POST", &media(), PING).await.0.status, 401);
    }
}

#[tokio::test]
async fn malformed_credentials_return_400() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let token = issuer.token(json!({}));
    let long = "a".repeat((32 << 10) + 1);
    let cases = [
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        "Bearer =".to_owned(),
        "Bearer a b".to_owned(),
        format!("Bearer {token}, Bearer {token}"),
        format!("Bearer {token},"),
        format!("Bearer \"{token}\""),
        "DPoP ".to_owned(),
        format!("Bearer {long}"),
    ];
    for value in cases {
        let mut headers = call_headers("echo");
        headers.push(("Authorization", value.clone()));
        let (head, body) = Raw::post(address, &headers, &call(1, "echo")).await;
        assert_eq!(head.status, 400, "{value}: {body}");
        let challenge = head.get("www-authenticate").expect("a challenge");
        let start = "Bearer error=\"invalid_request\", error_description=\"";
        assert!(challenge.starts_with(start), "{challenge}");
    }
    // Two headers, even with the same token.
    let mut headers = with_token(call_headers("echo"), &token);
    headers.push(("Authorization", format!("Bearer {token}")));
    let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
    assert_eq!(head.status, 400);
    assert_eq!(echo(address, &token).await.0.status, 200);
}

#[tokio::test]
async fn token_in_the_query_is_refused_even_beside_a_valid_header() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let token = issuer.token(json!({}));
    for query in [
        format!("access_token={token}"),
        format!("a=b&access_token={token}&c=d"),
        "access_token".to_owned(),
    ] {
        for headers in [
            call_headers("echo"),
            with_token(call_headers("echo"), &token),
        ] {
            let mut raw = Raw::connect(address).await.at(&format!("/mcp?{query}"));
            let (head, body) = raw.ask("POST", &headers, &call(1, "echo")).await;
            assert_eq!(head.status, 400, "{body}");
            let challenge = head.get("www-authenticate").expect("a challenge");
            assert!(
                challenge.contains("error=\"invalid_request\""),
                "{challenge}"
            );
            assert!(!challenge.contains(&token) && !body.contains(&token));
        }
    }
}

#[tokio::test]
async fn metadata_is_public_at_both_paths_and_comes_from_the_configuration() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let oauth = trusting(&issuer)
        // Two ways to verify its tokens, but one issuer.
        .issuer(Issuer::new("https://second.example/tenant").introspection("mcp", "secret"))
        .required_scopes(["mcp:use"])
        .resource_name("Files")
        .resource_documentation("https://mcp.example.com/about");
    let config = HttpConfig::new().any_host();
    let address = protect_with(&server, oauth, config);
    let expected = json!({
        "resource": RESOURCE,
        "authorization_servers": [issuer.url, "https://second.example/tenant"],
        "scopes_supported": ["mcp:use"],
        "bearer_methods_supported": ["header"],
        "resource_name": "Files",
        "resource_documentation": "https://mcp.example.com/about",
    });
    for path in ["", "/mcp"] {
        let path = format!("/.well-known/oauth-protected-resource{path}");
        for host in ["evil.example", "mcp.example.com"] {
            let mut headers = vec![("Host", host.to_owned())];
            headers.push(("Origin", "https://page.example".to_owned()));
            headers.push(("X-Forwarded-Host", "evil.example".to_owned()));
            let mut raw = Raw::connect(address).await.at(&path);
            let (head, body) = raw.ask("GET", &headers, "").await;
            assert_eq!(head.status, 200, "{path}");
            assert_eq!(head.get("content-type"), Some("application/json"));
            assert_eq!(head.get("access-control-allow-origin"), Some("*"));
            assert_eq!(head.get("cache-control"), Some("public, max-age=300"));
            assert_eq!(
                serde_json::from_str::<Value>(&body).expect("JSON"),
                expected
            );
        }
        let mut headers = vec![("Origin", "https://page.example".to_owned())];
        headers.push(("Access-Control-Request-Method", "GET".to_owned()));
        headers.push((
            "Access-Control-Request-Headers",
            "mcp-protocol-version".to_owned(),
        ));
        let mut raw = Raw::connect(address).await.at(&path);
        let (head, _) = raw.ask("OPTIONS", &headers, "").await;
        assert_eq!(head.status, 204);
        assert_eq!(head.get("access-control-allow-origin"), Some("*"));
        assert_eq!(head.get("access-control-allow-headers"), Some("*"));
        let methods = Some("GET, HEAD, OPTIONS");
        assert_eq!(head.get("access-control-allow-methods"), methods);
        assert_eq!(head.get("access-control-max-age"), Some("7200"));
        let mut raw = Raw::connect(address).await.at(&path);
        let (head, body) = raw.ask("POST", &media(), "{}").await;
        assert_eq!((head.status, head.get("allow")), (405, methods));
        assert_eq!(body, "");
    }
    // Another resource at the same host has other metadata.
    let mut raw = Raw::connect(address)
        .await
        .at("/.well-known/oauth-protected-resource/other");
    assert_eq!(raw.ask("GET", &[], "").await.0.status, 404);
}

#[tokio::test]
async fn page_of_an_allowed_origin_can_read_a_challenge() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let config = HttpConfig::new().allow_origins(["https://page.example"]);
    let address = protect_with(&server, trusting(&issuer).dpop_nonces(), config);
    let headers = with_header(call_headers("echo"), "Origin", "https://page.example");
    let (head, _) = Raw::post(address, &headers, &call(1, "echo")).await;
    assert_eq!(head.status, 401);
    assert_eq!(
        head.get("access-control-allow-origin"),
        Some("https://page.example")
    );
    let exposed = head.all("access-control-expose-headers").join(", ");
    assert!(exposed.contains("www-authenticate"), "{exposed}");
    assert!(exposed.contains("dpop-nonce"), "{exposed}");
    // A preflight request has no token.
    let mut headers = vec![("Origin", "https://page.example".to_owned())];
    headers.push(("Access-Control-Request-Method", "POST".to_owned()));
    headers.push((
        "Access-Control-Request-Headers",
        "authorization, dpop".to_owned(),
    ));
    let (head, _) = Raw::connect(address)
        .await
        .ask("OPTIONS", &headers, "")
        .await;
    assert_eq!(head.status, 204);
    assert_eq!(
        head.get("access-control-allow-headers"),
        Some("authorization, dpop")
    );
}

#[test]
fn invalid_settings_are_errors() {
    let error = |oauth: mcp_server_oauth::OAuthBuilder| match oauth.build() {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    };
    let issuer = "https://auth.example";
    assert_eq!(
        error(OAuth::builder(RESOURCE)),
        "no issuer is set: add one with `issuer` or `verifier`"
    );
    assert_eq!(
        error(OAuth::builder("http://mcp.example.com").issuer(issuer)),
        "invalid resource `http://mcp.example.com`: expected the scheme `https`, or `http` with the \
         host `localhost`, `127.0.0.1` or `[::1]`"
    );
    assert_eq!(
        error(OAuth::builder(RESOURCE).issuer("http://auth.example")),
        "invalid issuer `http://auth.example`: expected the scheme `https`, or `http` with the host \
         `localhost`, `127.0.0.1` or `[::1]`"
    );
    let tokens = mcp_server_oauth::StaticTokens::new("http://auth.example");
    let text = error(OAuth::builder(RESOURCE).verifier(tokens));
    assert!(text.starts_with("invalid issuer `http://auth.example`: "));
    let keys = mcp_server_oauth::Issuer::new(issuer).jwks_uri("file:///etc/passwd");
    assert!(error(OAuth::builder(RESOURCE).issuer(keys)).starts_with("invalid URL of keys"));
    for name in ["none", "HS256", "RS1", ""] {
        let issuer = mcp_server_oauth::Issuer::new(issuer).algorithms([name]);
        assert_eq!(
            error(OAuth::builder(RESOURCE).issuer(issuer)),
            format!(
                "the algorithm `{name}` is not supported: expected one with a public key, such as \
                 `ES256`"
            )
        );
    }
    let oauth = || OAuth::builder(RESOURCE).issuer(issuer);
    for oauth in [
        oauth().required_scopes(["a", "offline_access"]),
        oauth().scopes_supported(["offline_access"]),
    ] {
        assert_eq!(
            error(oauth),
            "the scope `offline_access` must not be required or advertised"
        );
    }
    assert!(error(oauth().required_scopes(["a b"])).starts_with("invalid scope: "));
}
