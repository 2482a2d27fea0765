//! Where the server looks for the documents of an issuer, and which ones it uses.

use std::collections::HashMap;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::http::{Request, Response};
use mcp_oauth::jwt::SigningKey;
use mcp_server_oauth::{HttpFetch, Issuer, OAuth};
use serde_json::{Value, json};

use super::setup::*;

const ISSUER: &str = "https://auth.example/t";
const METADATA: &str = "https://auth.example/.well-known/oauth-authorization-server/t";
const OPENID: &str = "https://auth.example/.well-known/openid-configuration/t";
const OPENID_BELOW: &str = "https://auth.example/t/.well-known/openid-configuration";
const KEYS: &str = "https://auth.example/t/keys";
const INTROSPECTION: &str = "https://auth.example/t/introspect";

/// A client of the program for requests to the issuer. It ignores the limit.
#[derive(Clone, Default)]
struct Script {
    /// The status and the body by URL. All others return 404.
    documents: HashMap<&'static str, (u16, String)>,
    /// The URLs that were requested.
    requested: Arc<Mutex<Vec<String>>>,
}

impl HttpFetch for Script {
    async fn fetch(
        &self,
        request: Request<Bytes>,
        _limit: usize,
    ) -> Result<Response<Bytes>, Box<dyn Error + Send + Sync>> {
        let url = request.uri().to_string();
        assert_eq!(request.headers()["accept"], "application/json", "{url}");
        let form = "application/x-www-form-urlencoded";
        match request.method().as_str() {
            "POST" => assert_eq!(request.headers()["content-type"], form),
            method => assert_eq!(method, "GET"),
        }
        let found = self.documents.get(url.as_str()).cloned();
        self.requested.lock().expect("unpoisoned").push(url);
        let (status, body) = found.unwrap_or((404, String::new()));
        Ok(Response::builder().status(status).body(body.into())?)
    }
}

impl Script {
    fn with(mut self, url: &'static str, status: u16, document: &impl ToString) -> Self {
        self.documents.insert(url, (status, document.to_string()));
        self
    }

    fn requested(&self) -> Vec<String> {
        self.requested.lock().expect("unpoisoned").clone()
    }
}

/// An issuer whose key is published, and a token of it. Its metadata are missing.
fn issuer() -> (Script, String) {
    let key = SigningKey::generate().expect("a key");
    let keys = json!({ "keys": [public(&key, "k1")] });
    let claims = json!({ "iss": ISSUER, "aud": RESOURCE, "sub": "ada", "exp": now() + 600 });
    (
        Script::default().with(KEYS, 200, &keys),
        sign(&key, "k1", &claims),
    )
}

fn metadata() -> Value {
    json!({ "issuer": ISSUER, "jwks_uri": KEYS, "introspection_endpoint": INTROSPECTION })
}

/// Adds a member of `bytes` bytes to a document.
fn padded(document: &Value, bytes: usize) -> Value {
    changed(document.clone(), json!({ "x": "x".repeat(bytes) }))
}

fn protected(script: &Script) -> SocketAddr {
    let (server, _probe) = mcp_testkit::http::subject::server(|builder| builder);
    let issuer = Issuer::new(ISSUER).introspection("mcp", "secret");
    let oauth = OAuth::builder(RESOURCE).issuer(issuer);
    protect(&server, oauth.http_fetch(script.clone()))
}

async fn status(script: &Script, token: &str) -> u16 {
    echo(protected(script), token).await.0.status
}

#[tokio::test]
async fn metadata_is_looked_for_at_all_places_in_order() {
    let (script, token) = issuer();
    let script = script.with(OPENID_BELOW, 200, &metadata());
    assert_eq!(status(&script, &token).await, 200);
    assert_eq!(script.requested(), [METADATA, OPENID, OPENID_BELOW, KEYS]);
}

#[tokio::test]
async fn failure_of_the_issuer_is_not_a_missing_document() {
    let (script, token) = issuer();
    let script = script
        .with(METADATA, 500, &"")
        .with(OPENID, 200, &metadata());
    assert_eq!(status(&script, &token).await, 503);
    assert_eq!(script.requested(), [METADATA]);
}

#[tokio::test]
async fn documents_are_bounded() {
    let (script, token) = issuer();
    let script = script.with(METADATA, 200, &metadata());
    let keys: Value = script.documents[KEYS].1.parse().expect("JSON");
    assert_eq!(status(&script, &token).await, 200);
    for (limit, url, document) in [(256 << 10, METADATA, metadata()), (256 << 10, KEYS, keys)] {
        let fits = script
            .clone()
            .with(url, 200, &padded(&document, limit - 1_000));
        assert_eq!(status(&fits, &token).await, 200, "{url}");
        let too_large = script.clone().with(url, 200, &padded(&document, limit));
        assert_eq!(status(&too_large, &token).await, 503, "{url}");
    }
    let active = json!({ "active": true, "aud": RESOURCE, "sub": "ada" });
    let limit = 64 << 10;
    let fits = padded(&active, limit - 1_000);
    let fits = script.clone().with(INTROSPECTION, 200, &fits);
    assert_eq!(status(&fits, "opaque").await, 200);
    let too_large = padded(&active, limit);
    let too_large = script.clone().with(INTROSPECTION, 200, &too_large);
    assert_eq!(status(&too_large, "opaque").await, 503);
}

#[tokio::test]
async fn number_of_keys_is_bounded() {
    let (script, token) = issuer();
    let script = script.with(METADATA, 200, &metadata());
    let keys: Value = script.documents[KEYS].1.parse().expect("JSON");
    for (others, expected) in [(99, 200), (100, 503)] {
        let mut all = vec![json!({ "kty": "unknown" }); others];
        all.push(keys["keys"][0].clone());
        let script = script.clone().with(KEYS, 200, &json!({ "keys": all }));
        assert_eq!(status(&script, &token).await, expected);
    }
}

#[tokio::test]
async fn documents_with_another_status_than_200_are_not_used() {
    let (script, token) = issuer();
    let script = script.with(METADATA, 200, &metadata());
    let keys = script.documents[KEYS].1.clone();
    for other in [201, 203, 302, 403, 500] {
        let script = script.clone().with(KEYS, other, &keys);
        assert_eq!(status(&script, &token).await, 503, "{other}");
    }
}

#[tokio::test]
async fn issuer_of_the_metadata_is_compared_exactly() {
    let (script, token) = issuer();
    for other in [
        json!("https://auth.example/t/"),
        json!("https://AUTH.example/t"),
        json!("https://auth.example"),
        json!(null),
        json!([ISSUER]),
    ] {
        let metadata = changed(metadata(), json!({ "issuer": other }));
        // The documents that follow are not tried: this server is not the issuer.
        let script =
            script
                .clone()
                .with(METADATA, 200, &metadata)
                .with(OPENID, 200, &self::metadata());
        assert_eq!(status(&script, &token).await, 503, "{other}");
        assert!(!script.requested().contains(&KEYS.to_owned()));
        assert!(!script.requested().contains(&OPENID.to_owned()));
    }
}
