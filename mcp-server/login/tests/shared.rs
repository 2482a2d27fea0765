//! What is in logs, and what one address can occupy before somebody has logged in.

use std::time::Duration;

use mcp_testkit::http::raw::Raw;
use mcp_testkit::text_log::TextLog;

use super::client::Tokens;
use super::provider::{Behaviour, SECRET};
use super::setup::*;

#[tokio::test]
async fn logs_contain_no_secrets() {
    let log = TextLog::begin();
    let setup = Setup::new().await;
    let client = setup.client().await;
    let mut browser = setup.browser();
    setup.provider.expire_in(30);
    let code = client.code(&mut browser).await;
    let tokens = Tokens::of(client.exchange(&code).await);
    let refreshed = Tokens::of(client.refresh(&tokens.refresh).await);
    call_tool(setup.address, "provider", &refreshed.access).await;
    // Failures are logged.
    client.exchange(&code).await;
    let again = client.log_in(&mut browser).await;
    setup.provider.behave(Behaviour::Refuse);
    call_tool(setup.address, "provider", &again.access).await;
    client.arrive(&mut browser).await;
    setup.provider.behave(Behaviour::Garbage);
    client.arrive(&mut browser).await;
    let text = log.text();
    assert!(text.contains("a code was used twice"), "{text}");
    assert!(text.contains("a login failed at the provider"), "{text}");
    let own = text.lines().filter(|line| line.contains("mcp_login"));
    let own: Vec<_> = own.collect();
    assert!(own.iter().all(|line| !line.contains('\u{1b}')), "{own:?}");
    let secrets = [
        SECRET,
        "secret-provider-access",
        "secret-provider-refresh",
        &code,
        &client.id,
    ];
    let tokens = [&tokens, &refreshed, &again];
    let tokens = tokens
        .into_iter()
        .flat_map(|tokens| [&*tokens.access, &*tokens.refresh]);
    for secret in secrets.into_iter().chain(tokens).chain([&*client.verifier]) {
        let line = text.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
    let shown = format!(
        "{:?} {:?}",
        setup.provider.openid(),
        built(builder(setup.provider.github()))
    );
    assert!(!shown.contains(SECRET), "{shown}");
}

#[tokio::test]
async fn one_address_occupies_only_its_share_before_a_login() {
    let setup = Setup::with(|builder| builder.provider_time(Duration::from_secs(5))).await;
    let client = setup.client().await;
    client.log_in(&mut setup.browser()).await;
    // Logins that wait for the provider.
    setup.provider.behave(Behaviour::Wait);
    let mut waiting = Vec::new();
    for _ in 0..8 {
        let (mut browser, client) = (setup.browser(), client.clone());
        let page = browser.open(&client.url()).await;
        waiting.push(tokio::spawn(
            async move { browser.allow(&page).await.status },
        ));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut raw = Raw::connect(setup.address).await.at("/authorize");
    assert_eq!(raw.ask("GET", &[], "").await.0.status, 429);
    // Another address is not affected.
    let mut raw = Raw::connect_from("127.0.0.9", setup.address)
        .await
        .at("/authorize");
    assert_eq!(raw.ask("GET", &[], "").await.0.status, 400);
    setup.provider.behave(Behaviour::Answer);
    for login in waiting {
        login.await.expect("no panic");
    }
    let mut raw = Raw::connect(setup.address).await.at("/authorize");
    assert_eq!(raw.ask("GET", &[], "").await.0.status, 400);
}
