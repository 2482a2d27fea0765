//! Providers that answer late, wrong or never.

use std::time::{Duration, Instant};

use mcp_login::{Login, LoginError, Provider, User};
use serde_json::json;

use super::provider::Behaviour;
use super::setup::*;

#[tokio::test]
async fn provider_that_fails_is_reported_to_the_client() {
    let setup = Setup::with(|builder| builder.provider_time(Duration::from_millis(500))).await;
    let client = setup.client().await;
    // So that the metadata are known.
    client.log_in(&mut setup.browser()).await;
    for behaviour in [
        Behaviour::Fail,
        Behaviour::Garbage,
        Behaviour::Refuse,
        Behaviour::Redirect,
        Behaviour::Huge,
        Behaviour::Wait,
    ] {
        setup.provider.behave(behaviour);
        let start = Instant::now();
        let arrived = client.arrive(&mut setup.browser()).await;
        assert!(start.elapsed() < Duration::from_secs(10), "{behaviour:?}");
        assert!(
            arrived.url.starts_with(&client.redirect),
            "{behaviour:?}: {arrived:?}"
        );
        assert_eq!(arrived.param("error").as_deref(), Some("server_error"));
        assert_eq!(arrived.param("state").as_deref(), Some("state-of-client"));
        assert!(!arrived.url.contains("alert") && !arrived.url.contains("secret"));
    }
    setup.provider.behave(Behaviour::Answer);
    client.log_in(&mut setup.browser()).await;
}

#[tokio::test]
async fn provider_without_metadata_is_reported_before_the_user_is_sent_there() {
    let setup = Setup::with(|builder| builder.provider_time(Duration::from_millis(500))).await;
    let client = setup.client().await;
    for behaviour in [Behaviour::Wait, Behaviour::Fail, Behaviour::Garbage] {
        setup.provider.behave(behaviour);
        let mut browser = setup.browser();
        let arrived = client.arrive(&mut browser).await;
        assert_eq!(arrived.param("error").as_deref(), Some("server_error"));
        assert!(
            !browser
                .visited
                .iter()
                .any(|url| url.starts_with(&setup.provider.url))
        );
        let page = browser.open(&format!("{PUBLIC}/sessions")).await;
        assert_eq!(page.status, 502, "{}", page.body);
    }
}

#[tokio::test]
async fn error_of_the_provider_ends_the_login() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    for (error, expected) in [
        ("access_denied", "access_denied"),
        ("temporarily_unavailable", "server_error"),
        ("<script>alert(1)</script>", "server_error"),
    ] {
        setup
            .provider
            .change_redirect(&[("error", error), ("code", "")]);
        let arrived = client.arrive(&mut setup.browser()).await;
        assert_eq!(arrived.param("error").as_deref(), Some(expected));
        assert!(!arrived.url.contains("alert"), "{arrived:?}");
    }
    setup.provider.change_redirect(&[("code", "")]);
    let arrived = client.arrive(&mut setup.browser()).await;
    assert_eq!(arrived.param("error").as_deref(), Some("server_error"));
}

#[tokio::test]
async fn id_token_of_another_login_is_rejected() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    for changes in [
        json!({ "nonce": "other" }),
        json!({ "nonce": null }),
        json!({ "aud": "other" }),
        json!({ "aud": ["server", "other"] }),
        json!({ "azp": "other" }),
        json!({ "iss": "https://evil.example" }),
        json!({ "exp": 1 }),
        json!({ "at_hash": "other" }),
        json!({ "sub": null }),
        // The user at the endpoint for users is another one.
        json!({ "sub": "2", "email": null }),
    ] {
        setup.provider.change_id_token(changes.clone());
        let arrived = client.arrive(&mut setup.browser()).await;
        assert_eq!(
            arrived.param("error").as_deref(),
            Some("server_error"),
            "{changes}"
        );
    }
    for changes in [
        json!({ "aud": ["server", "other"], "azp": "server" }),
        json!({ "at_hash": null }),
        // The address is found at the endpoint for users.
        json!({ "email": null, "email_verified": null }),
    ] {
        setup.provider.change_id_token(changes.clone());
        let tokens = client.log_in(&mut setup.browser()).await;
        let said = whoami_of(setup.address, &tokens.access).await;
        assert!(said.contains("ada@example.com"), "{changes} {said}");
    }
}

#[tokio::test]
async fn account_with_too_many_attributes_is_rejected() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    setup
        .provider
        .user(json!({ "sub": "1", "note": "x".repeat(60 << 10) }));
    setup.provider.change_id_token(json!({ "note": null }));
    let arrived = client.arrive(&mut setup.browser()).await;
    assert_eq!(arrived.param("error").as_deref(), Some("server_error"));
}

#[test]
fn invalid_settings_are_rejected() {
    let github = || Provider::github("id", "secret");
    let error = |builder: mcp_login::LoginBuilder| builder.build().expect_err("invalid");
    let login = |url: &str| Login::builder(github(), url).allow(|_| true);
    assert!(matches!(
        error(Login::builder(github(), PUBLIC)),
        LoginError::NobodyAllowed
    ));
    assert!(matches!(
        error(login("http://mcp.example.com")),
        LoginError::Url { .. }
    ));
    assert!(matches!(
        error(login("mcp.example.com")),
        LoginError::Url { .. }
    ));
    let elsewhere = login(PUBLIC).resource("https://other.example.com/mcp");
    assert!(matches!(error(elsewhere), LoginError::Url { .. }));
    let local = |users: Vec<User>, url: &str| Login::builder(Provider::local(users), url);
    let ada = || User::new("ada");
    assert!(matches!(
        error(local(vec![ada()], PUBLIC)),
        LoginError::LocalUsers(_)
    ));
    let loopback = "http://127.0.0.1:1";
    assert!(matches!(
        error(local(vec![], loopback)),
        LoginError::LocalUserIds
    ));
    assert!(matches!(
        error(local(vec![ada(), ada()], loopback)),
        LoginError::LocalUserIds
    ));
    assert!(local(vec![ada()], loopback).build().is_ok());
    let offline = login(PUBLIC).required_scopes(["offline_access"]);
    assert!(matches!(error(offline), LoginError::Scope(_)));
    assert!(matches!(
        error(login(PUBLIC).scopes_supported(["a b"])),
        LoginError::Scope(_)
    ));
    let never = login(PUBLIC).access_token_time(Duration::ZERO);
    assert!(matches!(
        error(never),
        LoginError::Time("access_token_time")
    ));
    let plain = Provider::openid("http://id.example.com", "id", "secret");
    let plain = Login::builder(plain, PUBLIC).allow(|_| true);
    assert!(matches!(error(plain), LoginError::Url { .. }));
    let nameless = Login::builder(Provider::github("", "secret"), PUBLIC).allow(|_| true);
    assert!(matches!(error(nameless), LoginError::Provider(_)));
}
