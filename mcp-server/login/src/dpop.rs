//! Proofs of possession of a key (RFC 9449), at the token endpoint and with access tokens.

use std::time::Duration;

use http::request::Parts;
use mcp_oauth::dpop::{PROOF_ALGORITHMS, Proof, ProofFault, ProvenRequest};
use mcp_server::{Condition, PutOutcome};

use crate::clock::now;
use crate::fault::Fault;
use crate::vault::{OfUser, Vault};

/// The maximum number of proofs of a user that are remembered: 20 per second.
const PROOFS: usize = 7_200;

/// A proof that fits the request. It may have been used before.
pub(crate) struct VerifiedProof {
    pub(crate) thumbprint: String,
    id: String,
    valid_for: Duration,
}

/// Verifies the proof of a request, if it has one. `urls` are those that the proof can be for, `token` is
/// the access token that is sent with it.
pub(crate) fn verify(
    parts: &Parts,
    urls: &[&str],
    token: Option<&str>,
) -> Result<Option<VerifiedProof>, ProofFault> {
    let mut headers = parts.headers.get_all("dpop").into_iter();
    let Some(proof) = headers.next() else {
        return Ok(None);
    };
    let proof = proof.to_str().ok().filter(|_| headers.next().is_none());
    let proof = proof.and_then(|proof| Proof::verify(proof, &PROOF_ALGORITHMS).ok());
    let proof = proof.ok_or(ProofFault::Malformed)?;
    let request = ProvenRequest {
        method: parts.method.as_str(),
        urls,
        token,
        now: now(),
    };
    Ok(Some(VerifiedProof {
        valid_for: proof.check(request)?,
        id: mcp_oauth::sha256(format!("{} {}", proof.thumbprint, proof.claims.jti).as_bytes()),
        thumbprint: proof.thumbprint,
    }))
}

impl VerifiedProof {
    /// Records in the store that a proof was used. Returns `false` if it was used before, or if the user
    /// has used too many.
    pub(crate) async fn record(&self, vault: &Vault<'_>, subject: &str) -> Result<bool, Fault> {
        let all = Some(OfUser("proofs", subject, PROOFS));
        let key = format!("proof:{}", self.id);
        let outcome = vault.put(&key, &(), self.valid_for, Condition::Absent, all);
        Ok(matches!(outcome.await?, PutOutcome::Written(_)))
    }
}
