//! [`Urls`]: hands URLs out, and says which of those that come back are good.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use http::header::AUTHORIZATION;
use mcp_types::peer_text::PeerText;
use mcp_types::{CacheScope, Resource};
use tokio::sync::Semaphore;

use super::config::{Claims, Clock, HttpUrls};
use super::keys::UrlKeys;
use super::revoked::{Revoked, SKEW};
use super::time::{iso, millis, span};
use super::token::{LONGEST_URI, Token};
use crate::features::catalog::Hints;
use crate::features::resources::found::locate;
use crate::protocol::changes::BusMessage;
use crate::protocol::context::{Context, Extensions, Principal};
use crate::protocol::core::Server;
use crate::protocol::seal::SealError;
use crate::server::resource_urls::offload;

/// The URLs of a running server.
pub(crate) struct Urls {
    base: String,
    path: String,
    lifetime: u64,
    keys: RwLock<Arc<UrlKeys>>,
    clock: Clock,
    claims: Option<Claims>,
    revoked: Mutex<Revoked>,
    /// For the requests that run at once.
    /// For the threads that work on large contents at once.
    pub(crate) threads: Arc<Semaphore>,
}

/// Why a token gives nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// It is none, is not signed by us, or not for this server.
    Forged,
    /// It was taken back.
    Revoked,
    /// Its time is over.
    Expired,
}

impl Urls {
    pub(crate) fn new(config: HttpUrls) -> Result<Self, SealError> {
        if span(config.lifetime) > 24 * 3_600 * 1_000 {
            tracing::warn!(lifetime = ?config.lifetime, "URLs of resources are good for very long");
        }
        let keys = config.keys.map_or_else(UrlKeys::generate, Ok)?;
        Ok(Self {
            base: config.base,
            path: config.path,
            lifetime: span(config.lifetime),
            keys: RwLock::new(Arc::new(keys)),
            clock: config.clock,
            claims: config.claims,
            revoked: Mutex::default(),
            threads: offload::threads(),
        })
    }

    /// Whether a path is one of ours.
    pub(crate) fn takes(&self, path: &str) -> bool {
        path.starts_with(&self.path)
    }

    fn now(&self) -> u64 {
        millis((self.clock)())
    }

    fn keys(&self) -> Arc<UrlKeys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn revoked(&self) -> MutexGuard<'_, Revoked> {
        self.revoked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A URL for a resource, and until when it is good; `None` where it would be too long.
    fn issue(&self, uri: &str, principal: Option<&Principal>) -> Option<(String, String)> {
        let now = self.now();
        // What is said in words has no milliseconds.
        let expires = now.saturating_add(self.lifetime) / 1_000 * 1_000;
        let token = Token {
            issued: self.revoked().stamp(uri, now),
            expires,
            principal: principal.map(|principal| principal.0.clone()),
            uri: uri.to_owned(),
        };
        let text = token.sign(&self.keys(), &self.base)?;
        Some((format!("{}{text}", self.base), iso(expires)?))
    }

    /// What a token gives, and for how many seconds more.
    pub(crate) fn open(&self, text: &str) -> Result<(Token, u64), Denied> {
        let token = Token::read(text, &self.keys(), &self.base);
        let token = token.map_err(|_| Denied::Forged)?;
        let now = self.now();
        let left = token.expires.saturating_sub(now);
        if left == 0 {
            return Err(Denied::Expired);
        }
        // A clock was wrong when it was issued, and nobody knows when it should have expired.
        if token.issued > now.saturating_add(3 * SKEW) {
            return Err(Denied::Forged);
        }
        if self.revoked().is_revoked(&token.uri, token.issued) {
            return Err(Denied::Revoked);
        }
        Ok((token, left / 1_000))
    }

    /// What the handler is to find of whom a token was issued to.
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

    /// What others have to be told to take back what they issued for a resource up to now.
    fn revocation(&self, uri: &str) -> u64 {
        self.revoked().next(uri, self.now())
    }

    pub(crate) fn revoke(&self, uri: &str, until: u64) {
        if uri.len() <= LONGEST_URI {
            let now = self.now();
            self.revoked().revoke(uri, until, now, self.lifetime);
        }
    }
}

impl Server {
    /// Takes back all URLs that were handed out for a resource up to now, in all processes on the
    /// [`Bus`](crate::Bus). Those that are handed out from now on are good.
    ///
    /// It is remembered until the last of them expires, in memory: a process that starts in the
    /// meantime knows nothing of it. New [keys](Self::rotate_url_keys) are for ever.
    pub fn revoke_url(&self, uri: &str) {
        let Some(urls) = &self.inner.urls else {
            return;
        };
        let until = urls.revocation(uri);
        // Here at once, however long the bus takes.
        urls.revoke(uri, until);
        if let Some(bus) = &self.inner.bus {
            bus.publish(BusMessage::UrlsRevoked {
                uri: uri.to_owned(),
                until,
            });
        }
    }

    /// Replaces the keys that URLs of resources are signed with, see [`UrlKeys`].
    pub fn rotate_url_keys(&self, keys: UrlKeys) {
        if let Some(urls) = &self.inner.urls {
            *urls.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
        }
    }
}

/// Gives a resource its URL, for a peer that gets what the proposal adds. What the author said
/// stays, but for what is not `https`.
pub(crate) fn offer(resource: &mut Resource, cx: &Context) {
    if let Some(url) = &resource.http_url {
        let scheme = url.get(..8).unwrap_or_default();
        if !scheme.eq_ignore_ascii_case("https://") {
            // Not the URL itself, which may be one that opens something.
            let uri = PeerText(&resource.uri);
            tracing::error!(%uri, "an `httpUrl` that is not https was left out");
            resource.http_url = None;
            resource.http_url_expires_at = None;
        }
        return;
    }
    resource.http_url_expires_at = None;
    if let Some((url, expires_at)) = url(resource, cx) {
        resource.http_url = Some(url);
        resource.http_url_expires_at = Some(expires_at);
    }
}

fn url(resource: &Resource, cx: &Context) -> Option<(String, String)> {
    let urls = cx.server().inner.urls.as_deref()?;
    #[cfg(feature = "sep-2093")]
    if resource.resource_type == Some(mcp_types::ResourceType::Collection) {
        return None;
    }
    if !is_known(cx) || !locate(cx.server(), &resource.uri)?.has_url() {
        return None;
    }
    urls.issue(&resource.uri, cx.extension())
}

/// What caches may do with a list: one with URLs is for nobody but the peer that they were handed
/// out to, and no longer of use than they are.
pub(crate) fn hints(hints: &Hints, resources: &[Resource], cx: &Context) -> Hints {
    let mut hints = hints.clone();
    if let Some(urls) = &cx.server().inner.urls
        && resources.iter().any(|resource| resource.http_url.is_some())
    {
        let lifetime = i64::try_from(urls.lifetime).unwrap_or(i64::MAX);
        hints.ttl_ms = hints.ttl_ms.min(lifetime);
        hints.scope = CacheScope::Private;
    }
    hints
}

/// Whether it will be known later who asks now: a request that has to be authorized, and of which
/// no middleware says whose it is, could later be anyone's.
fn is_known(cx: &Context) -> bool {
    let parts = cx.call.extensions.parts();
    let authorized = parts.is_some_and(|parts| parts.headers.contains_key(AUTHORIZATION));
    !authorized || cx.extension::<Principal>().is_some()
}
