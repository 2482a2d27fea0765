//! [`Net`]: requests to a provider.

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use http::{Method, StatusCode};
use mcp_fetch::{FetchPolicy, FetchRequest, Origin, UrlFault};
use mcp_oauth::Secret;
use mcp_types::json::{self, Value};
use tokio::time::timeout;
use zeroize::Zeroizing;

use crate::provider::error::ProviderError;

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
        let bearer = token.map(|token| Zeroizing::new(format!("Bearer {}", token.expose())));
        match self.send(url, bearer, None).await? {
            (StatusCode::OK, document) => document.ok_or(ProviderError::Json(what)),
            (status, _) => Err(ProviderError::Status(what, status)),
        }
    }

    /// Sends a request, with a form if there is one. Returns the status, and the body if it is JSON.
    pub(crate) async fn send(
        &self,
        url: &str,
        authorization: Option<Zeroizing<String>>,
        form: Option<&str>,
    ) -> Result<(StatusCode, Option<Value>), ProviderError> {
        let mut request = FetchRequest::get(&self.policy, url);
        if let Some(form) = form {
            let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
            request = FetchRequest::new(&self.policy, Method::POST, url)
                .header(CONTENT_TYPE, kind)
                .body(Bytes::copy_from_slice(form.as_bytes()));
        }
        if let Some(text) = authorization {
            let invalid = |_| ProviderError::User("a token or a secret cannot be sent in a header");
            let mut value = HeaderValue::try_from(text.as_str()).map_err(invalid)?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        // The API of GitHub requires `User-Agent`.
        let request = request
            .header(ACCEPT, HeaderValue::from_static("application/json"))
            .header(USER_AGENT, HeaderValue::from_static("mcp-login"));
        let mut response = request.send().await?;
        response.check_encoding()?;
        let body = Zeroizing::new(response.body.read_all().await?);
        Ok((response.status, json::from_slice(&body).ok()))
    }
}
