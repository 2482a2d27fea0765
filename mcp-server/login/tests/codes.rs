//! Authorization codes, and what they are bound to.

use serde_json::json;

use super::client::Tokens;
use super::setup::*;
use super::slow_store::SlowStore;

#[tokio::test]
async fn code_that_is_used_twice_ends_the_session() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let code = client.code(&mut setup.browser()).await;
    let tokens = Tokens::of(client.exchange(&code).await);
    // Somebody has read the code in a log, or also the id of the client or the verifier.
    let stranger = setup.client().await;
    let reader = Client {
        id: client.id.clone(),
        ..stranger.clone()
    };
    let other = Client {
        verifier: client.verifier.clone(),
        ..stranger.clone()
    };
    for thief in [stranger, reader, other] {
        let (status, body) = thief.exchange(&code).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")));
        whoami_of(setup.address, &tokens.access).await;
    }
    let (status, body) = client.exchange(&code).await;
    assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")));
    assert_eq!(
        call_tool(setup.address, "whoami", &tokens.access).await.0,
        401
    );
    assert_eq!(client.refresh(&tokens.refresh).await.0, 400);
}

#[tokio::test]
async fn code_that_is_used_twice_at_the_same_time_is_worth_nothing() {
    let provider = TestProvider::start().await;
    let login = built(builder(provider.openid()));
    let server = server(&login, |builder| builder.store(SlowStore::default()));
    let address = serve(&server, &login);
    let client = Client::register(address).await;
    for _ in 0..5 {
        let code = client.code(&mut Browser::new(address, &provider.url)).await;
        let (one, other) = tokio::join!(client.exchange(&code), client.exchange(&code));
        let accepted: Vec<_> = [one, other]
            .into_iter()
            .filter(|(status, _)| *status == 200)
            .collect();
        assert!(accepted.len() <= 1, "{accepted:?}");
        for accepted in accepted {
            let tokens = Tokens::of(accepted);
            assert_eq!(call_tool(address, "whoami", &tokens.access).await.0, 401);
        }
    }
}

#[tokio::test]
async fn code_belongs_to_one_client() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let code = client.code(&mut setup.browser()).await;
    let mut other = setup.client().await;
    other.verifier.clone_from(&client.verifier);
    let (status, body) = other.exchange(&code).await;
    assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")));
    // Its own client can still use it.
    assert_eq!(client.exchange(&code).await.0, 200);
}

#[tokio::test]
async fn code_needs_the_verifier_and_the_redirect_of_the_request() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let code = client.code(&mut setup.browser()).await;
    let challenge = mcp_oauth::sha256(client.verifier.as_bytes());
    for (changes, error) in [
        ([("code_verifier", "")], "invalid_request"),
        ([("code_verifier", "x")], "invalid_grant"),
        ([("code_verifier", &*"x".repeat(43))], "invalid_grant"),
        ([("code_verifier", &*"x".repeat(129))], "invalid_grant"),
        // What a client would send with `plain`.
        ([("code_verifier", &*challenge)], "invalid_grant"),
        (
            [("redirect_uri", "http://127.0.0.1:7777/other")],
            "invalid_grant",
        ),
        (
            [("resource", "https://other.example.com")],
            "invalid_target",
        ),
        ([("grant_type", "password")], "unsupported_grant_type"),
        ([("grant_type", "")], "invalid_request"),
        ([("client_id", "unknown")], "invalid_client"),
        ([("code", "unknown")], "invalid_grant"),
    ] {
        let (status, body) = client.exchange_with(&code, &changes).await;
        assert!(status == 400 || status == 401, "{changes:?} {body}");
        assert_eq!(body["error"], error, "{changes:?}");
    }
    assert_eq!(client.exchange(&code).await.0, 200);
}

#[tokio::test]
async fn pkce_cannot_be_left_out_or_downgraded() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let plain = "x".repeat(43);
    for changes in [
        vec![("code_challenge", "")],
        vec![("code_challenge_method", "")],
        vec![("code_challenge_method", "plain")],
        vec![("code_challenge_method", "s256")],
        vec![("code_challenge", "short")],
        vec![
            ("code_challenge", &*plain),
            ("code_challenge_method", "plain"),
        ],
        vec![("code_challenge", ""), ("code_challenge_method", "")],
    ] {
        let mut browser = setup.browser();
        let arrived = browser.open(&client.url_with(&changes)).await;
        assert!(arrived.url.starts_with(&client.redirect), "{changes:?}");
        assert_eq!(arrived.param("error").as_deref(), Some("invalid_request"));
        assert_eq!(arrived.param("state").as_deref(), Some("state-of-client"));
        assert_eq!(arrived.param("iss").as_deref(), Some(PUBLIC));
    }
}
