//! [`find_key`]: which key of an issuer verifies a token.

use std::borrow::Borrow;

use super::{Algorithm, Jwk, key_fits};

/// The algorithms with a public key.
pub const PUBLIC_ALGORITHMS: [Algorithm; 9] = [
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::EdDSA,
];

/// Returns the key with an id. Without an id, returns the only key for the algorithm: it must be clear
/// which key is meant.
#[must_use]
pub fn find_key<'a, K: Borrow<Jwk>>(
    keys: &'a [K],
    id: Option<&str>,
    algorithm: Algorithm,
) -> Option<&'a K> {
    let mut fitting = keys.iter().filter(|key| match id {
        Some(id) => (*key).borrow().common.key_id.as_deref() == Some(id),
        None => key_fits((*key).borrow(), algorithm),
    });
    let found = fitting.next()?;
    (id.is_some() || fitting.next().is_none()).then_some(found)
}
