//! [`HttpFetch`]: how the server sends requests to authorization servers.

pub(crate) mod https_client;
pub(crate) mod issuer_metadata;
pub(crate) mod secure_url;

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::ACCEPT;
use http::{HeaderValue, Request, Response, StatusCode};
use mcp_types::json::{self, Object};
use tokio::time::timeout;

use crate::fetch::secure_url::SecureUrl;

/// The maximum time of a request to an authorization server.
pub(crate) const FETCH_TIME: Duration = Duration::from_secs(10);

/// Sends HTTP requests to authorization servers, for keys, metadata and introspection.
///
/// By default the server uses a client of its own, which trusts the certificates of the system. A
/// program implements the trait to use a proxy, other certificates, or a client that it has anyway.
///
/// The server itself bounds the time of a request and the size of a body, and accepts only status
/// 200. An implementation must not follow redirects.
pub trait HttpFetch: Send + Sync + 'static {
    /// Sends a request and reads the body of the response, of which at most `limit` bytes are of
    /// use: an implementation should stop reading there and fail.
    ///
    /// # Errors
    ///
    /// If there is no response, or a larger one.
    fn fetch(
        &self,
        request: Request<Bytes>,
        limit: usize,
    ) -> impl Future<Output = Result<Response<Bytes>, Box<dyn Error + Send + Sync>>> + Send;
}

type FetchResult = Result<Response<Bytes>, Box<dyn Error + Send + Sync>>;

/// An [`HttpFetch`] with its type erased.
trait AnyFetch: Send + Sync {
    fn fetch(
        &self,
        request: Request<Bytes>,
        limit: usize,
    ) -> Pin<Box<dyn Future<Output = FetchResult> + Send + '_>>;
}

impl<T: HttpFetch> AnyFetch for T {
    fn fetch(
        &self,
        request: Request<Bytes>,
        limit: usize,
    ) -> Pin<Box<dyn Future<Output = FetchResult> + Send + '_>> {
        Box::pin(HttpFetch::fetch(self, request, limit))
    }
}

/// Sends requests within limits. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Fetcher(Arc<dyn AnyFetch>);

/// Why an authorization server did not give what was asked for. The texts contain no secrets.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("{url}: no response within {} s", FETCH_TIME.as_secs())]
    Timeout { url: String },
    #[error("{url}: the request failed")]
    Failed {
        url: String,
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    #[error("{url}: expected status 200, found {status}")]
    Status { url: String, status: StatusCode },
    #[error("{url}: the body has {found} bytes: expected at most {limit}")]
    TooLarge {
        url: String,
        found: usize,
        limit: usize,
    },
    #[error("{url}: expected a JSON object")]
    Json {
        url: String,
        #[source]
        source: mcp_types::error::DecodeError,
    },
    #[error("{url}: {reason}")]
    Contents { url: String, reason: String },
}

impl FetchError {
    /// Returns `true` if the server has no document at this URL.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Status { status, .. } if status.is_client_error())
    }
}

impl Fetcher {
    pub(crate) fn new(fetch: impl HttpFetch) -> Self {
        Self(Arc::new(fetch))
    }

    /// GETs a JSON object.
    pub(crate) async fn get(&self, url: &SecureUrl, limit: usize) -> Result<Object, FetchError> {
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = url.uri().clone();
        self.send(url, request, limit).await
    }

    /// Sends a request whose response is a JSON object.
    pub(crate) async fn send(
        &self,
        url: &SecureUrl,
        mut request: Request<Bytes>,
        limit: usize,
    ) -> Result<Object, FetchError> {
        let named = || url.as_str().to_owned();
        let accept = HeaderValue::from_static("application/json");
        request.headers_mut().insert(ACCEPT, accept);
        let response = match timeout(FETCH_TIME, self.0.fetch(request, limit)).await {
            Ok(Ok(response)) => response,
            Ok(Err(source)) => {
                let url = named();
                return Err(FetchError::Failed { url, source });
            }
            Err(_) => return Err(FetchError::Timeout { url: named() }),
        };
        if response.status() != StatusCode::OK {
            return Err(FetchError::Status {
                url: named(),
                status: response.status(),
            });
        }
        let body = response.into_body();
        if body.len() > limit {
            return Err(FetchError::TooLarge {
                url: named(),
                found: body.len(),
                limit,
            });
        }
        let object = json::from_slice(&body);
        object.map_err(|source| FetchError::Json {
            url: named(),
            source,
        })
    }
}
