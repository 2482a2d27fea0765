//! [`Urls`]: creates URLs of resources, and validates the tokens of requested URLs.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use mcp_types::uri::canonical;
use tokio::sync::Semaphore;

use super::config::{Claims, Clock, HttpUrls};
use super::keys::UrlKeys;
use super::revoked::{Revoked, SKEW};
use super::token::{LONGEST_URI, Token};
use crate::protocol::caller::{Extensions, Principal};
use crate::protocol::seal::SealError;
use crate::protocol::store::link::BusReceiver;
use crate::protocol::store::message::BusMessage;
use crate::util::lock::lock;
use crate::util::{millis, rfc3339};

/// A URL is issued again for this part of its lifetime.
const PARTS: u64 = 4;

/// The URLs of a running server.
pub(crate) struct Urls {
    base: String,
    path: String,
    lifetime: u64,
    keys: RwLock<Arc<UrlKeys>>,
    clock: Clock,
    claims: Option<Claims>,
    revoked: Mutex<Revoked>,
    /// Limits the number of threads that process large contents.
    pub(crate) threads: Arc<Semaphore>,
}

/// Why a token is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// It is malformed, or it was not signed with a key of this server.
    Forged,
    /// It was revoked.
    Revoked,
    /// It has expired.
    Expired,
}

impl Urls {
    pub(crate) fn new(config: HttpUrls) -> Result<Self, SealError> {
        if millis::of(config.lifetime) > 24 * 3_600 * 1_000 {
            tracing::warn!(
                lifetime = ?config.lifetime,
                "URLs of resources are valid for more than a day"
            );
        }
        let keys = config.keys.map_or_else(UrlKeys::generate, Ok)?;
        Ok(Self {
            base: config.base,
            path: config.path,
            lifetime: millis::of(config.lifetime),
            keys: RwLock::new(Arc::new(keys)),
            clock: config.clock,
            claims: config.claims,
            revoked: Mutex::default(),
            threads: threads(),
        })
    }

    /// Returns the path of the base URL, with a slash at the end.
    #[cfg(feature = "axum")]
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Returns `true` if a path is below the base URL, in any spelling.
    pub(crate) fn serves_path(&self, path: &str) -> bool {
        canonical(path).starts_with(&*canonical(&self.path))
    }

    fn now_ms(&self) -> u64 {
        millis::until(self.now())
    }

    fn keys(&self) -> Arc<UrlKeys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Validates a token. Returns its contents and the number of seconds until it expires.
    pub(crate) fn open(&self, text: &str) -> Result<(Token, u64), Denied> {
        let token = Token::read(text, &self.keys(), &self.base);
        let token = token.map_err(|_| Denied::Forged)?;
        let now = self.now_ms();
        let left = token.expires.saturating_sub(now);
        if left == 0 {
            return Err(Denied::Expired);
        }
        // The clock was wrong when the token was issued, so its expiry time is wrong, too.
        if token.issued > now.saturating_add(3 * SKEW) {
            return Err(Denied::Forged);
        }
        if lock(&self.revoked).is_revoked(&token.uri, token.issued) {
            return Err(Denied::Revoked);
        }
        Ok((token, left / 1_000))
    }

    /// Returns the extensions for a handler that runs for the principal of a token.
    pub(crate) fn extensions(&self, principal: Option<String>) -> Extensions {
        let Some(principal) = principal.map(Principal) else {
            return Extensions::new();
        };
        let mut extensions = match &self.claims {
            Some(claims) => claims(&principal),
            None => Extensions::new(),
        };
        extensions.insert(principal);
        extensions
    }

    /// Returns the time up to which tokens of a resource have to be revoked, at this and all other
    /// processes, so that all tokens issued before now are void.
    pub(crate) fn revocation(&self, uri: &str) -> u64 {
        lock(&self.revoked).next(uri, self.now_ms())
    }

    /// Replaces the keys that sign URLs.
    pub(crate) fn set_keys(&self, keys: UrlKeys) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }

    pub(crate) fn revoke(&self, uri: &str, until: u64) {
        if uri.len() <= LONGEST_URI {
            let now = self.now_ms();
            lock(&self.revoked).revoke(uri, until, now, self.lifetime);
        }
    }
}

impl Urls {
    /// Returns the time after which no token that was issued up to a time is valid any more.
    pub(crate) fn longest_validity(&self, issued: u64) -> Duration {
        let left = issued.saturating_sub(self.now_ms());
        Duration::from_millis(left.saturating_add(self.lifetime).saturating_add(SKEW))
    }
}

/// Creates one permit per processor. More threads would not be faster, and would slow down the
/// threads that serve requests.
pub(crate) fn threads() -> Arc<Semaphore> {
    let processors = std::thread::available_parallelism();
    Arc::new(Semaphore::new(processors.map_or(1, std::num::NonZero::get)))
}

impl Urls {
    /// Returns a URL for a resource and the time when it expires, as text; `None` if the URL would
    /// be too long.
    pub(crate) fn issue(
        &self,
        uri: &str,
        principal: Option<&Principal>,
    ) -> Option<(String, String)> {
        // Rounded, so that a resource keeps its URL for a while: a cache finds only equal URLs.
        let now = self.now_ms();
        let now = now - now % (self.lifetime / PARTS).max(1);
        // `rfc3339` formats whole seconds only.
        let expires = now.saturating_add(self.lifetime) / 1_000 * 1_000;
        let token = Token {
            issued: lock(&self.revoked).issue_time(uri, now),
            expires,
            principal: principal.map(|principal| principal.0.clone()),
            uri: uri.to_owned(),
        };
        let text = token.sign(&self.keys(), &self.base)?;
        Some((
            format!("{}{text}", self.base),
            rfc3339::format(expires / 1_000)?,
        ))
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> SystemTime {
        (self.clock)()
    }
}

impl BusReceiver for Urls {
    fn receive(&self, message: &BusMessage) {
        if let BusMessage::UrlsRevoked { uri, until } = message {
            self.revoke(uri, *until);
        }
    }
}
