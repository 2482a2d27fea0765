//! Handlers call the provider on behalf of the user.

use mcp_server::Memory;
use serde_json::json;

use super::provider::Behaviour;
use super::setup::*;
use super::slow_store::SlowStore;

#[tokio::test]
async fn handler_gets_the_token_of_the_user() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let tokens = client.log_in(&mut setup.browser()).await;
    let (status, body) = call_tool(setup.address, "provider", &tokens.access).await;
    assert_eq!(status, 200, "{body}");
    assert!(said(&body).starts_with("secret-provider-access-"), "{body}");
    assert_eq!(setup.provider.refreshes(), 0);
}

#[tokio::test]
async fn expired_token_is_renewed_once_by_all_processes() {
    let provider = TestProvider::start().await;
    let memory = Memory::new();
    let [one, other] = [(); 2].map(|()| {
        let login = built(builder(provider.openid()));
        serve(
            &server(&login, |builder| builder.store(memory.clone())),
            &login,
        )
    });
    provider.expire_in(30);
    let client = Client::register(one).await;
    let tokens = client.log_in(&mut Browser::new(one, &provider.url)).await;
    provider.expire_in(3600);
    let calls = [one, other, one, other, one, other];
    let calls = calls.map(|address| {
        let token = tokens.access.clone();
        tokio::spawn(async move { call_tool(address, "provider", &token).await })
    });
    let mut seen = Vec::new();
    for call in calls {
        let (status, body) = call.await.expect("no panic");
        assert_eq!(status, 200, "{body}");
        seen.push(said(&body));
    }
    seen.dedup();
    assert_eq!((seen.len(), provider.refreshes()), (1, 1), "{seen:?}");
}

#[tokio::test]
async fn lock_of_another_process_is_left_alone() {
    let provider = TestProvider::start().await;
    let mut store = SlowStore::default();
    store.takes_locks = true;
    let login = built(builder(provider.openid()));
    let server = server(&login, |builder| builder.store(store.clone()));
    let address = serve(&server, &login);
    provider.expire_in(30);
    let client = Client::register(address).await;
    let tokens = client
        .log_in(&mut Browser::new(address, &provider.url))
        .await;
    provider.expire_in(3600);
    // The token is renewed, whatever happens to the lock.
    let (status, body) = call_tool(address, "provider", &tokens.access).await;
    assert_eq!((status, provider.refreshes()), (200, 1), "{body}");
    assert!(said(&body).starts_with("secret-provider-access-"), "{body}");
    assert!(store.is_still_taken().await);
}

#[tokio::test]
async fn session_ends_with_the_login_at_the_provider() {
    let setup = Setup::new().await;
    setup.provider.expire_in(30);
    let client = setup.client().await;
    let tokens = client.log_in(&mut setup.browser()).await;
    // A provider that fails is not the end.
    setup.provider.behave(Behaviour::Fail);
    let (_, body) = call_tool(setup.address, "provider", &tokens.access).await;
    assert!(body.contains("cannot be reached"), "{body}");
    assert_eq!(
        call_tool(setup.address, "whoami", &tokens.access).await.0,
        200
    );
    setup.provider.behave(Behaviour::Refuse);
    let (status, body) = call_tool(setup.address, "provider", &tokens.access).await;
    assert_eq!(status, 403, "{body}");
    assert!(!body.contains("script"), "{body}");
    assert_eq!(
        call_tool(setup.address, "whoami", &tokens.access).await.0,
        401
    );
}

#[tokio::test]
async fn token_of_another_user_is_refused() {
    let setup = Setup::new().await;
    setup.provider.expire_in(30);
    let client = setup.client().await;
    let tokens = client.log_in(&mut setup.browser()).await;
    setup.provider.change_id_token(json!({ "sub": "2" }));
    let (_, body) = call_tool(setup.address, "provider", &tokens.access).await;
    assert!(body.contains("cannot be reached"), "{body}");
    setup.provider.change_id_token(json!({}));
    // Also after a renewal, which keeps the user.
    for _ in 0..2 {
        let (status, body) = call_tool(setup.address, "provider", &tokens.access).await;
        assert_eq!(status, 200, "{body}");
    }
    setup.provider.change_id_token(json!({ "sub": "2" }));
    let (_, body) = call_tool(setup.address, "provider", &tokens.access).await;
    assert!(body.contains("cannot be reached"), "{body}");
}
