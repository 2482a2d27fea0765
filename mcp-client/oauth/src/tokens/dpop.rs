//! [`Nonces`]: the nonces that servers demand in proofs of possession (RFC 9449, sections 8 and 9),
//! and [`proof`].

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use mcp_oauth::dpop::{ProofClaims, ath, normalize_htu};
use mcp_oauth::jwt::SigningKey;
use mcp_oauth::random;
use mcp_oauth::well_known::origin_text;

use crate::error::{OAuthError, OAuthFault, OAuthStep};
use crate::tokens::now;

/// The header with a proof.
pub(crate) const DPOP: HeaderName = HeaderName::from_static("dpop");
/// The header with the nonce for the next proof.
const DPOP_NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

/// The maximum number of bytes of a nonce.
const NONCE_BYTES: usize = 1024;
/// The maximum number of origins of which a nonce is kept.
const ORIGINS: usize = 16;

/// The last nonce of each origin.
#[derive(Debug, Default)]
pub(crate) struct Nonces(Mutex<HashMap<String, String>>);

impl Nonces {
    /// Stores the nonce of a response, if it has one. Returns `true` if it is new.
    pub(crate) fn learn(&self, url: &str, headers: &HeaderMap) -> bool {
        let nonce = headers
            .get(DPOP_NONCE)
            .and_then(|nonce| nonce.to_str().ok());
        let Some(nonce) = nonce.filter(|nonce| nonce.len() <= NONCE_BYTES) else {
            return false;
        };
        let mut nonces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let origin = origin_text(url).to_ascii_lowercase();
        if nonces.len() >= ORIGINS && !nonces.contains_key(&origin) {
            nonces.clear();
        }
        let before = nonces.insert(origin, nonce.to_owned());
        before.is_none_or(|before| before != nonce)
    }

    /// Returns `true` if a response has a nonce for the next request.
    pub(crate) fn is_offered(headers: &HeaderMap) -> bool {
        headers.contains_key(DPOP_NONCE)
    }

    fn of(&self, url: &str) -> Option<String> {
        let nonces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        nonces.get(&origin_text(url).to_ascii_lowercase()).cloned()
    }
}

/// Signs a proof for a request, with the access token that it contains.
pub(crate) fn proof(
    key: &SigningKey,
    nonces: &Nonces,
    method: &Method,
    url: &str,
    token: Option<&str>,
) -> Result<HeaderValue, OAuthError> {
    let failed = |fault: OAuthFault| OAuthError::new(OAuthStep::Use, fault).at(url);
    let jti = random().map_err(|fault| failed(fault.into()))?;
    let htu = normalize_htu(url);
    let htu = htu.map_err(|error| failed(OAuthFault::Configuration(error.to_string())))?;
    let mut claims = ProofClaims::new(jti, method.as_str(), htu, now());
    claims.ath = token.map(ath);
    claims.nonce = nonces.of(url);
    let proof = claims.sign(key).map_err(|fault| failed(fault.into()))?;
    let value = HeaderValue::try_from(proof);
    value.map_err(|error| failed(OAuthFault::Configuration(error.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_are_kept_by_origin_and_for_a_bounded_number_of_them() {
        let nonces = Nonces::default();
        let learn = |url: &str, nonce: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(DPOP_NONCE, nonce.parse().expect("a value"));
            nonces.learn(url, &headers)
        };
        assert!(learn("https://a.example/token", "1"));
        assert!(!learn("https://A.example/other?x", "1"));
        assert!(learn("https://a.example", "2"));
        assert_eq!(nonces.of("https://a.example/").as_deref(), Some("2"));
        assert_eq!(nonces.of("https://a.example:444/"), None);
        assert_eq!(nonces.of("http://a.example/"), None);
        for at in 0..ORIGINS * 3 {
            assert!(learn(&format!("https://a{at}.example"), "n"));
            assert!(nonces.0.lock().expect("no panic").len() <= ORIGINS);
            // The newest one is always known.
            assert!(nonces.of(&format!("https://a{at}.example")).is_some());
        }
    }
}
