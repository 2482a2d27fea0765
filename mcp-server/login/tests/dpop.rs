//! Clients that prove possession of a key (RFC 9449).

use std::net::SocketAddr;

use mcp_oauth::dpop::{ProofClaims, ath};
use mcp_oauth::jwk::thumbprint;
use mcp_oauth::jwt::SigningKey;
use mcp_testkit::http::raw::{Raw, call, call_headers, with_header};
use serde_json::Value;

use super::client::{Tokens, register};
use super::setup::*;

fn now() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    now.expect("after 1970").as_secs()
}

fn claims(url: &str) -> ProofClaims {
    let id = mcp_oauth::random().expect("random");
    ProofClaims::new(id, "POST", url, now())
}

/// Sends a form to the token endpoint with a proof.
async fn token(client: &Client, key: &SigningKey, form: &[(&str, &str)]) -> (u16, Value) {
    let proof = claims(&format!("{PUBLIC}/token"))
        .sign(key)
        .expect("signed");
    let (head, body) = client.send("/token", form, &[("DPoP", &proof)]).await;
    (head.status, serde_json::from_str(&body).expect("JSON"))
}

async fn call_with(address: SocketAddr, token: &str, proof: &str) -> u16 {
    let headers = with_header(
        call_headers("whoami"),
        "Authorization",
        &format!("DPoP {token}"),
    );
    let headers = with_header(headers, "DPoP", proof);
    Raw::post(address, &headers, &call(1, "whoami"))
        .await
        .0
        .status
}

#[tokio::test]
async fn tokens_are_bound_to_the_key_of_the_client() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let (key, other) = (
        SigningKey::generate().expect("a key"),
        SigningKey::generate().expect("a key"),
    );
    let code = client.code(&mut setup.browser()).await;
    let form = [
        ("grant_type", "authorization_code"),
        ("code", &*code),
        ("code_verifier", &*client.verifier),
    ];
    let tokens = Tokens::of(token(&client, &key, &form).await);
    assert_eq!(tokens.body["token_type"], "DPoP");
    let prove = |key: &SigningKey, change: &dyn Fn(&mut ProofClaims)| {
        let mut claims = claims(&format!("{PUBLIC}/mcp"));
        claims.ath = Some(ath(&tokens.access));
        change(&mut claims);
        claims.sign(key).expect("signed")
    };
    let proof = prove(&key, &|_| {});
    assert_eq!(call_with(setup.address, &tokens.access, &proof).await, 200);
    assert_eq!(
        call_with(setup.address, &tokens.access, &proof).await,
        401,
        "replayed"
    );
    for (at, proof) in [
        prove(&other, &|_| {}),
        prove(&key, &|claims| claims.ath = None),
        prove(&key, &|claims| claims.ath = Some("x".to_owned())),
        prove(&key, &|claims| claims.htm = "GET".to_owned()),
        prove(&key, &|claims| {
            claims.htu = "https://other.example.com/mcp".to_owned()
        }),
        prove(&key, &|claims| claims.iat = now() - 400),
        prove(&key, &|claims| claims.iat = now() + 400),
        prove(&key, &|claims| claims.iat = u64::MAX),
        "x".to_owned(),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(
            call_with(setup.address, &tokens.access, &proof).await,
            401,
            "{at}"
        );
    }
    // A thief has the tokens, but not the key.
    assert_eq!(
        call_tool(setup.address, "whoami", &tokens.access).await.0,
        401
    );
    assert_eq!(
        client.refresh(&tokens.refresh).await.1["error"],
        "invalid_grant"
    );
    let form = [
        ("grant_type", "refresh_token"),
        ("refresh_token", &*tokens.refresh),
    ];
    assert_eq!(token(&client, &other, &form).await.0, 400);
    let refreshed = Tokens::of(token(&client, &key, &form).await);
    assert_eq!(refreshed.body["token_type"], "DPoP");
    // A token that is not bound cannot be sent as one that is.
    let plain = client.log_in(&mut setup.browser()).await;
    let proof = prove(&key, &|claims| claims.ath = Some(ath(&plain.access)));
    assert_eq!(call_with(setup.address, &plain.access, &proof).await, 401);
}

#[tokio::test]
async fn code_can_be_bound_to_a_key() {
    let setup = Setup::new().await;
    let client = setup.client().await;
    let (key, other) = (
        SigningKey::generate().expect("a key"),
        SigningKey::generate().expect("a key"),
    );
    let bound = thumbprint(&key.public().expect("public")).expect("a thumbprint");
    let arrived = client
        .arrive_with(&mut setup.browser(), &[("dpop_jkt", &bound)])
        .await;
    let code = arrived.param("code").expect("a code");
    let form = [
        ("grant_type", "authorization_code"),
        ("code", &*code),
        ("code_verifier", &*client.verifier),
    ];
    assert_eq!(client.exchange(&code).await.1["error"], "invalid_grant");
    assert_eq!(
        token(&client, &other, &form).await.1["error"],
        "invalid_grant"
    );
    Tokens::of(token(&client, &key, &form).await);
    // A proof for another URL is no proof.
    let proof = claims(&format!("{PUBLIC}/revoke"))
        .sign(&key)
        .expect("signed");
    let (head, body) = client.send("/token", &form, &[("DPoP", &proof)]).await;
    assert_eq!(head.status, 400);
    assert!(body.contains("invalid_dpop_proof"), "{body}");
}

#[tokio::test]
async fn client_with_a_secret_may_change_its_key() {
    let setup = Setup::new().await;
    let redirect = "http://127.0.0.1:7777/cb";
    let metadata = serde_json::json!({
        "redirect_uris": [redirect], "token_endpoint_auth_method": "client_secret_post",
    });
    let (_, body) = register(setup.address, &metadata.to_string()).await;
    let text = |name: &str| body[name].as_str().expect("a string").to_owned();
    let mut client = Client::new(setup.address, &text("client_id"), redirect);
    client.secret = Some(text("client_secret"));
    let code = client.code(&mut setup.browser()).await;
    let form = [
        ("grant_type", "authorization_code"),
        ("code", &*code),
        ("code_verifier", &*client.verifier),
    ];
    let key = || SigningKey::generate().expect("a key");
    let tokens = Tokens::of(token(&client, &key(), &form).await);
    let form = [
        ("grant_type", "refresh_token"),
        ("refresh_token", &*tokens.refresh),
    ];
    let changed = Tokens::of(token(&client, &key(), &form).await);
    assert_eq!(changed.body["token_type"], "DPoP");
    let plain = Tokens::of(client.refresh(&changed.refresh).await);
    assert_eq!(plain.body["token_type"], "Bearer");
}
