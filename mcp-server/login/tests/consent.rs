//! Consent: nobody but the user in front of the page decides.

use mcp_testkit::http::raw::Raw;
use serde_json::json;

use super::client::{Client, register};
use super::provider::{ada, bob};
use super::setup::*;

#[tokio::test]
async fn nothing_happens_without_consent() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let mut browser = setup.browser();
    // The user is logged in at the provider, and has used the server before.
    client.log_in(&mut browser).await;
    let requests = browser.visited.len();
    let page = browser.open(&client.url()).await;
    assert!(page.body.contains("Test client") && page.body.contains("127.0.0.1:7777"));
    assert_eq!(browser.visited.len(), requests + 1, "{:?}", browser.visited);
    // A login that was not allowed cannot be finished.
    let page = browser
        .open(&format!("{PUBLIC}/callback?code=x&state=a.x"))
        .await;
    assert_eq!(page.status, 400, "{}", page.body);
}

#[tokio::test]
async fn user_who_does_not_allow_it_is_sent_back() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let mut browser = setup.browser();
    let page = browser.open(&client.url()).await;
    let arrived = browser.press(&page, "decision", "deny").await;
    assert!(arrived.url.starts_with(&client.redirect));
    assert_eq!(arrived.param("error").as_deref(), Some("access_denied"));
    assert_eq!(arrived.param("iss").as_deref(), Some(PUBLIC));
    // Without a decision, nothing is allowed.
    let page = browser.open(&client.url()).await;
    let arrived = browser.press_with(&page, &[]).await;
    assert_eq!(arrived.param("error").as_deref(), Some("access_denied"));
}

#[tokio::test]
async fn consent_of_another_browser_is_not_accepted() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    // The attacker opens the page, and makes the browser of the user send the form.
    let page = setup.browser().open(&client.url()).await;
    let (action, fields) = page.form();
    let form: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let form = [&form[..], &[("decision", "allow")]].concat();
    let mut without_cookie = setup.browser();
    let mut user = setup.browser();
    user.open(&client.url()).await;
    for browser in [&mut without_cookie, &mut user] {
        let page = browser.post_once(&action, &form).await;
        assert_eq!(page.status, 400, "{}", page.body);
        assert!(
            !browser
                .cookie_names()
                .iter()
                .any(|name| name.contains("login"))
        );
    }
    // A text that the server did not seal.
    let page = user
        .post_once(&action, &[("request", "x"), ("decision", "allow")])
        .await;
    assert_eq!(page.status, 400);
}

#[tokio::test]
async fn form_of_another_site_is_not_accepted() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let mut browser = setup.browser();
    let page = browser.open(&client.url()).await;
    let (action, fields) = page.form();
    let mut body = form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(&fields).append_pair("decision", "allow");
    let body = body.finish();
    let kind = ("Content-Type", "application/x-www-form-urlencoded");
    for header in [
        ("Origin", "https://evil.example"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ] {
        let page = browser
            .request("POST", &action, &[kind, header], &body)
            .await;
        assert_eq!(page.status, 400, "{header:?}");
    }
    let page = browser
        .request("POST", &action, &[kind, ("Origin", PUBLIC)], &body)
        .await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("http-equiv=\"refresh\""));
}

#[tokio::test]
async fn consent_is_remembered_only_for_the_user_and_a_website() {
    let setup = Setup::new().await;
    let web = Client::register_at(setup.address, "https://app.example.com/cb").await;
    let mut browser = setup.browser();
    let page = browser.open(&web.url()).await;
    let yes = [("remember", "yes"), ("decision", "allow")];
    let arrived = browser.press_with(&page, &yes).await;
    assert!(arrived.param("code").is_some(), "{arrived:?}");
    // The same user is not asked again, for this client and what it asked for.
    let arrived = browser.open(&web.url()).await;
    assert!(arrived.param("code").is_some(), "{arrived:?}");
    let page = browser.open(&web.url_with(&[("scope", "admin")])).await;
    assert_eq!(page.status, 200);
    let again = browser.open(&web.url_with(&[("prompt", "consent")])).await;
    assert_eq!(again.status, 200, "the client wants the user to be asked");
    let other = Client::register_at(setup.address, "https://app.example.com/cb").await;
    assert_eq!(browser.open(&other.url()).await.status, 200);
    assert_eq!(
        setup.browser().open(&web.url()).await.status,
        200,
        "another browser"
    );
    // Somebody else logs in with the same browser: the approval is not that of this user.
    setup.provider.user(bob());
    let page = browser.open(&web.url()).await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.body.contains("Test client"), "{}", page.body);
    let arrived = browser.allow(&page).await;
    let code = arrived.param("code").expect("a code");
    let tokens = super::client::Tokens::of(web.exchange(&code).await);
    assert!(
        whoami_of(setup.address, &tokens.access)
            .await
            .contains("|2 bob@")
    );
    setup.provider.user(ada());
    // Any program can claim to be one at a loopback address.
    let native = setup.client().await;
    let mut browser = setup.browser();
    for _ in 0..2 {
        let page = browser.open(&native.url()).await;
        assert!(!page.body.contains("remember"), "{}", page.body);
        let arrived = browser.press_with(&page, &yes).await;
        assert!(arrived.param("code").is_some());
    }
}

#[tokio::test]
async fn approvals_in_a_browser_are_limited() {
    let setup = Setup::new().await;
    let mut browser = setup.browser();
    for at in 0..12 {
        let redirect = format!("https://app{at}.example.com/cb");
        let web = Client::register_at(setup.address, &redirect).await;
        let page = browser.open(&web.url()).await;
        let yes = [("remember", "yes"), ("decision", "allow")];
        assert!(
            browser
                .press_with(&page, &yes)
                .await
                .param("code")
                .is_some()
        );
    }
}

#[tokio::test]
async fn texts_of_clients_are_escaped() {
    let setup = Setup::new().await;
    let name = "<script>alert(1)</script>\"'&\u{202e}\u{1b}<img src=x onerror=alert(1)>";
    let metadata = json!({
        "client_name": name,
        "redirect_uris": ["app://<x>/cb"],
    });
    assert_eq!(register(setup.address, &metadata.to_string()).await.0, 400);
    let metadata = json!({
        "client_name": name,
        "redirect_uris": ["https://app.example.com/cb?x=%3Cscript%3E&y=1"],
    });
    let (_, body) = register(setup.address, &metadata.to_string()).await;
    let id = body["client_id"].as_str().expect("an id");
    let client = Client::new(
        setup.address,
        id,
        "https://app.example.com/cb?x=%3Cscript%3E&y=1",
    );
    let page = setup
        .browser()
        .open(&client.url_with(&[("scope", "<b>")]))
        .await;
    assert_eq!(page.status, 200);
    for text in ["<script", "<img", "<b>", "\u{202e}", "\u{1b}"] {
        assert!(!page.body.contains(text), "{text}: {}", page.body);
    }
    assert!(
        page.body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"),
        "{}",
        page.body
    );
    // Also in the state, which is shown to nobody.
    let state = "\"><script>alert(1)</script>";
    let arrived = client
        .arrive_with(&mut setup.browser(), &[("state", state)])
        .await;
    assert_eq!(arrived.param("state").as_deref(), Some(state));
}

#[tokio::test]
async fn pages_cannot_be_framed_and_run_no_scripts() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let mut browser = setup.browser();
    let consent = browser.open(&client.url()).await;
    let error = browser.open(&format!("{PUBLIC}/authorize")).await;
    let unknown = browser.open(&format!("{PUBLIC}/callback?state=x")).await;
    let sessions = browser.open(&format!("{PUBLIC}/sessions")).await;
    let (action, fields) = consent.form();
    let mut form: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    form.push(("decision", "allow"));
    let onward = browser.post_once(&action, &form).await;
    for page in [consent, error, unknown, sessions, onward] {
        let policy = page.header("content-security-policy").expect("a policy");
        for directive in [
            "default-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        ] {
            assert!(policy.contains(directive), "{policy}");
        }
        assert!(
            !policy.contains("unsafe") && !policy.contains("script-src"),
            "{policy}"
        );
        for (name, value) in [
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("content-type", "text/html; charset=utf-8"),
        ] {
            assert_eq!(page.header(name), Some(value), "{}", page.url);
        }
        assert!(
            !page.body.contains("<script") && !page.body.contains(" style="),
            "{}",
            page.body
        );
        // The style sheet is the one that the policy allows.
        let style = page
            .body
            .split("<style>")
            .nth(1)
            .and_then(|rest| rest.split("</style>").next());
        let digest = mcp_oauth::sha256(style.expect("a style sheet").as_bytes());
        let digest = digest.replace('-', "+").replace('_', "/");
        assert!(
            policy.contains(&format!("style-src 'sha256-{digest}='")),
            "{policy}"
        );
    }
    let mut raw = Raw::connect(setup.address).await.at("/authorize");
    let (head, _) = raw
        .ask("GET", &[("Origin", "https://evil.example".to_owned())], "")
        .await;
    assert_eq!(head.get("access-control-allow-origin"), None);
}
