//! Proofs of possession of the key to which a token is bound (RFC 9449).

pub(crate) mod replay;

use std::time::{Duration, SystemTime};

use http::HeaderValue;
use http::request::Parts;
use mcp_oauth::dpop::{PROOF_ALGORITHMS, Proof, ProofFault, ProvenRequest};
use mcp_server::AuthRequest;

use crate::dpop::replay::{NotRecorded, ProofLog};
use crate::fetch::secure_url::SecureUrl;

/// The header with the proof.
const DPOP: &str = "dpop";
/// The maximum time for which proofs are remembered at full rate, in seconds: their age is limited to
/// five minutes, their time may be one minute ahead, and two seconds have to be over.
const LOG_TIME: u32 = 362;
/// The default for [`OAuthBuilder::dpop_rate`](crate::OAuthBuilder::dpop_rate).
pub(crate) const RATE: u32 = 1_000;
/// The time for which a nonce is valid.
const NONCE_TIME: Duration = Duration::from_secs(5 * 60);
/// The purpose that nonces are sealed for.
const NONCE: &str = "dpop-nonce";

/// Verifies proofs.
pub(crate) struct ProofVerifier {
    pub(crate) uses_nonces: bool,
    log: ProofLog,
}

/// Why a proof is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProofError {
    #[error("the request needs one header `DPoP` with a proof of possession")]
    Missing,
    #[error(transparent)]
    Unfit(#[from] ProofFault),
    #[error("the proof of possession is that of another key")]
    Key,
    #[error("the proof of possession was used before")]
    Replayed,
    #[error("the proof of possession needs the nonce of the server")]
    Nonce,
    #[error("too many proofs of possession: retry later")]
    Full,
}

/// A proof that this process has not seen before.
pub(crate) struct VerifiedProof {
    /// Whether the nonce of the proof is old, so that the client needs another for the next proof.
    pub(crate) needs_nonce: bool,
    /// The name of the proof, for other processes.
    pub(crate) name: String,
    /// The time for which it could be accepted again.
    pub(crate) valid_for: Duration,
}

/// A request with a token that is bound to a key.
pub(crate) struct BoundRequest<'a> {
    pub(crate) parts: &'a Parts,
    pub(crate) token: &'a str,
    pub(crate) resource: &'a SecureUrl,
    /// The thumbprint of the key to which the token is bound.
    pub(crate) thumbprint: &'a str,
    /// The caller, for whom the proof is counted.
    pub(crate) principal: &'a str,
}

impl ProofVerifier {
    /// Creates a verifier that remembers as many proofs as arrive at `rate` in each second.
    pub(crate) fn new(uses_nonces: bool, rate: u32) -> Self {
        let most = u64::from(rate) * u64::from(LOG_TIME);
        Self {
            uses_nonces,
            log: ProofLog::new(usize::try_from(most).unwrap_or(usize::MAX)),
        }
    }

    /// Verifies the proof of a request, and records it in this process. `unseal` opens a nonce, as
    /// [`unseal_nonce`] does.
    pub(crate) fn verify(
        &self,
        request: &BoundRequest<'_>,
        unseal: impl Fn(&str) -> Option<String>,
    ) -> Result<VerifiedProof, ProofError> {
        let mut headers = request.parts.headers.get_all(DPOP).into_iter();
        let (Some(proof), None) = (headers.next(), headers.next()) else {
            return Err(ProofError::Missing);
        };
        let proof = proof.to_str().map_err(|_| ProofFault::Malformed)?;
        let proof = Proof::verify(proof, &PROOF_ALGORITHMS).map_err(|_| ProofFault::Malformed)?;
        if proof.thumbprint != request.thumbprint {
            return Err(ProofError::Key);
        }
        let (now, resource, parts) = (since_epoch(), request.resource, request.parts);
        // A proxy may have removed the path of the resource.
        let requested = format!("{}{}", resource.origin(), parts.uri.path());
        let valid_for = proof.check(ProvenRequest {
            method: parts.method.as_str(),
            urls: &[&requested, resource.as_str()],
            token: Some(request.token),
            now: now.as_secs(),
        })?;
        let claims = &proof.claims;
        let needs_nonce = self.uses_nonces && {
            let created = claims.nonce.as_deref().and_then(unseal);
            is_old(&created.ok_or(ProofError::Nonce)?, now)?
        };
        let proof = (&*proof.thumbprint, &*claims.jti);
        match self.log.record(request.principal, proof, valid_for) {
            Ok(()) => Ok(VerifiedProof {
                needs_nonce,
                name: format!("{} {}", proof.0, proof.1),
                valid_for,
            }),
            Err(NotRecorded::Replayed) => Err(ProofError::Replayed),
            Err(NotRecorded::Full) => Err(ProofError::Full),
        }
    }
}

/// Returns `true` if a nonce that was created at this second should be replaced by another.
fn is_old(created: &str, now: Duration) -> Result<bool, ProofError> {
    let created = created.parse().map_err(|_| ProofError::Nonce)?;
    let age = now.abs_diff(Duration::from_secs(created));
    if age > NONCE_TIME {
        return Err(ProofError::Nonce);
    }
    Ok(age > NONCE_TIME / 2)
}

/// Returns when the nonce of a proof was created, in seconds since the Unix epoch. `None` if the server
/// did not create it.
pub(crate) fn unseal_nonce(request: AuthRequest<'_>, nonce: &str) -> Option<String> {
    request.shared().unseal(NONCE, nonce).ok()
}

/// Creates a nonce. `None` if the system returns no random numbers.
pub(crate) fn new_nonce(request: AuthRequest<'_>) -> Option<HeaderValue> {
    let created = since_epoch().as_secs().to_string();
    let nonce = request.shared().seal(NONCE, &created).ok()?;
    HeaderValue::try_from(nonce).ok()
}

fn since_epoch() -> Duration {
    let now = SystemTime::now();
    now.duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use mcp_oauth::dpop::{ProofClaims, ath};
    use mcp_oauth::jwk;
    use mcp_oauth::jwt::SigningKey;

    use super::*;

    const RESOURCE: &str = "https://mcp.example.com/mcp";

    #[test]
    fn nonce_is_renewed_after_half_of_its_time_and_then_expires() {
        let (now, second) = (since_epoch(), Duration::from_secs(1));
        let check = |age: Duration| {
            let created = now.checked_sub(age).expect("after 1970");
            is_old(&created.as_secs().to_string(), now)
        };
        assert_eq!(check(Duration::ZERO), Ok(false));
        assert_eq!(check(NONCE_TIME / 2 + second), Ok(true));
        assert_eq!(check(NONCE_TIME + second), Err(ProofError::Nonce));
        assert_eq!(is_old("", now), Err(ProofError::Nonce));
    }

    #[tokio::test(start_paused = true)]
    async fn proof_with_a_time_in_the_future_is_remembered_until_it_is_too_old() {
        let verifier = ProofVerifier::new(false, RATE);
        let key = SigningKey::generate().expect("a key");
        let thumbprint = jwk::thumbprint(&key.public().expect("a public key"));
        let thumbprint = thumbprint.expect("a thumbprint");
        let verify = |time: Duration| {
            let mut claims = ProofClaims::new("id".to_owned(), "POST", RESOURCE, time.as_secs());
            claims.ath = Some(ath("token"));
            let proof = claims.sign(&key).expect("signed");
            let request = http::Request::post("/mcp").header(DPOP, proof).body(());
            let (parts, ()) = request.expect("a request").into_parts();
            let request = BoundRequest {
                parts: &parts,
                token: "token",
                resource: &SecureUrl::parse(RESOURCE).expect("a URL"),
                thumbprint: &thumbprint,
                principal: "ada",
            };
            verifier.verify(&request, |_| None).map(|_| ())
        };
        let seconds = Duration::from_secs;
        let too_late = since_epoch() + seconds(70);
        assert_eq!(verify(too_late), Err(ProofFault::Time.into()));
        let time = since_epoch() + seconds(50);
        assert_eq!(verify(time), Ok(()));
        // Only the record ages here: by its time, the proof is valid for almost six minutes.
        tokio::time::advance(seconds(340)).await;
        assert_eq!(verify(time), Err(ProofError::Replayed));
    }
}
