//! The keys of an issuer: caching, rotation, and endpoints that misbehave.

use std::time::Duration;

use mcp_oauth::jwt::SigningKey;
use mcp_server_oauth::{Issuer, OAuth};
use mcp_testkit::http::subject::*;
use serde_json::{Value, json};

use super::setup::*;

/// Trusts an issuer, but loads its keys only once during the test.
fn reluctant(issuer: &TestIssuer) -> mcp_server_oauth::OAuthBuilder {
    let issuer = Issuer::new(&issuer.url).key_interval(Duration::from_secs(3_600));
    OAuth::builder(RESOURCE).issuer(issuer)
}

#[tokio::test]
async fn rotated_keys_are_loaded_when_a_token_names_one() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let old = issuer.token(json!({}));
    assert_eq!(echo(address, &old).await.0.status, 200);
    let key = SigningKey::generate().expect("a key");
    issuer.publish([public(&key, "k2"), public(&issuer.key, "k1")]);
    let new = sign(&key, "k2", &issuer.claims());
    // Requests with both keys arrive at the same time.
    let (one, two, three) = tokio::join!(
        echo(address, &new),
        echo(address, &old),
        echo(address, &new)
    );
    assert_eq!(
        (one.0.status, two.0.status, three.0.status),
        (200, 200, 200)
    );
    assert_eq!(issuer.loads(), 2);
    // A key that was withdrawn is not used any more.
    issuer.publish([public(&key, "k2")]);
    rejected(address, &sign(&key, "k3", &issuer.claims())).await;
    rejected(address, &old).await;
    assert_eq!(echo(address, &new).await.0.status, 200);
}

#[tokio::test]
async fn key_that_changes_under_the_same_id_is_not_confused() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    assert_eq!(echo(address, &issuer.token(json!({}))).await.0.status, 200);
    let thief = SigningKey::generate().expect("a key");
    rejected(address, &sign(&thief, "k1", &issuer.claims())).await;
}

#[tokio::test]
async fn key_id_that_is_too_long_is_not_looked_for() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let token = sign(&issuer.key, &"k".repeat(257), &issuer.claims());
    rejected(address, &token).await;
    assert_eq!(issuer.loads(), 0);
}

#[tokio::test]
async fn unknown_key_ids_do_not_flood_the_issuer() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, reluctant(&issuer));
    let valid = issuer.token(json!({}));
    let mut requests = tokio::task::JoinSet::new();
    for at in 0..8 {
        let token = sign(&issuer.key, &format!("invented-{at}"), &issuer.claims());
        requests.spawn(async move { rejected(address, &token).await });
    }
    while let Some(description) = requests.join_next().await {
        assert_eq!(
            description.expect("rejected"),
            "the access token is not valid: the issuer has no such key (`kid`)"
        );
    }
    // One after the other, so that they cannot share an attempt.
    for at in 0..5 {
        rejected(
            address,
            &sign(&issuer.key, &format!("late-{at}"), &issuer.claims()),
        )
        .await;
    }
    assert_eq!(echo(address, &valid).await.0.status, 200);
    assert_eq!(issuer.loads(), 1);
}

#[tokio::test]
async fn strange_key_ids_are_compared_and_nothing_else() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let odd = "../../etc/passwd";
    issuer.publish([public(&issuer.key, "k1"), public(&issuer.key, odd)]);
    for id in [
        "/etc/passwd",
        "../jwks",
        "' OR 1=1 --",
        "http://127.0.0.1/jwks",
        "k1\0",
        "K1",
        " k1",
        "",
        "%6b1",
    ] {
        rejected(address, &sign(&issuer.key, id, &issuer.claims())).await;
    }
    // An id that looks like a path is an id.
    let token = sign(&issuer.key, odd, &issuer.claims());
    assert_eq!(echo(address, &token).await.0.status, 200);
    // A huge id is not even looked for.
    let before = issuer.loads();
    rejected(
        address,
        &sign(&issuer.key, &"k".repeat(4_000), &issuer.claims()),
    )
    .await;
    assert_eq!(issuer.loads(), before);
}

#[tokio::test]
async fn token_without_a_key_id_needs_a_single_key() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let address = protect(&server, trusting(&issuer));
    let header = issuer.key.header("at+jwt");
    let token = issuer.key.sign(header, &issuer.claims()).expect("signed");
    assert_eq!(echo(address, &token).await.0.status, 200);
    let other = SigningKey::generate().expect("a key");
    issuer.publish([public(&issuer.key, "k1"), public(&other, "k2")]);
    // Makes the server load the keys again.
    rejected(address, &sign(&other, "k3", &issuer.claims())).await;
    rejected(address, &token).await;
}

#[tokio::test]
async fn keys_that_are_not_for_signatures_are_not_used() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let key = |changes: Value| changed(public(&issuer.key, "k1"), changes);
    for changes in [
        json!({"use": "enc"}),
        json!({"key_ops": ["encrypt"]}),
        json!({"alg": "ES384"}),
        json!({"crv": "P-384"}),
        json!({"x": "AAAA"}),
        json!({"kty": "RSA"}),
    ] {
        issuer.publish([key(changes.clone())]);
        let address = protect(&server, trusting(&issuer));
        rejected(address, &issuer.token(json!({}))).await;
    }
    issuer.publish([
        json!({"kty": "unknown"}),
        json!(1),
        key(json!({"use": "sig"})),
    ]);
    let address = protect(&server, trusting(&issuer));
    assert_eq!(echo(address, &issuer.token(json!({}))).await.0.status, 200);
}

#[tokio::test]
async fn keys_that_cannot_be_loaded_return_503_and_no_challenge() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let token = issuer.token(json!({}));
    for behaviour in [
        Behaviour::Fail,
        Behaviour::Redirect,
        Behaviour::Huge,
        Behaviour::NoJson,
    ] {
        issuer.behave(behaviour);
        let address = protect(&server, trusting(&issuer));
        let (head, body) = echo(address, &token).await;
        assert_eq!(head.status, 503, "{behaviour:?}: {body}");
        assert_eq!(head.get("www-authenticate"), None);
        assert_eq!(head.get("retry-after"), Some("1"));
        assert!(!body.contains("jwks"), "{body}");
        // As soon as the issuer answers, its tokens are accepted.
        issuer.behave(Behaviour::Answer);
        assert_eq!(echo(address, &token).await.0.status, 200, "{behaviour:?}");
        // Keys that are known stay in use while it fails.
        issuer.behave(behaviour);
        rejected(address, &sign(&issuer.key, "k9", &issuer.claims())).await;
        assert_eq!(echo(address, &token).await.0.status, 200, "{behaviour:?}");
    }
}

#[tokio::test]
async fn issuer_that_is_down_is_not_asked_for_each_request() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    issuer.behave(Behaviour::Fail);
    let address = protect(&server, reluctant(&issuer));
    for _ in 0..20 {
        let (head, _) = echo(address, &issuer.token(json!({}))).await;
        assert_eq!(head.status, 503);
    }
    assert_eq!(issuer.loads(), 1);
    // Nobody listens there.
    let closed = Issuer::new(&issuer.url).jwks_uri("http://127.0.0.1:1/jwks");
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(closed));
    let (head, _) = echo(address, &issuer.token(json!({}))).await;
    assert_eq!(head.status, 503);
}

#[tokio::test]
async fn metadata_of_another_issuer_is_not_used() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    // The same server under another name.
    let alias = issuer.url.replace("127.0.0.1", "localhost");
    let trusted = Issuer::new(&alias).key_interval(Duration::ZERO);
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(trusted));
    let (head, _) = echo(address, &issuer.token(json!({"iss": alias}))).await;
    assert_eq!(head.status, 503);
    assert_eq!(issuer.loads(), 0);
}

#[tokio::test]
async fn keys_of_the_program_are_used_without_a_request() {
    let issuer = TestIssuer::start().await;
    let (server, _probe) = server(|builder| builder);
    let keys = json!({ "keys": [public(&issuer.key, "k1")] }).to_string();
    let fixed = Issuer::new(&issuer.url).jwks(keys);
    let address = protect(&server, OAuth::builder(RESOURCE).issuer(fixed));
    assert_eq!(echo(address, &issuer.token(json!({}))).await.0.status, 200);
    let other = SigningKey::generate().expect("a key");
    rejected(address, &sign(&other, "k1", &issuer.claims())).await;
    rejected(address, &sign(&other, "k2", &issuer.claims())).await;
    assert_eq!(issuer.loads(), 0);
    for keys in ["", "[]", "{}", r#"{"keys":1}"#] {
        let fixed = Issuer::new(&issuer.url).jwks(keys);
        let built = OAuth::builder(RESOURCE).issuer(fixed).build();
        let Err(error) = built else {
            panic!("accepted: {keys}");
        };
        let error = error.to_string();
        assert!(error.contains(&issuer.url), "{error}");
    }
}
