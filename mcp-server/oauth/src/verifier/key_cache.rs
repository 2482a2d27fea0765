//! [`KeyCache`]: the public keys of an issuer, loaded when they are needed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use mcp_oauth::jwt::{Algorithm, Jwk, find_key};
use mcp_types::json::{Object, Value};
use mcp_types::peer_text::Chain;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::fetch::secure_url::SecureUrl;
use crate::fetch::{FetchError, Fetcher, issuer_metadata};

/// The maximum size of a set of keys, in bytes.
const KEY_SET_BYTES: usize = 256 << 10;
/// The maximum number of keys of an issuer.
const KEYS: usize = 100;
/// The maximum length of the id of a key, in bytes.
const KEY_ID_BYTES: usize = 256;
/// After this time the keys are loaded again, while requests still use the old ones.
const REFRESH_TIME: Duration = Duration::from_secs(10 * 60);
/// After this time the keys are not used any more.
const MAX_AGE: Duration = Duration::from_secs(60 * 60);

/// The keys of an issuer. Requests wait only if a key is unknown, and never for more than one
/// attempt to load it.
pub(crate) struct KeyCache {
    source: Arc<KeySource>,
    /// The minimum time between two attempts to load the keys, whatever tokens arrive.
    interval: Duration,
    state: Mutex<KeyState>,
    /// The number of attempts that have ended.
    attempts: watch::Sender<u64>,
}

/// Where the keys of an issuer are.
struct KeySource {
    issuer: SecureUrl,
    /// Keys that the program has set. Nothing is loaded.
    fixed: Option<Vec<Arc<Jwk>>>,
    /// `None` if the metadata of the issuer names it.
    jwks_uri: Option<SecureUrl>,
    fetcher: Fetcher,
}

#[derive(Default)]
struct KeyState {
    loaded: Option<Loaded>,
    /// When the last attempt began.
    attempted: Option<Instant>,
    is_loading: bool,
    /// The task that loads the keys. Aborted with the cache.
    task: JoinSet<()>,
}

struct Loaded {
    keys: Vec<Arc<Jwk>>,
    at: Instant,
}

/// Why there is no key for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoKey {
    /// The issuer has no such key.
    Unknown,
    /// The keys of the issuer could not be loaded.
    Unavailable,
}

impl KeyCache {
    pub(crate) fn new(
        issuer: SecureUrl,
        fixed: Option<Vec<Arc<Jwk>>>,
        jwks_uri: Option<SecureUrl>,
        fetcher: Fetcher,
        interval: Duration,
    ) -> Arc<Self> {
        Arc::new(Self {
            source: Arc::new(KeySource {
                issuer,
                fixed,
                jwks_uri,
                fetcher,
            }),
            interval,
            state: Mutex::default(),
            attempts: watch::Sender::new(0),
        })
    }

    /// Returns the key with an id. Without an id, returns the only key for the algorithm.
    pub(crate) async fn key(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Arc<Jwk>, NoKey> {
        if id.is_some_and(|id| id.len() > KEY_ID_BYTES) {
            return Err(NoKey::Unknown);
        }
        let mut attempts = self.attempts.subscribe();
        let wait = {
            let mut state = self.state();
            let found = state.find(id, algorithm);
            let needs_refresh = state.age().is_none_or(|age| age > REFRESH_TIME);
            if needs_refresh || found.is_none() {
                self.load(&mut state);
            }
            match found {
                Some(key) => return Ok(key),
                None => state.is_loading,
            }
        };
        if wait {
            // Fails only if the cache was dropped, and `self` owns it.
            let _ = attempts.changed().await;
        }
        let state = self.state();
        state.find(id, algorithm).ok_or_else(|| {
            if state.age().is_some_and(|age| age <= MAX_AGE) {
                NoKey::Unknown
            } else {
                NoKey::Unavailable
            }
        })
    }

    /// Starts to load the keys, unless that is in progress or was done a short time ago.
    fn load(self: &Arc<Self>, state: &mut KeyState) {
        let recently = state
            .attempted
            .is_some_and(|attempted| attempted.elapsed() < self.interval);
        if state.is_loading || recently {
            return;
        }
        state.is_loading = true;
        state.attempted = Some(Instant::now());
        while state.task.try_join_next().is_some() {}
        let (source, cache) = (Arc::clone(&self.source), Arc::downgrade(self));
        state.task.spawn(async move {
            // Ends the attempt also if the client of the program panics.
            let attempt = Attempt(cache);
            match source.load().await {
                Ok(keys) => attempt.store(keys),
                Err(error) => {
                    let issuer = &source.issuer;
                    tracing::warn!(%issuer, error = %Chain(&error), "cannot load the keys");
                }
            }
        });
    }

    fn state(&self) -> MutexGuard<'_, KeyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An attempt to load the keys. Dropping it wakes the requests that wait for them.
struct Attempt(Weak<KeyCache>);

impl Attempt {
    fn store(&self, keys: Vec<Arc<Jwk>>) {
        if let Some(cache) = self.0.upgrade() {
            let at = Instant::now();
            cache.state().loaded = Some(Loaded { keys, at });
        }
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if let Some(cache) = self.0.upgrade() {
            cache.state().is_loading = false;
            cache.attempts.send_modify(|count| *count += 1);
        }
    }
}

impl KeyState {
    fn age(&self) -> Option<Duration> {
        self.loaded.as_ref().map(|loaded| loaded.at.elapsed())
    }

    fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<Arc<Jwk>> {
        let loaded = self.loaded.as_ref()?;
        if loaded.at.elapsed() > MAX_AGE {
            return None;
        }
        find_key(&loaded.keys, id, algorithm).cloned()
    }
}

impl KeySource {
    async fn load(&self) -> Result<Vec<Arc<Jwk>>, FetchError> {
        if let Some(keys) = &self.fixed {
            return Ok(keys.clone());
        }
        let url = if let Some(url) = &self.jwks_uri {
            url.clone()
        } else {
            let metadata = issuer_metadata::load(&self.fetcher, &self.issuer).await?;
            issuer_metadata::url(&metadata, "jwks_uri", &self.issuer)?
        };
        let set = self.fetcher.get(&url, KEY_SET_BYTES).await?;
        let keys = public_keys(&set);
        keys.ok_or_else(|| FetchError::Contents {
            url: url.as_str().to_owned(),
            reason: EXPECTED.to_owned(),
        })
    }
}

/// What a text or document with keys has to be.
pub(crate) const EXPECTED: &str = "expected a set of at most 100 keys";

/// Returns the public keys of a set. Keys of unknown kinds and symmetric keys are left out (RFC
/// 7517, section 5).
pub(crate) fn public_keys(set: &Object) -> Option<Vec<Arc<Jwk>>> {
    let members = set.get("keys")?.as_array()?;
    if members.len() > KEYS {
        return None;
    }
    let keys = members.iter().filter_map(public_key);
    Some(keys.map(Arc::new).collect())
}

fn public_key(key: &Value) -> Option<Jwk> {
    let is_symmetric = key.get("kty").and_then(Value::as_str) == Some("oct");
    if is_symmetric {
        tracing::warn!("a set of keys contains a symmetric key, which is ignored");
        return None;
    }
    mcp_types::json::from_value_ref(key).ok()
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bytes::Bytes;
    use http::{Request, Response};
    use mcp_oauth::jwt::SigningKey;

    use super::*;
    use crate::fetch::HttpFetch;

    /// An issuer that never answers the first requests.
    #[derive(Clone, Default)]
    struct Slow {
        requests: Arc<AtomicUsize>,
        answers_from: usize,
    }

    impl HttpFetch for Slow {
        async fn fetch(
            &self,
            _: Request<Bytes>,
            _: usize,
        ) -> Result<Response<Bytes>, Box<dyn Error + Send + Sync>> {
            if self.requests.fetch_add(1, Ordering::SeqCst) < self.answers_from {
                std::future::pending::<()>().await;
            }
            let mut key = SigningKey::generate()?.public()?;
            key.common.key_id = Some("k1".to_owned());
            let keys = serde_json::json!({ "keys": [key] });
            Ok(Response::new(serde_json::to_vec(&keys)?.into()))
        }
    }

    fn cache(slow: &Slow) -> Arc<KeyCache> {
        let url = SecureUrl::parse("https://a.example/jwks").expect("a URL");
        let fetcher = Fetcher::new(slow.clone());
        KeyCache::new(
            url.clone(),
            None,
            Some(url),
            fetcher,
            Duration::from_secs(15),
        )
    }

    #[tokio::test(start_paused = true)]
    async fn issuer_that_does_not_answer_delays_requests_for_a_bounded_time() {
        let slow = Slow {
            answers_from: 1,
            ..Slow::default()
        };
        let cache = cache(&slow);
        let start = Instant::now();
        let (one, two) = tokio::join!(
            cache.key(Some("k1"), Algorithm::ES256),
            cache.key(Some("k2"), Algorithm::ES256)
        );
        assert_eq!(
            (one.err(), two.err()),
            (Some(NoKey::Unavailable), Some(NoKey::Unavailable))
        );
        assert!(
            start.elapsed() <= Duration::from_secs(11),
            "{:?}",
            start.elapsed()
        );
        assert_eq!(slow.requests.load(Ordering::SeqCst), 1);
        // The next attempt is made after the interval, by the first request that needs it.
        let error = cache.key(Some("k1"), Algorithm::ES256).await.err();
        assert_eq!(error, Some(NoKey::Unavailable));
        tokio::time::advance(Duration::from_secs(6)).await;
        assert!(cache.key(Some("k1"), Algorithm::ES256).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn request_that_is_dropped_does_not_stop_the_attempt() {
        let slow = Slow::default();
        let cache = cache(&slow);
        let first = tokio::time::timeout(Duration::ZERO, cache.key(Some("k1"), Algorithm::ES256));
        let _ = first.await;
        assert!(cache.key(Some("k1"), Algorithm::ES256).await.is_ok());
        assert_eq!(slow.requests.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn old_keys_are_refreshed_in_the_background_and_expire() {
        let slow = Slow::default();
        let cache = cache(&slow);
        assert!(cache.key(Some("k1"), Algorithm::ES256).await.is_ok());
        tokio::time::advance(REFRESH_TIME + Duration::from_secs(1)).await;
        // Answered with the old keys, without waiting.
        assert!(cache.key(Some("k1"), Algorithm::ES256).await.is_ok());
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(slow.requests.load(Ordering::SeqCst), 2);
        tokio::time::advance(MAX_AGE + Duration::from_secs(1)).await;
        assert!(cache.key(Some("k1"), Algorithm::ES256).await.is_ok());
        assert_eq!(slow.requests.load(Ordering::SeqCst), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn client_of_the_program_that_panics_leaves_the_cache_usable() {
        struct Panics(AtomicUsize);
        impl HttpFetch for Panics {
            async fn fetch(
                &self,
                _: Request<Bytes>,
                _: usize,
            ) -> Result<Response<Bytes>, Box<dyn Error + Send + Sync>> {
                assert!(self.0.fetch_add(1, Ordering::SeqCst) > 0, "the first time");
                Ok(Response::new(Bytes::from_static(b"{\"keys\":[]}")))
            }
        }
        let url = SecureUrl::parse("https://a.example/jwks").expect("a URL");
        let fetcher = Fetcher::new(Panics(AtomicUsize::new(0)));
        let cache = KeyCache::new(url.clone(), None, Some(url), fetcher, Duration::ZERO);
        let error = cache.key(Some("k1"), Algorithm::ES256).await.err();
        assert_eq!(error, Some(NoKey::Unavailable));
        let error = cache.key(Some("k1"), Algorithm::ES256).await.err();
        assert_eq!(error, Some(NoKey::Unknown));
    }
}
