//! Proofs of possession, DPoP (RFC 9449): a token that the client signs for one request.

mod check;
mod htu;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::jwk::thumbprint;
use super::jwt::{Algorithm, JwtError, SigningKey, header, verify};
use super::sha256;
pub use check::{PROOF_ALGORITHMS, ProofFault, ProvenRequest, algorithm_names};
pub use htu::{HtuError, normalize_htu};

/// The type in the header of a proof.
pub const PROOF_TYPE: &str = "dpop+jwt";

/// The claims of a proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProofClaims {
    /// The identifier, new for each proof.
    pub jti: String,
    /// The method of the request.
    pub htm: String,
    /// The URL of the request, without query and fragment.
    pub htu: String,
    /// The time of the proof, in seconds since the Unix epoch.
    pub iat: u64,
    /// The digest of the access token that is sent with the proof, see [`ath`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ath: Option<String>,
    /// The nonce that the server demanded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
}

impl ProofClaims {
    /// Creates the claims for a request without a token.
    #[must_use]
    pub fn new(jti: String, htm: impl Into<String>, htu: impl Into<String>, iat: u64) -> Self {
        Self {
            jti,
            htm: htm.into(),
            htu: htu.into(),
            iat,
            ath: None,
            nonce: None,
        }
    }

    /// Signs a proof.
    ///
    /// # Errors
    ///
    /// Fails if the system provides no random bytes.
    pub fn sign(&self, key: &SigningKey) -> Result<String, JwtError> {
        let mut header = key.header(PROOF_TYPE);
        header.jwk = Some(key.public()?);
        key.sign(header, self)
    }
}

/// A proof whose signature is valid. Its claims are not checked.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The thumbprint of the key, which is compared with `cnf.jkt` of the token.
    pub thumbprint: String,
    /// The claims.
    pub claims: ProofClaims,
}

impl Proof {
    /// Verifies the type and the signature of a proof with the key in its header.
    ///
    /// # Errors
    ///
    /// Fails if the proof is malformed, if its algorithm is not among `allowed`, or if its header
    /// contains no key or a private one.
    pub fn verify(proof: &str, allowed: &[Algorithm]) -> Result<Self, JwtError> {
        let malformed = || JwtError::Malformed("header");
        let head = header(proof)?;
        let is_proof = head
            .typ
            .is_some_and(|kind| kind.eq_ignore_ascii_case(PROOF_TYPE));
        if !is_proof || has_private_key(proof) {
            return Err(malformed());
        }
        let key = head.jwk.ok_or_else(malformed)?;
        let thumbprint = thumbprint(&key).ok_or_else(malformed)?;
        let verified = verify(proof, &key, allowed)?;
        Ok(Self {
            thumbprint,
            claims: verified.claims,
        })
    }
}

/// Returns the digest of an access token, for [`ProofClaims::ath`].
#[must_use]
pub fn ath(token: &str) -> String {
    sha256(token.as_bytes())
}

/// Returns `true` if the key in the header has members of a private or symmetric key.
fn has_private_key(proof: &str) -> bool {
    let head = proof.split('.').next().unwrap_or_default();
    let head = BASE64_URL_SAFE_NO_PAD.decode(head).unwrap_or_default();
    let head: Value = serde_json::from_slice(&head).unwrap_or_default();
    let members = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
    let key = head.get("jwk");
    key.is_some_and(|key| members.iter().any(|member| key.get(member).is_some()))
}
