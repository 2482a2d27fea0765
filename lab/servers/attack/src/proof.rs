//! Access tokens that are bound to a key, and proofs that the client has the key (RFC 9449).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use anyhow::{Result, anyhow};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};

use crate::issuer::RESOURCE;

/// The number of proofs so far, from which their identifiers are made.
static PROOFS: AtomicU64 = AtomicU64::new(0);

/// A key of a client.
pub(crate) struct ClientKey {
    pair: EcdsaKeyPair,
    /// The public key as JSON.
    jwk: String,
    thumbprint: String,
}

impl ClientKey {
    pub(crate) fn generate() -> Result<Self> {
        let failed = |error| anyhow!("cannot create a key: {error}");
        let (kind, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random);
        let document = document.map_err(|error| failed(error.to_string()))?;
        let pair = EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random);
        let pair = pair.map_err(|error| failed(error.to_string()))?;
        // An uncompressed point: a byte that says so, and two coordinates of 32 bytes.
        let point = pair.public_key().as_ref();
        let (x, y) = (encode(&point[1..33]), encode(&point[33..65]));
        // The members and their order are those of the thumbprint (RFC 7638).
        let jwk = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        let thumbprint = encode(digest(&SHA256, jwk.as_bytes()).as_ref());
        Ok(Self {
            pair,
            jwk,
            thumbprint,
        })
    }

    /// Returns the headers of a request of a subject. Each number is another token.
    pub(crate) fn headers(&self, subject: &str, number: u64) -> Result<String> {
        let token = format!("{subject}-{number}.{}", self.thumbprint);
        let id = PROOFS.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
        let (now, ath) = (
            now.as_secs(),
            encode(digest(&SHA256, token.as_bytes()).as_ref()),
        );
        let head = format!(r#"{{"typ":"dpop+jwt","alg":"ES256","jwk":{}}}"#, self.jwk);
        let claims = format!(
            r#"{{"jti":"{id}","htm":"POST","htu":"{RESOURCE}","iat":{now},"ath":"{ath}"}}"#
        );
        let message = format!("{}.{}", encode(head.as_bytes()), encode(claims.as_bytes()));
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes());
        let signature = signature.map_err(|error| anyhow!("cannot sign: {error}"))?;
        let signature = encode(signature.as_ref());
        Ok(format!(
            "Authorization: DPoP {token}\r\nDPoP: {message}.{signature}\r\n"
        ))
    }
}

fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
