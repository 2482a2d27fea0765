//! Logins that are not finished by the one who began them.

use serde_json::json;

use super::provider::bob;
use super::setup::*;

/// Returns the URL to which a browser is sent after consent, at the provider.
async fn provider_url(browser: &mut Browser, client: &Client) -> String {
    let page = browser.open(&client.url()).await;
    let (action, fields) = page.form();
    let mut form: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    form.push(("decision", "allow"));
    let onward = browser.post_once(&action, &form).await;
    let (_, rest) = onward.body.split_once("0;url=").expect("a URL");
    rest.split_once('"')
        .expect("quoted")
        .0
        .replace("&amp;", "&")
}

/// Returns the URL to which the provider redirects.
async fn callback_url(browser: &mut Browser, url: &str) -> String {
    let page = browser.request("GET", url, &[], "").await;
    page.header("location").expect("a redirect").to_owned()
}

#[tokio::test]
async fn login_cannot_be_finished_in_another_browser() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let mut attacker = setup.browser();
    // The attacker begins, and the user finishes: the code would be one of the user.
    let url = provider_url(&mut attacker, &client).await;
    let mut user = setup.browser();
    let page = user.open(&url).await;
    assert_eq!((page.status, page.header("location")), (400, None));
    // The attacker logs in, and lets the user continue: the user would use the account of the attacker.
    let callback = callback_url(&mut attacker, &url).await;
    let page = user.open(&callback).await;
    assert_eq!((page.status, page.header("location")), (400, None));
    // A login of the user's own does not help.
    provider_url(&mut user, &client).await;
    assert_eq!(user.open(&callback).await.status, 400);
    // In its own browser it works once.
    assert!(attacker.open(&callback).await.param("code").is_some());
    assert_eq!(attacker.open(&callback).await.status, 400);
}

#[tokio::test]
async fn state_and_code_of_different_logins_do_not_fit() {
    let setup = Setup::new().await;
    let (one, other) = (setup.client().await, setup.client().await);
    let mut browser = setup.browser();
    let mut attacker = setup.browser();
    setup.provider.user(bob());
    let url = provider_url(&mut attacker, &other).await;
    let callback = callback_url(&mut attacker, &url).await;
    let stolen = super::browser::param(&callback, "code").expect("a code");
    // The attacker injects a code of an own login into the login of the user: PKCE and the nonce are
    // those of another login.
    let url = provider_url(&mut browser, &one).await;
    let callback = callback_url(&mut browser, &url).await;
    let state = super::browser::param(&callback, "state").expect("a state");
    let injected = format!(
        "{PUBLIC}/callback?code={stolen}&state={state}&iss={}",
        setup.provider.url
    );
    let arrived = browser.open(&injected).await;
    assert_eq!(
        arrived.param("error").as_deref(),
        Some("server_error"),
        "{arrived:?}"
    );
}

#[tokio::test]
async fn redirect_of_another_provider_is_rejected() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    for issuer in ["https://evil.example", ""] {
        setup.provider.change_redirect(&[("iss", issuer)]);
        let arrived = client.arrive(&mut setup.browser()).await;
        assert_eq!(
            arrived.param("error").as_deref(),
            Some("server_error"),
            "{arrived:?}"
        );
        assert_eq!(arrived.param("code"), None);
    }
    setup.provider.change_redirect(&[]);
    client.log_in(&mut setup.browser()).await;
}

#[tokio::test]
async fn login_does_not_go_on_at_another_provider() {
    let (one, other) = (TestProvider::start().await, TestProvider::start().await);
    let first = start(&built(builder(one.openid())));
    // The program was configured for another provider, with the same keys.
    let second = start(&built(builder(other.openid())));
    let client = Client::register(first).await;
    let mut browser = Browser::new(first, &one.url);
    let url = provider_url(&mut browser, &client).await;
    let callback = callback_url(&mut browser, &url).await;
    browser.knows(PUBLIC, second);
    let page = browser.open(&callback).await;
    assert_eq!((page.status, page.header("location")), (400, None));
}

#[tokio::test]
async fn users_are_not_taken_for_each_other() {
    let (one, other) = (TestProvider::start().await, TestProvider::start().await);
    let first = start(&built(builder(one.openid())));
    let second = start(&built(builder(other.openid())));
    let mut subjects = Vec::new();
    for (address, provider) in [(first, &one), (second, &other)] {
        let client = Client::register(address).await;
        let tokens = client
            .log_in(&mut Browser::new(address, &provider.url))
            .await;
        subjects.push(whoami_of(address, &tokens.access).await);
    }
    // Both have the identifier 1 at their provider.
    assert_ne!(subjects[0], subjects[1]);
}

#[tokio::test]
async fn user_who_is_not_allowed_gets_no_code() {
    let setup = Setup::with(|builder| {
        builder.allow(|user| user.email_verified && user.email.ends_with("@example.com"))
    })
    .await;
    let client = setup.client().await;
    for changes in [
        json!({ "sub": "1", "email": "ada@example.com", "email_verified": false, "groups": [] }),
        json!({ "sub": "1", "email": "ada@example.com", "groups": [] }),
        json!({ "sub": "1", "email": "ada@example.com", "email_verified": "yes", "groups": [] }),
        json!({ "sub": "1", "email": "ada@example.com.evil.example", "email_verified": true, "groups": [] }),
        json!({ "sub": "1", "groups": [] }),
    ] {
        setup.provider.user(changes.clone());
        let arrived = client.arrive(&mut setup.browser()).await;
        assert_eq!(
            arrived.param("error").as_deref(),
            Some("access_denied"),
            "{changes}"
        );
    }
}
