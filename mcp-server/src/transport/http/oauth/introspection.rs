//! [`IntrospectionVerifier`]: asks the issuer what a token says (RFC 7662).

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request};
use mcp_types::json::Value;
use mcp_types::oauth::sha256;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::Instant;

use crate::protocol::access_token::AccessToken;
use crate::transport::http::oauth::claims;
use crate::transport::http::oauth::fetch::{FetchError, Fetcher};
use crate::transport::http::oauth::issuer_metadata;
use crate::transport::http::oauth::secure_url::SecureUrl;
use crate::transport::http::oauth::verifier::{PresentedToken, TokenError, TokenVerifier};

/// The maximum size of a response, in bytes.
const RESPONSE_BYTES: usize = 64 << 10;
/// The maximum number of tokens whose meaning is kept.
const CACHED: usize = 1_024;
/// The maximum number of requests to the issuer at the same time.
const CONCURRENT: usize = 16;
/// The maximum number of requests that wait for those.
const WAITING: usize = 256;

/// Verifies the tokens of one issuer by asking it.
pub(crate) struct IntrospectionVerifier {
    pub(crate) issuer: SecureUrl,
    pub(crate) fetcher: Fetcher,
    /// The endpoint; the metadata of the issuer names it unless the program did.
    pub(crate) endpoint: OnceCell<SecureUrl>,
    pub(crate) authorization: HeaderValue,
    pub(crate) cache_time: Duration,
    /// Whether a response without `aud` is accepted.
    pub(crate) trusts_audience: bool,
    pub(crate) cache: Mutex<TokenCache>,
    pub(crate) permits: RequestSlots,
}

/// Bounds the requests to the issuer.
pub(crate) struct RequestSlots {
    running: Semaphore,
    all: Semaphore,
}

impl Default for RequestSlots {
    fn default() -> Self {
        Self {
            running: Semaphore::new(CONCURRENT),
            all: Semaphore::new(CONCURRENT + WAITING),
        }
    }
}

/// Returns the value of `Authorization` with which the server authenticates at the issuer.
pub(crate) fn basic(client_id: &str, secret: &str) -> Option<HeaderValue> {
    let pair = format!("{}:{}", form_encoded(client_id), form_encoded(secret));
    let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(pair))).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl TokenVerifier for IntrospectionVerifier {
    fn issuer(&self) -> &str {
        self.issuer.as_str()
    }

    async fn verify(&self, token: PresentedToken<'_>) -> Result<AccessToken, TokenError> {
        let digest = sha256(token.text().as_bytes());
        if let Some(known) = self.cached(&digest) {
            return Ok(known);
        }
        let busy = || TokenError::unavailable("too many tokens are being introspected");
        let waiting = self.permits.all.try_acquire().map_err(|_| busy())?;
        let running = self.permits.running.acquire().await.map_err(|_| busy())?;
        let introspected = self.introspect(token).await;
        drop((running, waiting));
        let found = introspected?;
        self.cache
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(digest, found.clone(), self.cache_time);
        Ok(found)
    }
}

impl IntrospectionVerifier {
    async fn introspect(&self, token: PresentedToken<'_>) -> Result<AccessToken, TokenError> {
        let endpoint = self.endpoint.get_or_try_init(|| self.discover());
        let endpoint = endpoint.await.map_err(TokenError::unavailable)?;
        let body = format!(
            "token={}&token_type_hint=access_token",
            form_encoded(token.text())
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
            Some(false) => return Err(TokenError::Foreign),
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
        Ok(found)
    }

    async fn discover(&self) -> Result<SecureUrl, FetchError> {
        let metadata = issuer_metadata::load(&self.fetcher, &self.issuer).await?;
        issuer_metadata::url(&metadata, "introspection_endpoint", &self.issuer)
    }

    fn cached(&self, digest: &str) -> Option<AccessToken> {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get(digest)
    }
}

/// What recently introspected tokens say, by their digests.
#[derive(Default)]
pub(crate) struct TokenCache {
    tokens: HashMap<Arc<str>, (AccessToken, Instant)>,
    in_order: VecDeque<Arc<str>>,
}

impl TokenCache {
    fn get(&self, digest: &str) -> Option<AccessToken> {
        let (token, until) = self.tokens.get(digest)?;
        (*until > Instant::now()).then(|| token.clone())
    }

    /// Keeps a token for a time, but not after it expires. The oldest one makes room for it.
    fn insert(&mut self, digest: String, token: AccessToken, time: Duration) {
        let left = token
            .expires_at
            .map(|end| end.duration_since(SystemTime::now()).unwrap_or_default());
        let time = time.min(left.unwrap_or(time));
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

/// Encodes a value of a form (RFC 6749, appendix B).
fn form_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use http::Response;
    use tokio::task::JoinSet;

    use super::*;
    use crate::transport::http::oauth::fetch::HttpFetch;

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
        let expired = token.expires_at(SystemTime::now() - Duration::from_secs(1));
        cache.insert("expired".to_owned(), expired, Duration::from_secs(60));
        assert!(cache.get("expired").is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn cached_token_is_forgotten_after_its_time() {
        let mut cache = TokenCache::default();
        let token = AccessToken::new("https://a.example").subject("ada");
        let [time, half, almost, second] = [30, 15, 14, 1].map(Duration::from_secs);
        cache.insert("endless".to_owned(), token.clone(), time);
        let ends = token.expires_at(SystemTime::now() + half);
        cache.insert("ends".to_owned(), ends, time);
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

    #[tokio::test(start_paused = true)]
    async fn requests_to_the_issuer_are_bounded_and_so_are_those_that_wait() {
        let silent = Silent::default();
        let url = SecureUrl::parse("https://a.example").expect("a URL");
        let verifier = Arc::new(IntrospectionVerifier {
            issuer: url.clone(),
            fetcher: Fetcher::new(silent.clone()),
            endpoint: OnceCell::new_with(Some(url)),
            authorization: HeaderValue::from_static("Basic eDp4"),
            cache_time: Duration::ZERO,
            trusts_audience: false,
            cache: Mutex::default(),
            permits: RequestSlots::default(),
        });
        let verify = |at: usize| {
            let verifier = Arc::clone(&verifier);
            async move {
                let (parts, ()) = Request::new(()).into_parts();
                let text = format!("token-{at}");
                let token = PresentedToken::new(&text, "https://b.example", &parts);
                match verifier.verify(token).await {
                    Err(TokenError::Unavailable(source)) => source.to_string(),
                    other => panic!("{other:?}"),
                }
            }
        };
        let mut all = JoinSet::new();
        for at in 0..CONCURRENT + WAITING {
            all.spawn(verify(at));
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(silent.0.load(Ordering::SeqCst), CONCURRENT);
        let busy = "too many tokens are being introspected";
        assert_eq!(verify(usize::MAX).await, busy);
        // The first ones time out, and as many others take their place.
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert_eq!(silent.0.load(Ordering::SeqCst), CONCURRENT * 2);
        all.spawn(verify(usize::MAX));
        for failed in all.join_all().await {
            assert_eq!(failed, "https://a.example: no response within 10 s");
        }
    }

    #[test]
    fn credentials_are_encoded_as_in_forms() {
        let value = basic("client:1", "p@ss/ä").expect("a header");
        let encoded = STANDARD.encode("client%3A1:p%40ss%2F%C3%A4");
        assert_eq!(value.to_str().ok(), Some(&*format!("Basic {encoded}")));
    }
}
