//! Dynamic registration of the client, and when it is repeated.

use mcp_client_oauth::{OAuthBuilder, OAuthFault, OAuthStep};
use serde_json::{Value, json};

use super::auth_servers::*;

const SERVER: &str = "/.well-known/oauth-authorization-server";

/// Logs in twice, and returns how often the client was registered.
async fn registrations(response: Value) -> usize {
    let servers = AuthServers::start().await;
    servers
        .script(move |asked, _| (asked.path == "/register").then(|| answer(201, response.clone())));
    let oauth = oauth().build().expect("valid");
    for _ in 0..2 {
        oauth.login(&servers.server()).await.expect("logged in");
    }
    servers.count("/register")
}

#[tokio::test]
async fn registration_is_used_until_its_secret_expires() {
    for (expiry, expected) in [(None, 1), (Some(0), 1), (Some(u64::MAX), 1), (Some(1), 2)] {
        let response = json!({
            "client_id": "c", "client_secret": "s", "client_secret_expires_at": expiry,
        });
        assert_eq!(registrations(response).await, expected, "{expiry:?}");
    }
}

#[tokio::test]
async fn registration_is_for_one_redirect_uri() {
    let servers = AuthServers::start().await;
    let oauth = oauth().build().expect("valid");
    for (uri, registrations) in [
        ("https://app.example/a", 1),
        ("https://app.example/a", 1),
        ("https://app.example/b", 2),
    ] {
        let begun = oauth.begin(&servers.server(), uri).await;
        begun.expect("begun");
        assert_eq!(servers.count("/register"), registrations, "{uri}");
    }
}

async fn described(oauth: OAuthBuilder, methods: Value) -> Value {
    let servers = AuthServers::start().await;
    servers.script(move |asked, servers| {
        let mut metadata = servers.server_metadata();
        metadata["token_endpoint_auth_methods_supported"] = methods.clone();
        (asked.path == SERVER).then(|| answer(200, metadata))
    });
    let oauth = oauth.build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    servers.asked("/register")[0].body.parse().expect("JSON")
}

#[tokio::test]
async fn method_that_the_server_supports_is_requested() {
    for (methods, expected) in [
        (json!(null), "none"),
        (json!(["client_secret_basic", "none"]), "none"),
        (json!(["client_secret_post"]), "client_secret_post"),
        (
            json!(["client_secret_post", "client_secret_basic"]),
            "client_secret_basic",
        ),
        (json!(["tls_client_auth"]), "none"),
    ] {
        let body = described(oauth(), methods.clone()).await;
        assert_eq!(body["token_endpoint_auth_method"], expected, "{methods}");
        assert_eq!(body.get("client_uri"), None);
    }
    let about = oauth().client_uri("https://client.example/about");
    let body = described(about, json!(["none"])).await;
    assert_eq!(body["client_uri"], "https://client.example/about");
}

#[tokio::test]
async fn client_with_an_unknown_method_is_not_used() {
    let servers = AuthServers::start().await;
    servers.script(|asked, _| {
        let method = "tls_client_auth";
        let client = json!({"client_id": "c", "token_endpoint_auth_method": method});
        (asked.path == "/register").then(|| answer(201, client))
    });
    let oauth = oauth().build().expect("valid");
    let error = refused(&servers, &oauth).await;
    assert_eq!(error.step, OAuthStep::Registration);
    assert!(error.to_string().contains("`tls_client_auth`"), "{error}");
    assert_eq!(
        (servers.count("/authorize"), servers.count("/token")),
        (0, 0)
    );
}

#[tokio::test]
async fn client_that_the_server_forgot_is_registered_again() {
    // When a code is redeemed, and when a token is refreshed.
    for grant in ["authorization_code", "refresh_token"] {
        let servers = AuthServers::start().await;
        let oauth = oauth().build().expect("valid");
        if grant == "refresh_token" {
            connect(&servers, &oauth).await.expect("connected");
            servers.expire();
        }
        servers.script(move |asked, servers| {
            let is_old = servers.count("/register") == 1;
            let is_grant = asked.form("grant_type").as_deref() == Some(grant);
            (asked.path == "/token" && is_old && is_grant)
                .then(|| answer(401, json!({"error": "invalid_client"})))
        });
        if grant == "authorization_code" {
            let error = refused(&servers, &oauth).await;
            assert!(
                matches!(&error.fault, OAuthFault::Refused { error, .. } if error == "invalid_client"),
                "{error}"
            );
            tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
        }
        connect(&servers, &oauth).await.expect("connected");
        assert_eq!(servers.count("/register"), 2, "{grant}");
    }
}

#[tokio::test]
async fn answers_of_the_server_are_cut_in_errors() {
    let servers = AuthServers::start().await;
    let long = "x".repeat(10_000);
    servers.script(move |asked, _| {
        let refusal = json!({"error": long, "error_description": long});
        (asked.path == "/register").then(|| answer(400, refusal))
    });
    let error = refused(&servers, &oauth().build().expect("valid")).await;
    let text = error.to_string();
    assert!(text.len() < 1_000 && text.contains("xxx"), "{text}");
    // A failure of the server is not its decision.
    servers.script(|asked, _| {
        let refusal = json!({"error": "invalid_client"});
        (asked.path == "/register").then(|| answer(500, refusal))
    });
    let error = refused(&servers, &oauth().build().expect("valid")).await;
    assert!(
        matches!(error.fault, OAuthFault::Status(status) if status == 500),
        "{error}"
    );
}
