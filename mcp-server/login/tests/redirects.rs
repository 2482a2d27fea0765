//! Redirect URIs that are almost registered, and redirects to anywhere else.

use super::client::{Client, register};
use super::setup::*;
use serde_json::json;

/// Opens an authorization request that must not lead anywhere.
async fn refused(setup: &Setup, client: &Client, redirect: &str) {
    let mut browser = setup.browser();
    let page = browser
        .request(
            "GET",
            &client.url_with(&[("redirect_uri", redirect)]),
            &[],
            "",
        )
        .await;
    assert_eq!(page.status, 400, "{redirect}: {}", page.body);
    assert_eq!(page.header("location"), None, "{redirect}");
    assert!(
        !page.body.contains("http-equiv"),
        "{redirect}: {}",
        page.body
    );
    assert!(
        page.body.contains("has not registered") || redirect.is_empty(),
        "{}",
        page.body
    );
}

#[tokio::test]
async fn redirect_that_is_almost_registered_is_refused() {
    let setup = Setup::new().await;
    let web = Client::register_at(setup.address, "https://app.example.com/cb").await;
    for redirect in [
        "",
        "https://app.example.com/CB",
        "https://App.example.com/cb",
        "https://app.example.com/cb/",
        "https://app.example.com/cb/x",
        "https://app.example.com/cb?x=1",
        "https://app.example.com/cb#x",
        "https://app.example.com/x/../cb",
        "https://app.example.com/%63b",
        "https://app.example.com:443/cb",
        "https://app.example.com:8443/cb",
        "http://app.example.com/cb",
        "https://app.example.com@evil.example/cb",
        "https://evil.example@app.example.com/cb",
        "https://app.example.com.evil.example/cb",
        "https://evil.example/?https://app.example.com/cb",
        "https://app.example.com/cb\n",
        " https://app.example.com/cb",
        "https://app.example.com\\@evil.example/cb",
        "//app.example.com/cb",
        "javascript:alert(1)",
    ] {
        refused(&setup, &web, redirect).await;
    }
    let native = Client::register_at(setup.address, "http://127.0.0.1:7777/cb").await;
    for redirect in [
        "http://localhost:7777/cb",
        "http://127.0.0.2:7777/cb",
        "http://[::1]:7777/cb",
        "http://127.0.0.1:7777/cb/x",
        "http://127.0.0.1:7777@evil.example/cb",
        "http://127.0.0.1:77777/cb",
        "https://127.0.0.1:7777/cb",
    ] {
        refused(&setup, &native, redirect).await;
    }
}

#[tokio::test]
async fn port_on_this_device_is_free() {
    let setup = Setup::new().await;
    for host in ["127.0.0.1", "localhost"] {
        let mut client = Client::register_at(setup.address, &format!("http://{host}/cb")).await;
        client.redirect = format!("http://{host}:5050/cb");
        client.log_in(&mut setup.browser()).await;
    }
}

#[tokio::test]
async fn dangerous_redirect_cannot_be_registered() {
    let setup = Setup::new().await;
    for redirect in [
        "http://evil.example/cb",
        "https://a.example/#x",
        "https://me@a.example/",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "/cb",
    ] {
        let metadata = json!({ "redirect_uris": [redirect] }).to_string();
        let (status, body) = register(setup.address, &metadata).await;
        assert_eq!(
            (status, &body["error"]),
            (400, &json!("invalid_redirect_uri")),
            "{redirect}"
        );
    }
}

/// Parameters that other servers take for a URL to go to, on every page.
#[tokio::test]
async fn pages_redirect_to_no_url_of_a_request() {
    let setup = Setup::new().await;
    let evil = "https%3A%2F%2Fevil.example%2F";
    for path in ["/callback", "/authorize", "/sessions", "/consent", "/local"] {
        for name in [
            "redirect_uri",
            "next",
            "return_to",
            "url",
            "state",
            "iss",
            "error",
        ] {
            let mut browser = setup.browser();
            let url = format!("{PUBLIC}{path}?{name}={evil}&code=x");
            let page = browser.request("GET", &url, &[], "").await;
            let location = page.header("location").unwrap_or_default();
            let provider = format!("{}/authorize", setup.provider.url);
            assert!(
                location.is_empty() || location.starts_with(&provider),
                "{location}"
            );
            assert!(
                !location.contains("evil") && !page.body.contains("evil"),
                "{}",
                page.body
            );
        }
    }
}

#[tokio::test]
async fn redirect_of_a_registered_client_keeps_its_query() {
    let setup = Setup::new().await;
    let client = Client::register_at(setup.address, "https://app.example.com/cb?tenant=1").await;
    let arrived = client.arrive(&mut setup.browser()).await;
    assert!(
        arrived
            .url
            .starts_with("https://app.example.com/cb?tenant=1&code="),
        "{arrived:?}"
    );
}

#[tokio::test]
async fn website_gets_an_error_only_if_the_user_goes_there() {
    let setup = Setup::new().await;
    let web = Client::register_at(setup.address, "https://evil.example/cb").await;
    for changes in [
        ("response_type", "token"),
        ("prompt", "none"),
        ("scope", "\""),
    ] {
        let page = setup.browser().open(&web.url_with(&[changes])).await;
        assert_eq!(
            (page.status, page.header("location")),
            (400, None),
            "{changes:?}"
        );
        assert!(!page.body.contains("http-equiv"), "{}", page.body);
        assert!(
            page.body.contains("href=\"https://evil.example/cb?error="),
            "{}",
            page.body
        );
    }
    // So does a program with a scheme of its own: the link could make it do something.
    let private = Client::register_at(setup.address, "com.example.app:/cb").await;
    let link = private.url_with(&[("response_type", "token")]);
    let page = setup.browser().open(&link).await;
    assert_eq!((page.status, page.header("location")), (400, None));
    // A program at a loopback address gets it at once: no website or link is involved.
    let native = setup.client().await;
    let arrived = setup
        .browser()
        .open(&native.url_with(&[("response_type", "token")]))
        .await;
    assert_eq!(
        arrived.param("error").as_deref(),
        Some("unsupported_response_type")
    );
}
