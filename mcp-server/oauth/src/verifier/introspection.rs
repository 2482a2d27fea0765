//! [`IntrospectionVerifier`]: asks the issuer what a token says (RFC 7662).

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request};
use mcp_oauth::{form_encoded, sha256};
use mcp_server::AccessToken;
use mcp_types::json::Value;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::{Instant, timeout};

use crate::fetch::secure_url::SecureUrl;
use crate::fetch::{FETCH_TIME, FetchError, Fetcher, issuer_metadata};
use crate::verifier::{PresentedToken, TokenError, TokenVerifier, claims};

/// The maximum size of a response, in bytes.
const RESPONSE_BYTES: usize = 64 << 10;
/// The maximum number of active tokens whose meaning is kept, and that of other tokens.
const CACHED: usize = 1_024;
/// The maximum time for which a token is known to be inactive: an issuer of several processes may
/// learn of a new token late.
const INACTIVE_TIME: Duration = Duration::from_secs(5);
/// The maximum number of requests to the issuer at the same time. The number of requests that wait
/// for these is limited by [`Limits`](mcp_server::Limits), for each address.
pub(crate) const CONCURRENT: usize = 16;

/// The maximum time for which such a request waits.
const WAITING_TIME: Duration = Duration::from_secs(5);
/// The maximum time of an introspection that does not wait any more. It includes the time for which
/// others discover the endpoint.
const TOTAL_TIME: Duration = FETCH_TIME.saturating_add(WAITING_TIME);

/// Verifies the tokens of one issuer by asking it.
pub(crate) struct IntrospectionVerifier {
    pub(crate) issuer: SecureUrl,
    pub(crate) fetcher: Fetcher,
    /// The endpoint; the metadata of the issuer names it unless the program did.
    pub(crate) endpoint: OnceCell<SecureUrl>,
    pub(crate) authorization: HeaderValue,
    /// The beginning of all tokens of the issuer that are not JWT.
    pub(crate) prefix: String,
    pub(crate) cache_time: Duration,
    /// Whether a response without `aud` is accepted.
    pub(crate) trusts_audience: bool,
    pub(crate) active: Mutex<TokenCache<AccessToken>>,
    pub(crate) inactive: Mutex<TokenCache<()>>,
    pub(crate) running: Semaphore,
}

/// Returns the value of `Authorization` with which the server authenticates at the issuer.
pub(crate) fn basic(client_id: &str, secret: &str) -> Option<HeaderValue> {
    let value = mcp_oauth::basic(client_id, secret);
    let mut value = HeaderValue::try_from(value.as_str()).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl TokenVerifier for IntrospectionVerifier {
    fn issuer(&self) -> &str {
        self.issuer.as_str()
    }

    async fn verify(&self, token: PresentedToken<'_>) -> Result<AccessToken, TokenError> {
        // A JWT names its issuer, and is verified with the keys of that issuer only.
        if token.unverified_issuer().is_some() || !token.text().starts_with(&self.prefix) {
            return Err(TokenError::Foreign);
        }
        let digest = sha256(token.text().as_bytes());
        if let Some(known) = self.cached(&digest) {
            return known;
        }
        let busy = || TokenError::unavailable("too many tokens are being introspected");
        let running = timeout(WAITING_TIME, self.running.acquire()).await;
        let _running = running.ok().and_then(Result::ok).ok_or_else(busy)?;
        // Another request may have sent the same token.
        if let Some(known) = self.cached(&digest) {
            return known;
        }
        let late = |_| TokenError::unavailable("the introspection takes too long");
        let introspected = timeout(TOTAL_TIME, self.introspect(token, digest)).await;
        introspected.map_err(late)?
    }
}

impl IntrospectionVerifier {
    /// Asks the issuer, and keeps the result.
    async fn introspect(
        &self,
        token: PresentedToken<'_>,
        digest: String,
    ) -> Result<AccessToken, TokenError> {
        let endpoint = self.endpoint.get_or_try_init(|| self.discover());
        let endpoint = endpoint.await.map_err(TokenError::unavailable)?;
        let body = format!(
            "token={}&token_type_hint=access_token",
            form_encoded(token.text()).as_str()
        );
        let mut request = Request::new(Bytes::from(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = endpoint.uri().clone();
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        request.headers_mut().insert(CONTENT_TYPE, form);
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, self.authorization.clone());
        let response = self.fetcher.send(endpoint, request, RESPONSE_BYTES).await;
        let response = response.map_err(TokenError::unavailable)?;
        match response.get("active").and_then(Value::as_bool) {
            Some(true) => {}
            Some(false) => {
                let time = self.cache_time.min(INACTIVE_TIME);
                lock(&self.inactive).insert(digest, (), time);
                return Err(TokenError::Foreign);
            }
            None => {
                let error = "the response to an introspection has no `active`";
                return Err(TokenError::unavailable(error));
            }
        }
        let mut found =
            claims::access_token(self.issuer.as_str(), response).map_err(TokenError::invalid)?;
        if self.trusts_audience && found.audience.is_empty() {
            found.audience.push(token.resource().to_owned());
        }
        let time = kept_for(&found, self.cache_time);
        lock(&self.active).insert(digest, found.clone(), time);
        Ok(found)
    }

    async fn discover(&self) -> Result<SecureUrl, FetchError> {
        let metadata = issuer_metadata::load(&self.fetcher, &self.issuer).await?;
        issuer_metadata::url(&metadata, "introspection_endpoint", &self.issuer)
    }

    /// Returns the result of an earlier request to the issuer.
    fn cached(&self, digest: &str) -> Option<Result<AccessToken, TokenError>> {
        let active = lock(&self.active).get(digest);
        let inactive = || lock(&self.inactive).get(digest);
        active
            .map(Ok)
            .or_else(|| inactive().map(|()| Err(TokenError::Foreign)))
    }
}

/// Returns the time for which the meaning of a token is kept: not after it expires.
fn kept_for(token: &AccessToken, time: Duration) -> Duration {
    let left = token
        .expires_at
        .map(|end| end.duration_since(SystemTime::now()).unwrap_or_default());
    time.min(left.unwrap_or(time))
}

fn lock<T>(cache: &Mutex<T>) -> MutexGuard<'_, T> {
    cache.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known of recently introspected tokens, by their digests.
pub(crate) struct TokenCache<T> {
    tokens: HashMap<Arc<str>, (T, Instant)>,
    in_order: VecDeque<Arc<str>>,
}

impl<T> Default for TokenCache<T> {
    fn default() -> Self {
        Self {
            tokens: HashMap::new(),
            in_order: VecDeque::new(),
        }
    }
}

impl<T: Clone> TokenCache<T> {
    fn get(&self, digest: &str) -> Option<T> {
        let (token, until) = self.tokens.get(digest)?;
        (*until > Instant::now()).then(|| token.clone())
    }

    /// Keeps what is known of a token for a time. The oldest one makes room for it.
    fn insert(&mut self, digest: String, token: T, time: Duration) {
        if time.is_zero() {
            return;
        }
        let digest: Arc<str> = digest.into();
        let entry = (token, Instant::now() + time);
        if self.tokens.insert(Arc::clone(&digest), entry).is_none() {
            self.in_order.push_back(digest);
        }
        while self.in_order.len() > CACHED
            && let Some(oldest) = self.in_order.pop_front()
        {
            self.tokens.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use http::Response;
    use tokio::task::JoinSet;

    use super::*;
    use crate::fetch::HttpFetch;

    #[test]
    fn cache_is_bounded_and_forgets_expired_tokens() {
        let mut cache = TokenCache::default();
        let token = AccessToken::new("https://a.example").subject("ada");
        for at in 0..CACHED * 2 {
            cache.insert(at.to_string(), token.clone(), Duration::from_secs(60));
        }
        assert_eq!(cache.tokens.len(), CACHED);
        assert_eq!(cache.in_order.len(), CACHED);
        assert!(cache.get("0").is_none());
        assert!(cache.get(&(CACHED * 2 - 1).to_string()).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn cached_token_is_forgotten_after_its_time() {
        let mut cache = TokenCache::default();
        let token = AccessToken::new("https://a.example").subject("ada");
        let [time, half, almost, second] = [30, 15, 14, 1].map(Duration::from_secs);
        let mut insert = |digest: &str, token: AccessToken| {
            let time = kept_for(&token, time);
            cache.insert(digest.to_owned(), token, time);
        };
        insert("endless", token.clone());
        insert("ends", token.clone().expires_at(SystemTime::now() + half));
        insert("expired", token.expires_at(SystemTime::now() - second));
        assert!(cache.get("expired").is_none());
        tokio::time::advance(almost).await;
        assert!(cache.get("endless").is_some() && cache.get("ends").is_some());
        tokio::time::advance(second).await;
        assert!(cache.get("endless").is_some() && cache.get("ends").is_none());
        tokio::time::advance(half).await;
        assert!(cache.get("endless").is_none());
    }

    /// An issuer that never answers.
    #[derive(Clone, Default)]
    struct Silent(Arc<AtomicUsize>);

    impl HttpFetch for Silent {
        async fn fetch(
            &self,
            _: Request<Bytes>,
            _: usize,
        ) -> Result<Response<Bytes>, Box<dyn Error + Send + Sync>> {
            self.0.fetch_add(1, Ordering::SeqCst);
            std::future::pending().await
        }
    }

    /// Verifies different tokens at the same time. Returns the errors, sorted.
    async fn failures(
        silent: &Silent,
        endpoint: Option<SecureUrl>,
        issuer: SecureUrl,
        count: usize,
    ) -> Vec<String> {
        let verifier = Arc::new(IntrospectionVerifier {
            issuer,
            fetcher: Fetcher::new(silent.clone()),
            endpoint: OnceCell::new_with(endpoint),
            authorization: HeaderValue::from_static("Basic eDp4"),
            prefix: String::new(),
            cache_time: Duration::ZERO,
            trusts_audience: false,
            active: Mutex::default(),
            inactive: Mutex::default(),
            running: Semaphore::new(CONCURRENT),
        });
        let verify = |at: usize| {
            let verifier = Arc::clone(&verifier);
            async move {
                let (parts, ()) = Request::new(()).into_parts();
                let text = format!("token-{at}");
                let token = PresentedToken::new(&text, None, "https://b.example", &parts);
                match verifier.verify(token).await {
                    Err(TokenError::Unavailable(source)) => source.to_string(),
                    other => panic!("{other:?}"),
                }
            }
        };
        let mut all = JoinSet::new();
        for at in 0..count {
            all.spawn(verify(at));
        }
        let mut failed = all.join_all().await;
        failed.sort();
        failed
    }

    #[tokio::test(start_paused = true)]
    async fn requests_to_the_issuer_are_bounded_and_so_is_the_time_to_wait_for_them() {
        let silent = Silent::default();
        let url = SecureUrl::parse("https://a.example").expect("a URL");
        let failed = failures(&silent, Some(url.clone()), url, CONCURRENT * 2).await;
        assert_eq!(silent.0.load(Ordering::SeqCst), CONCURRENT);
        let (silent, busy) = failed.split_at(CONCURRENT);
        let expected = "https://a.example: no response within 10 s";
        assert!(silent.iter().all(|failed| failed == expected), "{silent:?}");
        let expected = "too many tokens are being introspected";
        assert!(busy.iter().all(|failed| failed == expected), "{busy:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn time_of_an_introspection_is_bounded_while_others_discover_the_endpoint() {
        let url = SecureUrl::parse("https://a.example").expect("a URL");
        let start = Instant::now();
        let failed = failures(&Silent::default(), None, url, CONCURRENT).await;
        assert!(start.elapsed() < TOTAL_TIME + Duration::from_secs(1));
        let late = |failed: &&String| *failed == "the introspection takes too long";
        assert!(
            failed.iter().filter(late).count() >= CONCURRENT / 2,
            "{failed:?}"
        );
    }

    #[test]
    fn credentials_are_encoded_as_in_forms() {
        let value = basic("client:1", "p@ss/ä").expect("a header");
        // The Base64 of `client%3A1:p%40ss%2F%C3%A4`.
        let expected = "Basic Y2xpZW50JTNBMTpwJTQwc3MlMkYlQzMlQTQ=";
        assert_eq!(value.to_str().ok(), Some(expected));
    }
}
