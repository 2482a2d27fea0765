//! A client whose token is bound to its key.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use mcp_oauth::dpop::{ProofClaims, ath};
use mcp_oauth::jwk::thumbprint;
use mcp_oauth::jwt::SigningKey;
use mcp_testkit::http::subject::*;
use serde_json::json;

use super::setup::*;

/// A client with a key, and a token that is bound to it.
pub(crate) struct Holder {
    pub(crate) key: SigningKey,
    pub(crate) token: String,
}

impl Holder {
    pub(crate) fn new(issuer: &TestIssuer) -> Self {
        Self::of(issuer, "ada")
    }

    /// Creates a client of a user, with a key of its own.
    pub(crate) fn of(issuer: &TestIssuer, user: &str) -> Self {
        let key = SigningKey::generate().expect("a key");
        let jkt = thumbprint(&key.public().expect("a public key")).expect("a thumbprint");
        let token = issuer.token(json!({ "sub": user, "cnf": { "jkt": jkt } }));
        Self { key, token }
    }

    /// Returns the claims of a valid proof.
    pub(crate) fn claims(&self) -> ProofClaims {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let id = COUNT.fetch_add(1, Ordering::SeqCst);
        let mut claims = ProofClaims::new(format!("proof-{id}"), "POST", RESOURCE, now());
        claims.ath = Some(ath(&self.token));
        claims
    }

    pub(crate) fn proof(&self, change: impl FnOnce(&mut ProofClaims)) -> String {
        let mut claims = self.claims();
        change(&mut claims);
        claims.sign(&self.key).expect("signed")
    }

    pub(crate) fn headers(&self, proof: &str) -> Headers {
        let token = format!("DPoP {}", self.token);
        let headers = with_header(call_headers("echo"), "Authorization", &token);
        with_header(headers, "DPoP", proof)
    }

    pub(crate) async fn echo(&self, address: SocketAddr, proof: &str) -> Head {
        Raw::post(address, &self.headers(proof), &call(1, "echo"))
            .await
            .0
    }

    /// Checks that a proof is rejected, and returns the description.
    pub(crate) async fn rejected(&self, address: SocketAddr, proof: &str) -> String {
        let head = self.echo(address, proof).await;
        assert_eq!(head.status, 401);
        let challenge = head.get("www-authenticate").expect("a challenge");
        let start = "DPoP algs=\"ES256 ES384 EdDSA PS256 RS256\", error=\"invalid_dpop_proof\", \
                     error_description=\"";
        let rest = challenge.strip_prefix(start).expect(challenge);
        let (description, rest) = rest.split_once('"').expect("quoted");
        assert_eq!(rest, format!(", resource_metadata=\"{METADATA}\""));
        description.to_owned()
    }
}
