#![doc = include_str!("../README.md")]
//!
//! Signatures and digests are those of `ring`. The data model of JOSE (headers, algorithms, keys)
//! is that of `jsonwebtoken`, of which nothing is called that needs its process-wide cryptography
//! provider: a program may install any provider, or none.

pub mod authorization_server;
pub mod credentials;
pub mod dpop;
pub mod jwk;
pub mod jwt;
pub mod protected_resource;
pub mod scopes;
mod secret;
pub mod well_known;

pub use secret::{Secret, basic, form_encoded};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom as _, SystemRandom};

/// Returns the SHA-256 digest of bytes as base64url without padding: the form of the code challenge
/// of PKCE (RFC 7636), of `ath` (RFC 9449) and of thumbprints of keys (RFC 7638).
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(digest(&SHA256, bytes))
}

/// Returns 256 random bits as base64url without padding, 43 characters long.
///
/// # Errors
///
/// Fails if the system provides no random bytes.
pub fn random() -> Result<String, NoRandom> {
    let mut bytes = zeroize::Zeroizing::new([0_u8; 32]);
    let filled = SystemRandom::new().fill(bytes.as_mut());
    filled.map_err(|_| NoRandom)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes.as_ref()))
}

/// The system provides no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system provides no random bytes")]
pub struct NoRandom;
