//! The documents by which clients find everything.

use mcp_server::HttpConfig;
use mcp_testkit::http::raw::Raw;
use serde_json::{Value, json};

use super::setup::*;

async fn document(setup: &Setup, path: &str) -> Value {
    let mut raw = Raw::connect(setup.address).await.at(path);
    let (head, body) = raw.ask("GET", &[], "").await;
    assert_eq!(
        (head.status, head.get("access-control-allow-origin")),
        (200, Some("*")),
        "{path}"
    );
    serde_json::from_str(&body).expect("JSON")
}

#[tokio::test]
async fn clients_find_the_authorization_server() {
    let setup = Setup::with(|builder| {
        builder
            .resource(format!("{PUBLIC}/mcp"))
            .name("Notes")
            .scopes_supported(["read"])
    })
    .await;
    for path in [
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-protected-resource",
    ] {
        let found = document(&setup, path).await;
        assert_eq!(found["resource"], format!("{PUBLIC}/mcp"));
        assert_eq!(found["authorization_servers"], json!([PUBLIC]));
        assert_eq!(found["scopes_supported"], json!(["read"]));
        assert_eq!(found["resource_name"], "Notes");
    }
    let found = document(&setup, "/.well-known/oauth-authorization-server").await;
    assert_eq!(found["issuer"], PUBLIC);
    for (name, path) in [
        ("authorization_endpoint", "/authorize"),
        ("token_endpoint", "/token"),
        ("registration_endpoint", "/register"),
        ("revocation_endpoint", "/revoke"),
    ] {
        assert_eq!(found[name], format!("{PUBLIC}{path}"));
    }
    assert_eq!(found["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(
        found["authorization_response_iss_parameter_supported"],
        true
    );
    assert_eq!(found["client_id_metadata_document_supported"], true);
    // There are no ID tokens.
    let path = "/.well-known/openid-configuration";
    let mut raw = Raw::connect(setup.address).await.at(path);
    assert_eq!(raw.ask("GET", &[], "").await.0.status, 404);
}

#[tokio::test]
async fn public_url_can_have_a_path() {
    let provider = TestProvider::start().await;
    let url = format!("{PUBLIC}/tenant");
    let login = built(mcp_login::Login::builder(provider.openid(), &url).allow(|_| true));
    assert_eq!(login.callback_url(), format!("{url}/callback"));
    let address = start(&login);
    let setup = Setup { provider, address };
    let found = document(&setup, "/.well-known/oauth-authorization-server/tenant").await;
    assert_eq!(found["authorization_endpoint"], format!("{url}/authorize"));
    let headers = [("Content-Type", "application/json".to_owned())];
    let mut raw = Raw::connect(address).await.at("/tenant/register");
    let body = json!({ "redirect_uris": ["https://app.example.com/cb"] }).to_string();
    assert_eq!(raw.ask("POST", &headers, &body).await.0.status, 201);
}

#[tokio::test]
async fn router_has_all_paths() {
    let provider = TestProvider::start().await;
    let login = built(builder(provider.openid()));
    let server = server(&login, |builder| builder);
    let config = HttpConfig::new().any_host().authenticate(login);
    let app = axum::Router::new().merge(server.into_router("/mcp", config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("bound");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, app).await });
    let setup = Setup { provider, address };
    document(&setup, "/.well-known/oauth-authorization-server").await;
    document(&setup, "/.well-known/oauth-protected-resource").await;
    let tokens = setup.client().await.log_in(&mut setup.browser()).await;
    whoami_of(address, &tokens.access).await;
    let page = setup.browser().open(&format!("{PUBLIC}/sessions")).await;
    assert_eq!(page.status, 200, "{}", page.body);
}
