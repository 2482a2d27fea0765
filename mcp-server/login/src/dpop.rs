//! Proofs of possession of a key (RFC 9449), at the token endpoint and with access tokens.

use std::time::Duration;

use http::request::Parts;
use mcp_oauth::dpop::{Proof, ath, normalize_htu};
use mcp_oauth::jwt::{Algorithm, algorithm_name};
use mcp_server::{Condition, PutOutcome};

use crate::clock::now;
use crate::fault::Fault;
use crate::secret::same;
use crate::vault::{OfUser, Vault};

const HEADER: &str = "dpop";
/// The maximum age of a proof, in seconds.
const AGE: u64 = 5 * 60;
/// The difference between clocks that is tolerated, in seconds.
const LEEWAY: u64 = 60;
/// The maximum length of the identifier of a proof, in bytes.
const ID_BYTES: usize = 256;
/// The maximum number of proofs of a user that are remembered: 20 per second.
const PROOFS: usize = 7_200;

/// The algorithms of proofs.
const ALGORITHMS: [Algorithm; 5] = [
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
    Algorithm::PS256,
    Algorithm::RS256,
];

/// Returns the names of the algorithms.
pub(crate) fn algorithm_names() -> Vec<&'static str> {
    ALGORITHMS.into_iter().map(algorithm_name).collect()
}

/// A proof that fits the request. It may have been used before.
#[derive(Debug)]
pub(crate) struct VerifiedProof {
    pub(crate) thumbprint: String,
    id: String,
    valid_for: Duration,
}

/// Why a proof is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProofError {
    #[error("there is more than one header `DPoP`")]
    Repeated,
    #[error("the proof of possession is malformed, or its signature is not valid")]
    Malformed,
    #[error("the proof of possession is for another access token")]
    Token,
    #[error("the proof of possession is for another HTTP method or URL")]
    Request,
    #[error("the time of the proof of possession differs too much from that of the server")]
    Time,
}

/// Verifies the proof of a request, if it has one. `urls` are those that the proof can be for, `token` is
/// the access token that is sent with it.
pub(crate) fn verify(
    parts: &Parts,
    urls: &[&str],
    token: Option<&str>,
) -> Result<Option<VerifiedProof>, ProofError> {
    let mut headers = parts.headers.get_all(HEADER).into_iter();
    let Some(proof) = headers.next() else {
        return Ok(None);
    };
    if headers.next().is_some() {
        return Err(ProofError::Repeated);
    }
    let proof = proof.to_str().map_err(|_| ProofError::Malformed)?;
    let proof = Proof::verify(proof, &ALGORITHMS).map_err(|_| ProofError::Malformed)?;
    let claims = proof.claims;
    if let Some(token) = token
        && !claims
            .ath
            .is_some_and(|claimed| same(&claimed, &ath(token)))
    {
        return Err(ProofError::Token);
    }
    let url = normalize_htu(&claims.htu).map_err(|_| ProofError::Request)?;
    let mut expected = urls.iter().filter_map(|url| normalize_htu(url).ok());
    if claims.htm != parts.method.as_str() || !expected.any(|expected| expected == url) {
        return Err(ProofError::Request);
    }
    if claims.jti.is_empty() || claims.jti.len() > ID_BYTES {
        return Err(ProofError::Malformed);
    }
    let now = now();
    if claims.iat > now + LEEWAY || now.saturating_sub(claims.iat) > AGE {
        return Err(ProofError::Time);
    }
    Ok(Some(VerifiedProof {
        id: mcp_oauth::sha256(format!("{} {}", proof.thumbprint, claims.jti).as_bytes()),
        thumbprint: proof.thumbprint,
        // A proof with a time in the future is valid for longer.
        valid_for: Duration::from_secs((claims.iat + AGE).saturating_sub(now) + 1),
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
