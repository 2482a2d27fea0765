//! [`Net`]: requests to a provider.

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use http::{HeaderMap, Method, StatusCode};
use mcp_fetch::{FetchPolicy, FetchRequest, Origin, UrlFault};
use mcp_types::json::{self, Value};
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
}

/// A response in JSON.
pub(crate) struct JsonResponse {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
}

impl Net {
    /// Creates the client for a provider, which the program names by a URL. Its other URLs may have a
    /// private address only if this one has, and may use `http` only on this machine.
    pub(crate) fn new(policy: &FetchPolicy, provider: &str) -> Result<Self, UrlFault> {
        let origin = Origin::parse(provider)?;
        let is_local = origin.is_loopback();
        if !origin.secure && !is_local {
            return Err(UrlFault::Scheme("http".to_owned()));
        }
        Ok(Self {
            policy: policy.clone().size(RESPONSE_BYTES).around(&origin),
            is_local,
        })
    }

    /// Checks a URL to which a browser is sent.
    pub(crate) fn check_for_browser(&self, url: &str) -> Result<(), ProviderError> {
        let origin = Origin::parse(url).map_err(ProviderError::Url)?;
        if origin.secure || self.is_local && origin.is_loopback() {
            return Ok(());
        }
        Err(ProviderError::Url(UrlFault::Scheme("http".to_owned())))
    }

    /// Requests a document, on behalf of a user if there is a token.
    pub(crate) async fn get(
        &self,
        what: &'static str,
        url: &str,
        token: Option<&Secret>,
    ) -> Result<JsonResponse, ProviderError> {
        let mut headers = HeaderMap::new();
        if let Some(token) = token {
            let value = Zeroizing::new(format!("Bearer {}", token.expose()));
            headers.insert(AUTHORIZATION, sensitive(&value)?);
        }
        self.send(what, Method::GET, url, headers, Bytes::new())
            .await
    }

    /// Sends a form, with the credentials of `Basic` if there are any.
    pub(crate) async fn post(
        &self,
        what: &'static str,
        url: &str,
        basic: Option<&str>,
        form: &Zeroizing<String>,
    ) -> Result<JsonResponse, ProviderError> {
        let mut headers = HeaderMap::new();
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert(CONTENT_TYPE, kind);
        if let Some(basic) = basic {
            headers.insert(AUTHORIZATION, sensitive(basic)?);
        }
        let body = Bytes::copy_from_slice(form.as_bytes());
        self.send(what, Method::POST, url, headers, body).await
    }

    async fn send(
        &self,
        what: &'static str,
        method: Method,
        url: &str,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<JsonResponse, ProviderError> {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        // The API of GitHub requires it.
        headers.insert(USER_AGENT, HeaderValue::from_static("mcp-login"));
        let request = FetchRequest::new(&self.policy, method, url);
        let mut response = request.headers(headers).body(body).send().await?;
        response.check_encoding()?;
        let status = response.status;
        let body = Zeroizing::new(response.body.read_all().await?);
        match json::from_slice(&body) {
            Ok(body) => Ok(JsonResponse { status, body }),
            Err(_) if status.is_success() => Err(ProviderError::Json(what)),
            Err(_) => Err(ProviderError::Status { what, status }),
        }
    }
}

impl JsonResponse {
    /// Returns the document of a successful response.
    pub(crate) fn document(self, what: &'static str) -> Result<Value, ProviderError> {
        if self.status == StatusCode::OK {
            return Ok(self.body);
        }
        let status = self.status;
        Err(ProviderError::Status { what, status })
    }
}

fn sensitive(value: &str) -> Result<HeaderValue, ProviderError> {
    let invalid = |_| ProviderError::User("a token or a secret cannot be sent in a header");
    let mut value = HeaderValue::try_from(value).map_err(invalid)?;
    value.set_sensitive(true);
    Ok(value)
}
