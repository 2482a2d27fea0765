//! [`Net`]: requests to a provider.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use http::{HeaderMap, Method, StatusCode};
use mcp_fetch::{FetchPolicy, FetchRequest, Origin, UrlFault};
use mcp_types::json::{self, Value};
use tokio::time::timeout;
use zeroize::Zeroizing;

use crate::provider::error::ProviderError;
use crate::secret::Secret;

/// The maximum size of a response, in bytes.
const RESPONSE_BYTES: u64 = 512 << 10;

/// Sends requests to a provider, without following redirects.
pub(crate) struct Net {
    policy: FetchPolicy,
    /// Whether the provider is on this machine.
    is_local: bool,
    /// The maximum time of all requests for one step of a login.
    pub(crate) time: Duration,
}

impl Net {
    /// Creates the client for a provider, which the program names by a URL. Its other URLs may have a
    /// private address only if this one has, and may use `http` only on this machine.
    pub(crate) fn new(
        policy: &FetchPolicy,
        provider: &str,
        time: Duration,
    ) -> Result<Self, UrlFault> {
        let origin = Origin::parse(provider)?;
        let net = Self {
            policy: policy.clone().size(RESPONSE_BYTES).around(&origin),
            is_local: origin.is_loopback(),
            time,
        };
        net.check(&origin)?;
        Ok(net)
    }

    fn check(&self, origin: &Origin) -> Result<(), UrlFault> {
        if origin.secure || self.is_local && origin.is_loopback() {
            return Ok(());
        }
        Err(UrlFault::Scheme("http".to_owned()))
    }

    /// Checks a URL to which a browser is sent.
    pub(crate) fn check_for_browser(&self, url: &str) -> Result<(), ProviderError> {
        let origin = Origin::parse(url).and_then(|origin| self.check(&origin));
        origin.map_err(ProviderError::Url)
    }

    /// Limits the time of a step of a login.
    pub(crate) async fn in_time<T>(
        &self,
        requests: impl Future<Output = Result<T, ProviderError>>,
    ) -> Result<T, ProviderError> {
        // Boxed, because the requests have large states.
        let done = timeout(self.time, Box::pin(requests)).await;
        done.unwrap_or(Err(ProviderError::Timeout(self.time)))
    }

    /// Requests a document, on behalf of a user if there is a token.
    pub(crate) async fn get(
        &self,
        what: &'static str,
        url: &str,
        token: Option<&Secret>,
    ) -> Result<Value, ProviderError> {
        let mut headers = HeaderMap::new();
        if let Some(token) = token {
            let value = Zeroizing::new(format!("Bearer {}", token.expose()));
            headers.insert(AUTHORIZATION, sensitive(&value)?);
        }
        let sent = self.send(Method::GET, url, headers, Bytes::new());
        match sent.await? {
            (StatusCode::OK, document) => document.ok_or(ProviderError::Json(what)),
            (status, _) => Err(ProviderError::Status(what, status)),
        }
    }

    /// Sends a form, with the credentials of `Basic` if there are any.
    pub(crate) async fn post(
        &self,
        url: &str,
        basic: Option<&str>,
        form: &str,
    ) -> Result<(StatusCode, Option<Value>), ProviderError> {
        let mut headers = HeaderMap::new();
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert(CONTENT_TYPE, kind);
        if let Some(basic) = basic {
            headers.insert(AUTHORIZATION, sensitive(basic)?);
        }
        let body = Bytes::copy_from_slice(form.as_bytes());
        self.send(Method::POST, url, headers, body).await
    }

    /// Returns the status and the body, if it is JSON.
    async fn send(
        &self,
        method: Method,
        url: &str,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<(StatusCode, Option<Value>), ProviderError> {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        // The API of GitHub requires it.
        headers.insert(USER_AGENT, HeaderValue::from_static("mcp-login"));
        let request = FetchRequest::new(&self.policy, method, url);
        let mut response = request.headers(headers).body(body).send().await?;
        response.check_encoding()?;
        let body = Zeroizing::new(response.body.read_all().await?);
        Ok((response.status, json::from_slice(&body).ok()))
    }
}

fn sensitive(value: &str) -> Result<HeaderValue, ProviderError> {
    let invalid = |_| ProviderError::User("a token or a secret cannot be sent in a header");
    let mut value = HeaderValue::try_from(value).map_err(invalid)?;
    value.set_sensitive(true);
    Ok(value)
}
