//! The plain flow, with each kind of provider.

use std::time::Duration;

use mcp_login::Login;
use mcp_server::{Http, HttpConfig};
use mcp_testkit::http::raw::{Raw, with_header};

use super::client::Tokens;
use super::setup::*;

#[tokio::test]
async fn user_logs_in_with_openid() {
    let setup = Setup::new().await;
    let (mut browser, client) = (setup.browser(), setup.client().await);
    let tokens = client.log_in(&mut browser).await;
    assert_eq!(tokens.body["token_type"], "Bearer");
    assert_eq!(tokens.body["expires_in"], 900);
    let key = setup.provider.url.strip_prefix("http://").expect("http");
    let expected = format!("{key}|1 ada@example.com []");
    assert_eq!(whoami_of(setup.address, &tokens.access).await, expected);
    let refreshed = Tokens::of(client.refresh(&tokens.refresh).await);
    assert_eq!(whoami_of(setup.address, &refreshed.access).await, expected);
    // What the provider gets: PKCE, a nonce, and nothing of the client.
    let request = setup.provider.last_authorization();
    assert_eq!(request["code_challenge_method"], "S256");
    assert_eq!(request["scope"], "openid profile email");
    assert_eq!(request["redirect_uri"], format!("{PUBLIC}/callback"));
    assert!(
        request["nonce"].len() == 43 && request["state"].len() == 51,
        "{request:?}"
    );
    assert!(
        !request.values().any(|value| value.contains("7777")),
        "{request:?}"
    );
    // Nothing of the login is left in the browser.
    let cookies = browser.cookie_names();
    assert!(
        cookies.iter().all(|name| name.contains("browser")),
        "{cookies:?}"
    );
}

#[tokio::test]
async fn user_logs_in_with_github() {
    let provider = TestProvider::start().await;
    let login = builder(provider.github())
        .allow(|user| user.email_verified && user.is_in("acme"))
        .scopes(|user| user.groups.clone());
    let address = start(&built(login));
    let mut browser = Browser::new(address, &provider.url);
    let tokens = Client::register(address).await.log_in(&mut browser).await;
    let key = provider.url.strip_prefix("http://").expect("http");
    let expected = format!("{key}|1 ada@example.com [acme acme/admins]");
    assert_eq!(whoami_of(address, &tokens.access).await, expected);
    assert_eq!(
        provider.last_authorization()["scope"],
        "read:user user:email read:org"
    );
}

#[tokio::test]
async fn user_logs_in_without_a_network() {
    let login = Login::builder(local_users(), "http://127.0.0.1:1").name("Notes");
    let address = start(&built(login));
    let mut browser = Browser::new(address, "");
    browser.knows("http://127.0.0.1:1", address);
    let client = Client::register(address).await;
    let url = client
        .url_with(&[("resource", "")])
        .replace(PUBLIC, "http://127.0.0.1:1");
    let page = browser.open(&url).await;
    assert!(
        page.body.contains("Allow access to Notes?"),
        "{}",
        page.body
    );
    let page = browser.allow(&page).await;
    assert!(
        page.body.contains("Ada Lovelace") && page.body.contains("bob"),
        "{}",
        page.body
    );
    let arrived = browser.press(&page, "user", "bob").await;
    let code = arrived.param("code").expect("a code");
    let tokens = Tokens::of(client.exchange_with(&code, &[("resource", "")]).await);
    assert_eq!(whoami_of(address, &tokens.access).await, "local|bob - []");
    // The token of the provider does not exist.
    let (status, body) = call_tool(address, "provider", &tokens.access).await;
    assert_eq!(status, 403, "{body}");
}

#[tokio::test]
async fn browsers_on_other_machines_do_not_get_users_without_passwords() {
    let login = built(Login::builder(local_users(), "http://127.0.0.1:1"));
    let config = HttpConfig::new().authenticate(login.clone());
    let config = config.trusted_proxies(["127.0.0.1"]).expect("valid");
    let server = server(&login, |builder| builder);
    let http = server.serve_http(Http::at("127.0.0.1:0").config(config));
    let http = http.expect("bound");
    let address = http.local_addr();
    tokio::spawn(http);
    // `Host` is what the browser says, so it does not tell where the browser is.
    let host = vec![("Host", "127.0.0.1".to_owned())];
    for (from, here) in [("127.0.0.1", true), ("[::1]", true), ("203.0.113.7", false)] {
        let headers = with_header(host.clone(), "X-Forwarded-For", from);
        for method in ["GET", "POST"] {
            let mut raw = Raw::connect(address).await.at("/local?state=x");
            let (head, body) = raw.ask(method, &headers, "").await;
            let is_refused = body.contains("only for browsers on the machine of the server");
            assert_eq!(is_refused, !here, "{from}: {body}");
            assert_eq!(head.status == 403, !here, "{method} {from}: {body}");
        }
    }
}

#[tokio::test]
async fn two_tabs_log_in_at_the_same_time() {
    let setup = Setup::new().await;
    let mut browser = setup.browser();
    let (one, other) = (setup.client().await, setup.client().await);
    let first = browser.open(&one.url()).await;
    let second = browser.open(&other.url()).await;
    // Both have been sent to the provider before either comes back.
    let mut waiting = Vec::new();
    for page in [&first, &second] {
        let (action, fields) = page.form();
        let mut form: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        form.push(("decision", "allow"));
        let onward = browser.post_once(&action, &form).await;
        assert_eq!(onward.status, 200, "{}", onward.body);
        let (_, rest) = onward.body.split_once("0;url=").expect("a URL");
        let url = rest
            .split_once('"')
            .expect("quoted")
            .0
            .replace("&amp;", "&");
        waiting.push(url);
    }
    for (client, url) in [(&other, &waiting[1]), (&one, &waiting[0])] {
        let arrived = browser.open(url).await;
        let code = arrived.param("code").expect("a code");
        assert_eq!(client.exchange(&code).await.0, 200);
    }
}

#[tokio::test]
async fn scopes_depend_on_the_user_and_on_what_the_client_asks_for() {
    let setup = Setup::with(|builder| {
        builder.scopes_supported(["read"]).scopes(|user| {
            let admin = user.is_in("staff").then(|| "write".to_owned());
            ["read".to_owned()].into_iter().chain(admin).collect()
        })
    })
    .await;
    let client = setup.client().await;
    for (scope, expected) in [
        ("", "read write"),
        ("write", "write"),
        ("write other offline_access", "write"),
        ("openid profile email", ""),
        ("offline_access", ""),
    ] {
        let arrived = client
            .arrive_with(&mut setup.browser(), &[("scope", scope)])
            .await;
        let code = arrived.param("code").expect("a code");
        let tokens = Tokens::of(client.exchange(&code).await);
        assert_eq!(tokens.body["scope"].as_str().unwrap_or_default(), expected);
        assert!(
            whoami_of(setup.address, &tokens.access)
                .await
                .ends_with(&format!("[{expected}]"))
        );
        // A refresh never gives more.
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", &*tokens.refresh),
            ("scope", "read write admin"),
        ];
        let refreshed = Tokens::of(client.token(&form).await);
        let said = whoami_of(setup.address, &refreshed.access).await;
        assert!(said.ends_with(&format!("[{expected}]")), "{said}");
    }
}

#[tokio::test]
async fn server_without_scopes_ignores_those_of_a_request() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let arrived = client
        .arrive_with(&mut setup.browser(), &[("scope", "openid profile email")])
        .await;
    let code = arrived.param("code").expect("a code");
    let tokens = Tokens::of(client.exchange(&code).await);
    assert_eq!(tokens.body.get("scope"), None);
}

#[tokio::test]
async fn user_is_asked_again_after_the_session_has_ended() {
    let setup = Setup::with(|builder| builder.session_time(Duration::from_secs(2))).await;
    let client = setup.client().await;
    let tokens = client.log_in(&mut setup.browser()).await;
    assert!(tokens.body["expires_in"].as_u64().expect("a number") <= 2);
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(
        call_tool(setup.address, "whoami", &tokens.access).await.0,
        401
    );
    assert_eq!(
        client.refresh(&tokens.refresh).await.1["error"],
        "invalid_grant"
    );
}
