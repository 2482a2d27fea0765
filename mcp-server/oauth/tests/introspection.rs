//! Tokens whose meaning only the issuer knows.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_server::AccessToken;
use mcp_server_oauth::{Issuer, OAuth, PresentedToken, StaticTokens, TokenError, TokenVerifier};
use mcp_testkit::http::legacy;
use mcp_testkit::http::subject::*;
use serde_json::{Value, json};

use super::setup::*;

fn asking(issuer: &TestIssuer) -> Issuer {
    Issuer::new(&issuer.url).introspection("mcp", "p@ss:word")
}

fn active(issuer: &TestIssuer, changes: Value) -> Value {
    let meaning = changed(issuer.claims(), json!({ "active": true }));
    changed(meaning, changes)
}

#[tokio::test]
async fn opaque_token_is_introspected_once_and_kept_for_a_time() {
    let issuer = TestIssuer::start().await;
    issuer.introspect_as(active(&issuer, json!({})));
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(asking(&issuer)));
    for _ in 0..3 {
        assert_eq!(echo(address, "opaque/token+1==").await.0.status, 200);
    }
    let introspections = issuer.introspections();
    let [(credentials, form)] = introspections.as_slice() else {
        panic!("{introspections:?}");
    };
    let expected = format!("Basic {}", STANDARD.encode("mcp:p%40ss%3Aword"));
    assert_eq!(credentials.as_deref(), Some(&*expected));
    let expected = [
        ("token".to_owned(), "opaque/token+1==".to_owned()),
        ("token_type_hint".to_owned(), "access_token".to_owned()),
    ];
    assert_eq!(form, &expected);
    // Signed tokens are verified without the issuer.
    assert_eq!(echo(address, &issuer.token(json!({}))).await.0.status, 200);
    assert_eq!(issuer.introspections().len(), 1);
}

#[tokio::test]
async fn meaning_is_not_kept_longer_than_the_token_or_the_program_allow() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let uncached = asking(&issuer).introspection_cache(Duration::ZERO);
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(uncached));
    issuer.introspect_as(active(&issuer, json!({})));
    assert_eq!(echo(address, "opaque").await.0.status, 200);
    issuer.introspect_as(json!({ "active": false }));
    rejected(address, "opaque").await;

    // Expired, but within the leeway for clocks.
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(asking(&issuer)));
    issuer.introspect_as(active(&issuer, json!({ "exp": now() - 5 })));
    assert_eq!(echo(address, "opaque").await.0.status, 200);
    issuer.introspect_as(json!({ "active": false }));
    rejected(address, "opaque").await;
}

#[tokio::test]
async fn what_the_issuer_says_is_checked() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let uncached = asking(&issuer).introspection_cache(Duration::ZERO);
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(uncached));
    for meaning in [
        json!({ "active": false }),
        active(&issuer, json!({ "active": false })),
        active(&issuer, json!({ "iss": "https://evil.example" })),
        active(&issuer, json!({ "aud": "https://other.example" })),
        active(&issuer, json!({ "aud": null })),
        active(&issuer, json!({ "exp": now() - 120 })),
        active(&issuer, json!({ "nbf": now() + 120 })),
        active(&issuer, json!({ "sub": null, "client_id": null })),
    ] {
        issuer.introspect_as(meaning.clone());
        let (head, body) = echo(address, "opaque").await;
        assert_eq!(head.status, 401, "{meaning}: {body}");
    }
    for meaning in [
        json!({}),
        json!({ "active": "true" }),
        json!({ "active": 1 }),
        json!([]),
    ] {
        issuer.introspect_as(meaning.clone());
        let (head, _) = echo(address, "opaque").await;
        assert_eq!(head.status, 503, "{meaning}");
    }
    // Many issuers leave these members out.
    issuer.introspect_as(active(&issuer, json!({ "iss": null, "exp": null })));
    assert_eq!(echo(address, "opaque").await.0.status, 200);
}

#[tokio::test]
async fn token_is_sent_to_no_other_issuer() {
    let (one, two) = (TestIssuer::start().await, TestIssuer::start().await);
    let (server, _probe) = server(|builder| builder);
    for behaviour in [Behaviour::Answer, Behaviour::Fail] {
        // The first issuer is asked about opaque tokens, and also may not be reachable.
        one.behave(behaviour);
        let oauth = OAuth::builder(RESOURCE)
            .issuer(asking(&one))
            .issuer(&*two.url);
        let address = protect(&server, oauth);
        assert_eq!(echo(address, &two.token(json!({}))).await.0.status, 200);
        let stranger = two.token(json!({ "iss": "https://stranger.example" }));
        rejected(address, &stranger).await;
        assert_eq!(one.introspections(), []);
    }
    // Opaque tokens do not say whose they are.
    let both = |first: &str, second: &str| {
        OAuth::builder(RESOURCE)
            .issuer(asking(&one).introspection_prefix(first))
            .issuer(asking(&two).introspection_prefix(second))
    };
    for (first, second) in [
        ("", ""),
        ("a_", ""),
        ("", "b_"),
        ("a_", "a_"),
        ("a_", "a_b_"),
    ] {
        let error = both(first, second).build().expect_err("ambiguous");
        assert!(error.to_string().contains(&two.url), "{error}");
    }
    one.behave(Behaviour::Answer);
    two.introspect_as(active(&two, json!({})));
    let address = protect(&server, both("a_", "b_"));
    assert_eq!(echo(address, "b_token").await.0.status, 200);
    rejected(address, "c_token").await;
    assert_eq!(
        (one.introspections().len(), two.introspections().len()),
        (0, 1)
    );
}

/// A verifier whose database does not respond.
struct Down;
impl TokenVerifier for Down {
    fn issuer(&self) -> &'static str {
        "https://down.example"
    }

    async fn verify(&self, _: PresentedToken<'_>) -> Result<AccessToken, TokenError> {
        Err(TokenError::unavailable("the database is down"))
    }
}

#[tokio::test]
async fn issuer_that_is_down_does_not_reject_tokens_of_another_verifier() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer).verifier(Down));
    assert_eq!(echo(address, &issuer.token(json!({}))).await.0.status, 200);
    assert_eq!(echo(address, "opaque").await.0.status, 503);
}

#[tokio::test]
async fn stream_of_a_token_without_an_expiry_ends() {
    let issuer = TestIssuer::start().await;
    issuer.introspect_as(active(&issuer, json!({ "exp": null })));
    let (server, _probe) = server(|builder| builder);
    let oauth = OAuth::builder(RESOURCE).issuer(asking(&issuer));
    let address = protect(&server, oauth.stream_time(Duration::from_millis(300)));
    let headers = with_token(media(), "opaque");
    let (head, _) = Raw::post(address, &headers, &legacy::initialize("2025-11-25")).await;
    let session = head.get("mcp-session-id").expect("a session").to_owned();
    let headers = with_header(headers, "Mcp-Session-Id", &session);
    let mut raw = Raw::connect(address).await;
    raw.request("GET", &headers, "").await;
    let head = raw.head().await;
    assert_eq!(head.status, 200);
    // Without an end, this would wait for the timeout of the test.
    raw.body(&head).await;
}

#[tokio::test]
async fn missing_audience_is_accepted_if_the_program_trusts_the_issuer() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let trusted = asking(&issuer).trust_introspected_audience();
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(trusted));
    issuer.introspect_as(active(&issuer, json!({ "aud": null })));
    assert_eq!(echo(address, "one").await.0.status, 200);
    issuer.introspect_as(active(&issuer, json!({ "aud": "https://other.example" })));
    rejected(address, "two").await;
}

#[tokio::test]
async fn fixed_tokens_are_checked_like_all_others() {
    let (server, _probe) = server(|builder| builder);
    let issuer = "https://auth.example";
    let ada = AccessToken::new(issuer).subject("ada").audience([RESOURCE]);
    let tokens = StaticTokens::new(issuer)
        .token("good", ada.clone())
        .token("elsewhere", ada.clone().audience(["https://other.example"]))
        .token("expired", ada.clone().expires_at(std::time::UNIX_EPOCH))
        .token("foreign", {
            let mut token = ada.clone();
            token.issuer = "https://evil.example".to_owned();
            token
        })
        .token("nobody", AccessToken::new(issuer).audience([RESOURCE]));
    let address = protect(&server, OAuth::builder(RESOURCE).verifier(tokens));
    assert_eq!(echo(address, "good").await.0.status, 200);
    for token in ["elsewhere", "expired", "foreign", "nobody", "goo", "goodx"] {
        rejected(address, token).await;
    }
}
