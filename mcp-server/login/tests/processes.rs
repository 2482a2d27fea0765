//! Several processes with one store, and restarts.

use std::net::SocketAddr;

use mcp_server::{Keys, Memory};

use super::client::Tokens;
use super::setup::*;
use super::slow_store::SlowStore;

/// Two processes of one server.
fn two(provider: &TestProvider) -> [SocketAddr; 2] {
    let store = SlowStore::default();
    [(); 2].map(|()| {
        let login = built(builder(provider.openid()));
        serve(
            &server(&login, |builder| builder.store(store.clone())),
            &login,
        )
    })
}

#[tokio::test]
async fn each_step_can_reach_another_process() {
    let provider = TestProvider::start().await;
    let [one, other] = two(&provider);
    let mut client = Client::register(one).await;
    let mut browser = Browser::new(other, &provider.url);
    let page = browser.open(&client.url()).await;
    browser.knows(PUBLIC, one);
    let arrived = browser.allow(&page).await;
    let code = arrived.param("code").expect("a code");
    client.address = other;
    let tokens = Tokens::of(client.exchange(&code).await);
    whoami_of(one, &tokens.access).await;
    client.address = one;
    let refreshed = Tokens::of(client.refresh(&tokens.refresh).await);
    whoami_of(other, &refreshed.access).await;
    // The second use of the code ends the session everywhere.
    assert_eq!(client.exchange(&code).await.0, 400);
    for address in [one, other] {
        assert_eq!(call_tool(address, "whoami", &refreshed.access).await.0, 401);
    }
}

#[tokio::test]
async fn client_that_refreshes_twice_at_the_same_time_keeps_its_session() {
    let provider = TestProvider::start().await;
    let [one, other] = two(&provider);
    let client = Client::register(one).await;
    let elsewhere = Client {
        address: other,
        ..client.clone()
    };
    let mut tokens = client.log_in(&mut Browser::new(one, &provider.url)).await;
    for _ in 0..5 {
        let (here, there) = tokio::join!(
            client.refresh(&tokens.refresh),
            elsewhere.refresh(&tokens.refresh)
        );
        let (here, there) = (Tokens::of(here), Tokens::of(there));
        for tokens in [&here, &there] {
            whoami_of(one, &tokens.access).await;
        }
        // Both answers are equivalent.
        Tokens::of(client.refresh(&there.refresh).await);
        tokens = Tokens::of(elsewhere.refresh(&here.refresh).await);
    }
}

#[tokio::test]
async fn old_refresh_token_ends_the_session() {
    let provider = TestProvider::start().await;
    let [one, other] = two(&provider);
    let client = Client::register(one).await;
    let elsewhere = Client {
        address: other,
        ..client.clone()
    };
    let first = client.log_in(&mut Browser::new(one, &provider.url)).await;
    let second = Tokens::of(client.refresh(&first.refresh).await);
    let third = Tokens::of(client.refresh(&second.refresh).await);
    whoami_of(one, &third.access).await;
    // A thief has a copy of the first one.
    assert_eq!(
        elsewhere.refresh(&first.refresh).await.1["error"],
        "invalid_grant"
    );
    assert_eq!(call_tool(one, "whoami", &third.access).await.0, 401);
    assert_eq!(
        client.refresh(&third.refresh).await.1["error"],
        "invalid_grant"
    );
}

#[tokio::test]
async fn sessions_survive_a_restart_and_new_keys() {
    let provider = TestProvider::start().await;
    let memory = Memory::new();
    let start = |keys: Keys| {
        let login = built(builder(provider.openid()));
        let server = server(&login, |builder| builder.store(memory.clone()).keys(keys));
        serve(&server, &login)
    };
    let (old, new) = ([7; 32], [8; 32]);
    let before = start(Keys::from_bytes(old));
    let mut client = Client::register(before).await;
    let mut browser = Browser::new(before, &provider.url);
    let tokens = client.log_in(&mut browser).await;
    // The login that waits is finished by the new process.
    let page = browser.open(&client.url()).await;
    let after = start(Keys::from_bytes(new).with_previous(old));
    browser.knows(PUBLIC, after);
    client.address = after;
    let code = browser.allow(&page).await.param("code").expect("a code");
    assert_eq!(client.exchange(&code).await.0, 200);
    whoami_of(after, &tokens.access).await;
    let refreshed = Tokens::of(client.refresh(&tokens.refresh).await);
    // A session that was refreshed is sealed with the new key.
    let done = start(Keys::from_bytes(new));
    whoami_of(done, &refreshed.access).await;
    assert_eq!(call_tool(done, "whoami", &tokens.access).await.0, 401);
    client.address = done;
    // The registration was sealed with the old key.
    assert_eq!(
        client.refresh(&refreshed.refresh).await.1["error"],
        "invalid_client"
    );
}

#[tokio::test]
async fn sessions_of_another_provider_end() {
    let memory = Memory::new();
    let start = |provider: &TestProvider| {
        let login = built(builder(provider.openid()));
        let server = server(&login, |builder| builder.store(memory.clone()));
        serve(&server, &login)
    };
    let (before, after) = (TestProvider::start().await, TestProvider::start().await);
    let (one, other) = (start(&before), start(&after));
    let mut client = Client::register(one).await;
    let tokens = client.log_in(&mut Browser::new(one, &before.url)).await;
    whoami_of(one, &tokens.access).await;
    for tool in ["whoami", "provider"] {
        assert_eq!(call_tool(other, tool, &tokens.access).await.0, 401);
    }
    client.address = other;
    assert_eq!(
        client.refresh(&tokens.refresh).await.1["error"],
        "invalid_grant"
    );
    client.log_in(&mut Browser::new(other, &after.url)).await;
}
