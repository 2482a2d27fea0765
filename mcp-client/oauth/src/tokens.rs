//! [`Tokens`]: an access token, and what is needed to use and to refresh it.

pub(super) mod dpop;
pub(super) mod token_endpoint;

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use mcp_oauth::Secret;
use mcp_oauth::jwt::SigningKey;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::client::ClientRecord;

/// A token is refreshed this long before it expires, in seconds, at most. Up to half of it is left
/// out at random, so that processes that share a token do not refresh it at the same time.
const EARLY: u64 = 60;

/// The type of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum TokenType {
    Bearer,
    #[serde(rename = "DPoP")]
    Dpop,
}

/// Tokens for a server, as they are stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tokens {
    pub(super) issuer: String,
    pub(super) resource: String,
    pub(super) token_endpoint: String,
    pub(super) client: ClientRecord,
    pub(super) access: Secret,
    pub(super) token_type: TokenType,
    /// When the access token expires, in seconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<u64>,
    /// When the access token should be refreshed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh: Option<Secret>,
    /// The scopes that were requested, separated by spaces.
    #[serde(default)]
    pub(super) requested: String,
    /// The scopes that were granted, if the server said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) granted: Option<String>,
    /// The private key of proofs of possession: PKCS#8 as base64url.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dpop_key: Option<Secret>,
    /// Whether the client got them without a user.
    #[serde(default)]
    pub(super) machine: bool,
}

impl Tokens {
    /// Returns `true` if the access token should be refreshed.
    pub(super) fn is_due(&self, now: u64) -> bool {
        self.refresh_at.is_some_and(|at| at <= now)
    }

    /// Returns `true` if the access token has expired.
    pub(super) fn is_expired(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

/// Returns a key as it is stored.
pub(super) fn stored_key(key: &SigningKey) -> Secret {
    Secret::new(BASE64_URL_SAFE_NO_PAD.encode(key.pkcs8()))
}

/// Reads a stored key.
pub(super) fn read_key(stored: &Secret) -> Option<SigningKey> {
    let der = BASE64_URL_SAFE_NO_PAD.decode(stored.expose()).ok()?;
    SigningKey::from_pkcs8(&Zeroizing::new(der)).ok()
}

/// Returns the times at which a token expires and should be refreshed. `random` is between 0 and
/// 255.
pub(super) fn times(now: u64, lifetime: u64, random: u8) -> (u64, u64) {
    // Short-lived tokens are used for most of their lifetime.
    let early = EARLY.min(lifetime / 5);
    let jitter = early * u64::from(random) / (2 * u64::from(u8::MAX));
    let expires_at = now.saturating_add(lifetime);
    (expires_at, expires_at.saturating_sub(early - jitter))
}

/// Returns the current time in seconds since the Unix epoch.
pub(super) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

#[cfg(test)]
mod tests {
    use super::times;

    #[test]
    fn tokens_are_refreshed_before_they_expire() {
        assert_eq!(times(1_000, 3_600, 0), (4_600, 4_540));
        assert_eq!(times(1_000, 3_600, 255), (4_600, 4_570));
        assert_eq!(times(1_000, 10, 0), (1_010, 1_008));
        assert_eq!(times(1_000, 0, 9), (1_000, 1_000));
        assert_eq!(times(1_000, u64::MAX, 0).0, u64::MAX);
    }
}
