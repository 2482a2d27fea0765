//! Tokens that a client gets without a user.

use std::collections::BTreeSet;

use mcp_client_oauth::{
    AssertionRequest, ClientAuthMethod, Enterprise, OAuth, OAuthClient, OAuthFault, OAuthStep,
    PrivateKey, Secret,
};
use mcp_oauth::jwt::{Algorithm, SigningKey, verify};
use serde_json::{Value, json};

use super::auth_servers::*;

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

/// A private key in two forms.
fn key() -> (PrivateKey, SigningKey) {
    let pair = rcgen::KeyPair::generate().expect("a key");
    let private = PrivateKey::from_pem(&pair.serialize_pem()).expect("PKCS#8");
    let signing = SigningKey::from_pkcs8(&pair.serialize_der()).expect("PKCS#8");
    (private, signing)
}

/// Returns the claims and the id of the key of the assertion with which the client authenticated.
fn assertion(asked: &RecordedRequest, key: &SigningKey) -> (Value, Option<String>) {
    let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    assert_eq!(asked.form("client_assertion_type").as_deref(), Some(kind));
    let text = asked.form("client_assertion").expect("an assertion");
    let key = key.public().expect("a public key");
    let verified = verify::<Value>(&text, &key, &[Algorithm::ES256]).expect("a signature");
    (verified.claims, verified.header.kid)
}

fn now() -> u64 {
    let now = std::time::UNIX_EPOCH.elapsed();
    now.expect("after 1970").as_secs()
}

#[tokio::test]
async fn assertion_of_the_client_is_for_the_issuer_and_for_one_request() {
    let servers = AuthServers::start().await;
    servers.script(|asked, servers| {
        let mut token = servers.token();
        token
            .as_object_mut()
            .expect("an object")
            .remove("refresh_token");
        (asked.path == "/token").then(|| answer(200, token))
    });
    let (private, signing) = key();
    let client = OAuthClient::new("robot")
        .issuer(servers.origin())
        .key(private.with_id("k1"));
    let oauth = OAuth::client_credentials(client).build().expect("valid");
    let client = connect(&servers, &oauth).await.expect("connected");
    servers.expire();
    client.tools().one_page().await.expect("listed");
    let asked = servers.asked("/token");
    assert_eq!(asked.len(), 2);
    let mut ids = BTreeSet::new();
    for asked in &asked {
        let (claims, id) = assertion(asked, &signing);
        assert_eq!(id.as_deref(), Some("k1"));
        for name in ["iss", "sub"] {
            assert_eq!(claims[name], "robot", "{name}");
        }
        // The identifier of the issuer, not the URL of the endpoint.
        assert_eq!(claims["aud"], servers.origin());
        let expiry = claims["exp"].as_u64().expect("a time");
        assert!((now() - 5..now() + 120).contains(&expiry), "{claims}");
        assert!(ids.insert(claims["jti"].as_str().expect("an id").to_owned()));
        assert_eq!(asked.form("client_secret"), None);
        assert_eq!(asked.header("authorization"), None);
    }
}

#[tokio::test]
async fn each_client_signs_with_its_own_key() {
    // Issuers may give equal ids to different clients.
    for id in ["a", "b"] {
        let servers = AuthServers::start().await;
        let ((first, _), (second, signing)) = (key(), key());
        let elsewhere = OAuthClient::new("a").issuer("https://elsewhere.example");
        let here = OAuthClient::new(id).issuer(servers.origin()).key(second);
        let oauth = OAuth::client_credentials(elsewhere.key(first))
            .client(here)
            .build()
            .expect("valid");
        connect(&servers, &oauth).await.expect("connected");
        let (claims, _) = assertion(&servers.asked("/token")[0], &signing);
        assert_eq!(claims["iss"], id);
    }
}

#[tokio::test]
async fn credentials_are_sent_by_the_chosen_method_only() {
    let servers = AuthServers::start().await;
    let client = OAuthClient::new("robot")
        .issuer(servers.origin())
        .secret("s&=%")
        .method(ClientAuthMethod::SecretPost);
    let oauth = OAuth::client_credentials(client)
        .scope("read")
        .scope("write")
        .build()
        .expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    let token = &servers.asked("/token")[0];
    assert_eq!(token.form("client_id").as_deref(), Some("robot"));
    assert_eq!(token.form("client_secret").as_deref(), Some("s&=%"));
    assert_eq!(token.header("authorization"), None);
    assert_eq!(token.form("resource"), Some(servers.server()));
    assert_eq!(token.form("scope").as_deref(), Some("read write"));
}

/// Checks for whom an assertion is wanted, and returns it.
fn assert_for(request: &AssertionRequest, servers: &str, text: &str) -> Secret {
    assert_eq!(request.issuer, servers);
    assert_eq!(request.resource, format!("{servers}/mcp"));
    Secret::new(text)
}

#[tokio::test]
async fn workload_sends_its_identity_as_an_assertion() {
    let servers = AuthServers::start().await;
    let origin = servers.origin();
    let job = OAuthClient::new("job").issuer(&origin);
    let oauth = OAuth::workload(job, move |request| {
        let identity = assert_for(&request, &origin, "identity");
        async move { Ok(identity) }
    });
    let oauth = oauth.scope("read").build().expect("valid");
    connect(&servers, &oauth).await.expect("connected");
    let token = &servers.asked("/token")[0];
    assert_eq!(token.form("grant_type").as_deref(), Some(JWT_BEARER));
    assert_eq!(token.form("assertion").as_deref(), Some("identity"));
    assert_eq!(token.form("client_id").as_deref(), Some("job"));
    assert_eq!(token.form("resource"), Some(servers.server()));
    assert_eq!(token.form("scope").as_deref(), Some("read"));
    assert_eq!(servers.count("/authorize"), 0);
}

/// Logs in by way of an identity provider, which answers with this type of token.
async fn by_enterprise(issued: &'static str) -> (std::sync::Arc<AuthServers>, OAuth) {
    let servers = AuthServers::start().await;
    servers.script(move |asked, _| {
        let token = json!({
            "access_token": "the-id-jag", "token_type": "N_A", "issued_token_type": issued,
        });
        (asked.path == "/provider").then(|| answer(200, token))
    });
    let origin = servers.origin();
    let provider = format!("{origin}/provider");
    let known = OAuthClient::new("at-provider").secret("provider-secret");
    let enterprise = Enterprise::new(provider, known, move |request| {
        let token = assert_for(&request, &origin, "id-token");
        async move { Ok(token) }
    });
    let client = OAuthClient::new("at-server").secret("server-secret");
    let client = client.method(ClientAuthMethod::SecretPost);
    let oauth = OAuth::enterprise(enterprise, client).issuer(servers.origin());
    let oauth = oauth.scope("read");
    (servers, oauth.build().expect("valid"))
}

#[tokio::test]
async fn identity_token_is_exchanged_for_an_assertion_for_the_server() {
    let (servers, oauth) = by_enterprise(ID_JAG).await;
    connect(&servers, &oauth).await.expect("connected");
    let exchange = &servers.asked("/provider")[0];
    for (name, expected) in [
        (
            "grant_type",
            "urn:ietf:params:oauth:grant-type:token-exchange",
        ),
        ("requested_token_type", ID_JAG),
        ("audience", &servers.origin()),
        ("resource", &servers.server()),
        ("subject_token", "id-token"),
        (
            "subject_token_type",
            "urn:ietf:params:oauth:token-type:id_token",
        ),
        ("scope", "read"),
        ("client_id", "at-provider"),
    ] {
        assert_eq!(exchange.form(name).as_deref(), Some(expected), "{name}");
    }
    // The base64 of `at-provider:provider-secret`.
    let expected = "Basic YXQtcHJvdmlkZXI6cHJvdmlkZXItc2VjcmV0";
    assert_eq!(exchange.header("authorization"), Some(expected));
    let token = &servers.asked("/token")[0];
    assert_eq!(token.form("grant_type").as_deref(), Some(JWT_BEARER));
    assert_eq!(token.form("assertion").as_deref(), Some("the-id-jag"));
    assert_eq!(token.form("client_id").as_deref(), Some("at-server"));
    assert_eq!(
        token.form("client_secret").as_deref(),
        Some("server-secret")
    );
    assert!(!token.body.contains("id-token") && !token.body.contains("provider-secret"));
}

#[tokio::test]
async fn other_tokens_of_the_identity_provider_are_not_sent_to_the_server() {
    for issued in ["urn:ietf:params:oauth:token-type:access_token", ""] {
        let (servers, oauth) = by_enterprise(issued).await;
        let error = refused(&servers, &oauth).await;
        assert_eq!(error.step, OAuthStep::Exchange);
        let OAuthFault::TokenType { expected, found } = &error.fault else {
            panic!("{error}");
        };
        assert_eq!((*expected, found.as_str()), (ID_JAG, issued));
        assert_eq!(servers.count("/token"), 0);
    }
}
