//! Which request a proof is for (RFC 9449, section 4.3).

use std::time::Duration;

use super::{Proof, ath, normalize_htu};
use crate::jwt::{Algorithm, algorithm_name};

/// The algorithms of proofs.
pub const PROOF_ALGORITHMS: [Algorithm; 5] = [
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
    Algorithm::PS256,
    Algorithm::RS256,
];
/// The maximum length of the identifier of a proof, in bytes.
const ID_BYTES: usize = 256;
/// The maximum age of a proof, in seconds.
const PROOF_TIME: u64 = 5 * 60;
/// The difference between clocks that is tolerated, in seconds.
const LEEWAY: u64 = 60;

/// Returns the names of the [`PROOF_ALGORITHMS`].
#[must_use]
pub fn algorithm_names() -> [&'static str; 5] {
    PROOF_ALGORITHMS.map(algorithm_name)
}

/// The request that a proof has to be for.
#[derive(Clone, Copy)]
pub struct ProvenRequest<'a> {
    /// The method.
    pub method: &'a str,
    /// The URLs under which clients may know it.
    pub urls: &'a [&'a str],
    /// The access token that is sent with the proof.
    pub token: Option<&'a str>,
    /// The time of the server, in seconds since the Unix epoch.
    pub now: u64,
}

/// Why a proof does not fit a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofFault {
    /// It cannot be verified, or its identifier is empty or too long.
    #[error("the proof of possession is malformed, or its signature is not valid")]
    Malformed,
    /// `ath` is another one.
    #[error("the proof of possession is for another access token")]
    Token,
    /// `htm` is another one.
    #[error("the proof of possession is for another HTTP method")]
    Method,
    /// `htu` is another one.
    #[error("the proof of possession is for another URL")]
    Url,
    /// `iat` is too old, or in the future.
    #[error("the time of the proof of possession differs too much from that of the server")]
    Time,
}

impl Proof {
    /// Checks the claims, except `nonce`. Returns the time for which the proof could be sent again, and
    /// has to be remembered.
    ///
    /// # Errors
    ///
    /// Says which claim does not fit.
    pub fn check(&self, request: ProvenRequest<'_>) -> Result<Duration, ProofFault> {
        let (claims, now) = (&self.claims, request.now);
        let is_other = |token: &str| claims.ath.as_deref() != Some(&*ath(token));
        if request.token.is_some_and(is_other) {
            return Err(ProofFault::Token);
        }
        if claims.htm != request.method {
            return Err(ProofFault::Method);
        }
        let url = normalize_htu(&claims.htu).map_err(|_| ProofFault::Url)?;
        let mut urls = request.urls.iter();
        if !urls.any(|expected| normalize_htu(expected).as_ref() == Ok(&url)) {
            return Err(ProofFault::Url);
        }
        if claims.jti.is_empty() || claims.jti.len() > ID_BYTES {
            return Err(ProofFault::Malformed);
        }
        if claims.iat > now + LEEWAY || now.saturating_sub(claims.iat) > PROOF_TIME {
            return Err(ProofFault::Time);
        }
        // A proof with a time in the future is valid for longer, and its last second has to be over.
        let left = (claims.iat + PROOF_TIME + 1).saturating_sub(now);
        Ok(Duration::from_secs(left))
    }
}
