//! Authorization requests and tokens that are malformed, or meant for another server.

use std::net::SocketAddr;

use mcp_login::Login;
use mcp_server::Memory;
use mcp_testkit::http::raw::{Raw, call, call_headers, with_header};
use serde_json::json;

use super::client::{Tokens, authorize_url, send_form};
use super::setup::*;

#[tokio::test]
async fn malformed_request_is_reported_to_the_client() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let long = "x".repeat(1_100);
    for (name, value, error) in [
        ("response_type", "", "invalid_request"),
        ("response_type", "token", "unsupported_response_type"),
        ("response_mode", "fragment", "invalid_request"),
        ("resource", "https://other.example.com", "invalid_target"),
        (
            "resource",
            "https://mcp.example.com.evil.example",
            "invalid_target",
        ),
        ("scope", "a\"b", "invalid_scope"),
        ("scope", &*long, "invalid_scope"),
        ("state", &*long, "invalid_request"),
        ("request", "x", "request_not_supported"),
        (
            "request_uri",
            "https://evil.example/",
            "request_uri_not_supported",
        ),
        ("prompt", "none", "login_required"),
        ("dpop_jkt", "x", "invalid_request"),
    ] {
        let arrived = setup
            .browser()
            .open(&client.url_with(&[(name, value)]))
            .await;
        assert!(
            arrived.url.starts_with(&client.redirect),
            "{name}: {arrived:?}"
        );
        assert_eq!(arrived.param("error").as_deref(), Some(error), "{name}");
        assert_eq!(arrived.param("code"), None, "{name}");
    }
}

#[tokio::test]
async fn repeated_parameter_is_rejected() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    for name in ["client_id", "redirect_uri"] {
        let mut params = client.params();
        params.push((name, "https://evil.example/".to_owned()));
        let page = setup.browser().open(&authorize_url(&params)).await;
        assert_eq!(page.status, 400, "{name}");
    }
    for name in ["state", "code_challenge", "scope", "response_type"] {
        let mut params = client.params();
        params.push((name, "x".to_owned()));
        params.push((name, "y".to_owned()));
        let arrived = setup.browser().open(&authorize_url(&params)).await;
        assert_eq!(
            arrived.param("error").as_deref(),
            Some("invalid_request"),
            "{name}"
        );
    }
    // Several resources are one request for all of them.
    let mut params = client.params();
    params.push(("resource", format!("{PUBLIC}/mcp")));
    assert_eq!(
        setup.browser().open(&authorize_url(&params)).await.status,
        200
    );
    params.push(("resource", "https://other.example.com".to_owned()));
    let arrived = setup.browser().open(&authorize_url(&params)).await;
    assert_eq!(arrived.param("error").as_deref(), Some("invalid_target"));
}

#[tokio::test]
async fn request_without_a_token_is_told_where_to_get_one() {
    let setup = Setup::with(|builder| {
        builder
            .resource(format!("{PUBLIC}/mcp"))
            .required_scopes(["read"])
    })
    .await;
    let metadata = format!("{PUBLIC}/.well-known/oauth-protected-resource/mcp");
    let headers = call_headers("whoami");
    let (head, _) = Raw::post(setup.address, &headers, &call(1, "whoami")).await;
    let expected = format!("Bearer resource_metadata=\"{metadata}\", scope=\"read\"");
    assert_eq!(
        (head.status, head.get("www-authenticate")),
        (401, Some(&*expected))
    );
    for (authorization, status) in [
        ("Bearer x", 401),
        ("Bearer ", 400),
        ("Bearer a b", 400),
        ("DPoP x", 401),
        ("Basic x", 401),
        ("Bearer \"x\"", 400),
    ] {
        let headers = with_header(call_headers("whoami"), "Authorization", authorization);
        let (head, _) = Raw::post(setup.address, &headers, &call(1, "whoami")).await;
        assert_eq!(head.status, status, "{authorization}");
        let challenge = head.get("www-authenticate").expect("a challenge");
        assert!(challenge.contains(&metadata), "{challenge}");
    }
}

/// Two servers in one program, with the same keys and the same store.
fn two_resources(provider: &TestProvider) -> [(Login, SocketAddr); 2] {
    let memory = Memory::new();
    [PUBLIC, "https://other.example.com"].map(|url| {
        let login = built(Login::builder(provider.openid(), url).allow(|_| true));
        let server = server(&login, |builder| builder.store(memory.clone()));
        let address = serve(&server, &login);
        (login, address)
    })
}

#[tokio::test]
async fn tokens_and_codes_of_another_resource_are_rejected() {
    let provider = TestProvider::start().await;
    let [(_, one), (_, other)] = two_resources(&provider);
    let client = Client::register(one).await;
    let mut browser = Browser::new(one, &provider.url);
    let tokens = client.log_in(&mut browser).await;
    assert_eq!(call_tool(one, "whoami", &tokens.access).await.0, 200);
    assert_eq!(call_tool(other, "whoami", &tokens.access).await.0, 401);
    // Also a client id is that of one server.
    let elsewhere = Client {
        address: other,
        ..client.clone()
    };
    assert_eq!(
        elsewhere.refresh(&tokens.refresh).await.1["error"],
        "invalid_client"
    );
    let mut registered = Client::register(other).await;
    registered.verifier.clone_from(&client.verifier);
    assert_eq!(
        registered.refresh(&tokens.refresh).await.1["error"],
        "invalid_grant"
    );
    let code = client.code(&mut browser).await;
    assert_eq!(registered.exchange(&code).await.0, 400);
    // A refresh token is no access token, and the other way around.
    assert_eq!(call_tool(one, "whoami", &tokens.refresh).await.0, 401);
    assert_eq!(client.refresh(&tokens.access).await.0, 400);
}

#[tokio::test]
async fn changed_tokens_are_rejected() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let tokens = client.log_in(&mut setup.browser()).await;
    for at in [0, 10, tokens.access.len() / 2, tokens.access.len() - 1] {
        let mut bytes = tokens.access.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).expect("ASCII");
        assert_eq!(
            call_tool(setup.address, "whoami", &changed).await.0,
            401,
            "{at}"
        );
    }
    assert_eq!(
        call_tool(setup.address, "whoami", &tokens.access).await.0,
        200
    );
    let query = format!("/mcp?access_token={}", tokens.access);
    let mut raw = Raw::connect(setup.address).await.at(&query);
    let (head, _) = raw
        .ask("POST", &call_headers("whoami"), &call(1, "whoami"))
        .await;
    assert_eq!(head.status, 400);
}

#[tokio::test]
async fn client_with_a_secret_has_to_prove_who_it_is() {
    let setup = Setup::new().await;
    let metadata = json!({
        "redirect_uris": ["https://app.example.com/cb"],
        "token_endpoint_auth_method": "client_secret_post",
    });
    let (status, body) = super::client::register(setup.address, &metadata.to_string()).await;
    assert_eq!(
        (status, &body["client_secret_expires_at"]),
        (201, &json!(0)),
        "{body}"
    );
    let secret = body["client_secret"].as_str().expect("a secret").to_owned();
    let id = body["client_id"].as_str().expect("an id");
    let mut client = Client::new(setup.address, id, "https://app.example.com/cb");
    let code = client.code(&mut setup.browser()).await;
    for wrong in [None, Some("wrong".to_owned())] {
        client.secret = wrong;
        let (status, body) = client.exchange(&code).await;
        assert_eq!((status, &body["error"]), (401, &json!("invalid_client")));
    }
    client.secret = Some(secret.clone());
    let tokens = Tokens::of(client.exchange(&code).await);
    // The same in the header.
    client.secret = None;
    let basic = |id: &str, secret: &str| {
        use base64::Engine as _;
        let pair = format!("{id}:{secret}");
        format!(
            "Basic {}",
            base64::engine::general_purpose::STANDARD.encode(pair)
        )
    };
    let first = secret.bytes().next().expect("not empty");
    let rest = secret.get(1..).expect("ASCII");
    // Clients encode both as in a form (RFC 6749, section 2.3.1).
    let encoded = basic(&client.id, &format!("%{first:02x}{rest}"));
    let basic = basic(&client.id, &secret);
    let form = [
        ("grant_type", "refresh_token"),
        ("refresh_token", &*tokens.refresh),
    ];
    let headers = [("Authorization", &*basic)];
    let (head, body) = send_form(setup.address, "/token", &form, &headers).await;
    assert_eq!(head.status, 200, "{body}");
    let tokens: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    let form = [
        form[0],
        (
            "refresh_token",
            tokens["refresh_token"].as_str().expect("a token"),
        ),
    ];
    let headers = [("Authorization", &*encoded)];
    let (head, body) = send_form(setup.address, "/token", &form, &headers).await;
    assert_eq!(head.status, 200, "{body}");
    let repeated = [headers[0], headers[0]];
    let (head, body) = send_form(setup.address, "/token", &form, &repeated).await;
    assert_eq!(head.status, 400, "{body}");
    assert!(body.contains("is repeated"), "{body}");
    let both = [&form[..], &[("client_id", "other")]].concat();
    let (head, _) = send_form(setup.address, "/token", &both, &headers).await;
    assert_eq!(head.status, 400);
    let (head, _) = send_form(setup.address, "/token", &form, &[]).await;
    assert_eq!(
        (head.status, head.get("www-authenticate").is_some()),
        (401, true)
    );
}

#[tokio::test]
async fn token_endpoint_accepts_only_forms_of_limited_size() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let json = [("Content-Type", "application/json".to_owned())];
    let mut raw = Raw::connect(setup.address).await.at("/token");
    let (head, body) = raw.ask("POST", &json, "{}").await;
    assert_eq!(head.status, 400, "{body}");
    let long = "x".repeat(20 << 10);
    let (head, _) = client.send("/token", &[("grant_type", &long)], &[]).await;
    assert_eq!(head.status, 413);
    let many: Vec<_> = (0..100).map(|_| ("a", "b")).collect();
    let (head, _) = client.send("/token", &many, &[]).await;
    assert_eq!(head.status, 400);
    let repeated = [
        ("grant_type", "refresh_token"),
        ("refresh_token", "x"),
        ("refresh_token", "y"),
    ];
    let (head, body) = client.send("/token", &repeated, &[]).await;
    assert_eq!(head.status, 400, "{body}");
    assert!(body.contains("more than once"), "{body}");
}

#[tokio::test]
async fn pages_of_other_origins_may_call_the_endpoints_but_not_the_pages() {
    let setup = Setup::new().await;
    for path in ["/token", "/register", "/revoke"] {
        let headers = [
            ("Origin", "https://app.example".to_owned()),
            ("Access-Control-Request-Method", "POST".to_owned()),
        ];
        let mut raw = Raw::connect(setup.address).await.at(path);
        let (head, _) = raw.ask("OPTIONS", &headers, "").await;
        assert_eq!(
            (head.status, head.get("access-control-allow-origin")),
            (204, Some("*"))
        );
        let mut raw = Raw::connect(setup.address).await.at(path);
        let (head, _) = raw.ask("GET", &[], "").await;
        assert_eq!(
            (head.status, head.get("allow")),
            (405, Some("POST, OPTIONS"))
        );
    }
    for (path, allowed) in [
        ("/authorize", "GET"),
        ("/callback", "GET"),
        ("/consent", "POST"),
        ("/sessions", "GET, POST"),
    ] {
        for method in ["PUT", "OPTIONS"] {
            let mut raw = Raw::connect(setup.address).await.at(path);
            let (head, _) = raw.ask(method, &[], "").await;
            assert_eq!(
                (head.status, head.get("allow")),
                (405, Some(allowed)),
                "{path}"
            );
            assert_eq!(head.get("access-control-allow-origin"), None);
        }
    }
}
