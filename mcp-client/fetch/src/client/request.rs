//! [`FetchRequest`]: a request to a host that is not trusted.

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HOST, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;

use super::body::{ConnectionTask, FetchBody};
use super::dial::{TimeBudget, dial};
use super::error::{FetchError, RedirectFault};
use super::policy::FetchPolicy;
use crate::origin::{Origin, UrlFault};
use crate::url;

/// The maximum number of bytes of a header in an error.
const SHOWN: usize = 200;

/// Decides whether a redirect from one origin to another one is followed.
type Follows<'a> = &'a (dyn Fn(&Origin, &Origin) -> bool + Send + Sync);

/// A request to a URL that is not trusted, over a connection of its own.
///
/// It contains only the headers and the body that the program sets, and `Host`. The response must
/// not be compressed. Redirects are followed only if the program [says so](Self::follow).
///
/// ```no_run
/// use mcp_fetch::{FetchError, FetchPolicy, FetchRequest};
///
/// # async fn run() -> Result<(), FetchError> {
/// let policy = FetchPolicy::new().size(1 << 20);
/// let request = FetchRequest::get(&policy, "https://example.com/metadata.json");
/// let mut response = request.follow(&|_, _| false).send().await?;
/// if response.status.is_success() {
///     let content = response.body.read_all().await?;
///     println!("{} bytes of {}", content.len(), response.content_type());
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a request does nothing until it is sent"]
pub struct FetchRequest<'a> {
    policy: &'a FetchPolicy,
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Bytes,
    follows: Option<Follows<'a>>,
    budget: TimeBudget,
    received: u64,
}

/// The response to a [`FetchRequest`], with any status.
#[non_exhaustive]
pub struct FetchResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The URL that answered: that of the request, or of the last redirect.
    pub url: String,
    /// The body, which has not been read.
    pub body: FetchBody,
}

impl<'a> FetchRequest<'a> {
    /// Creates a GET request.
    pub fn get(policy: &'a FetchPolicy, url: impl Into<String>) -> Self {
        Self::new(policy, Method::GET, url)
    }

    /// Creates a request with this method and an empty body.
    pub fn new(policy: &'a FetchPolicy, method: Method, url: impl Into<String>) -> Self {
        Self {
            policy,
            method,
            url: url.into(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            follows: None,
            budget: TimeBudget::new(policy),
            received: 0,
        }
    }

    /// Sets the headers. `Host` and `Accept-Encoding` are replaced.
    pub fn headers(mut self, headers: HeaderMap) -> Self {
        self.headers = headers;
        self
    }

    /// Sets one header.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Follows redirects within an origin, and those from one origin to another one for which the
    /// function returns `true`. The next request is the same one with another URL, so a request
    /// that has secrets must not follow any.
    pub fn follow(mut self, follows: Follows<'a>) -> Self {
        self.follows = Some(follows);
        self
    }

    /// Requests the rest of an interrupted transfer: the remaining time is that of the other body,
    /// and the bytes that it received count as received. The program sets the header `Range` and
    /// checks that the response is the rest.
    pub fn resume(mut self, interrupted: &FetchBody) -> Self {
        self.budget = interrupted.budget.clone();
        self.received = interrupted.received();
        self
    }

    /// Sends the request, and returns the first response that is not a followed redirect.
    ///
    /// # Errors
    ///
    /// Fails if the policy does not allow the URL or that of a redirect, if the host cannot be
    /// reached, or if the time is over. An error status is not an error.
    pub async fn send(mut self) -> Result<FetchResponse, FetchError> {
        let mut redirects = 0;
        loop {
            let origin = self.policy.origin(&self.url).map_err(FetchError::Url)?;
            let target: Uri = self.url.parse().map_err(|_| characters())?;
            let response = self.exchange(&origin, &target).await?;
            let Some(follows) = self.follows else {
                return Ok(response);
            };
            let status = response.status;
            if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(response);
            }
            redirects += 1;
            if redirects > self.policy.redirects {
                let source = RedirectFault::TooMany;
                return Err(FetchError::Redirect { status, source });
            }
            let next = self.redirected(&response.headers, &origin, &target, follows);
            self.url = next.map_err(|source| FetchError::Redirect { status, source })?;
            self.budget = response.body.budget;
        }
    }

    /// Sends the request to one URL.
    async fn exchange(&self, origin: &Origin, target: &Uri) -> Result<FetchResponse, FetchError> {
        let failed = |error: hyper::Error| FetchError::Exchange(error.into());
        let request = self.request(target)?;
        let mut budget = self.budget.clone();
        // Boxed, because connecting has large states, and is short compared with the transfer.
        let dialing = Box::pin(dial(self.policy, origin));
        let stream = budget.wait(dialing).await??;
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, driver) = handshake.map_err(failed)?;
        let connection = ConnectionTask(tokio::spawn(async move {
            if let Err(error) = driver.await {
                tracing::debug!(%error, "a connection to fetch a URL failed");
            }
        }));
        let response = budget.wait(sender.send_request(request)).await?;
        let (head, incoming) = response.map_err(failed)?.into_parts();
        let limit = self.policy.bytes;
        let body = FetchBody::new(incoming, budget, self.received, limit, connection);
        Ok(FetchResponse {
            status: head.status,
            headers: head.headers,
            url: self.url.clone(),
            body,
        })
    }

    fn request(&self, target: &Uri) -> Result<Request<Full<Bytes>>, FetchError> {
        let path = target.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::new(Full::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = path.parse().map_err(|_| characters())?;
        let host = target.authority();
        let host = host.map_or("", |authority| authority.as_str());
        let host = HeaderValue::try_from(host).map_err(|_| characters())?;
        let headers = request.headers_mut();
        headers.clone_from(&self.headers);
        headers.insert(HOST, host);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        Ok(request)
    }

    fn redirected(
        &self,
        headers: &HeaderMap,
        from: &Origin,
        base: &Uri,
        follows: Follows<'_>,
    ) -> Result<String, RedirectFault> {
        let location = headers.get(LOCATION).and_then(|text| text.to_str().ok());
        let location = location.ok_or(RedirectFault::Nowhere)?;
        let next = url::resolve(base, location).ok_or(RedirectFault::Nowhere)?;
        let to = self.policy.origin(&next).map_err(RedirectFault::Url)?;
        if to != *from && !follows(from, &to) {
            let origin = to.to_string();
            return Err(RedirectFault::Elsewhere { origin });
        }
        Ok(next)
    }
}

impl FetchResponse {
    /// Returns the beginning of the header `Content-Type`, at most 200 bytes; empty if it is absent.
    #[must_use]
    pub fn content_type(&self) -> String {
        text(self.headers.get(CONTENT_TYPE))
    }

    /// Checks that the content is not compressed.
    ///
    /// # Errors
    ///
    /// Returns [`FetchError::Encoding`] if there is another `Content-Encoding` than `identity`.
    pub fn check_encoding(&self) -> Result<(), FetchError> {
        let encoding = text(self.headers.get(CONTENT_ENCODING));
        if encoding.is_empty() || encoding.eq_ignore_ascii_case("identity") {
            Ok(())
        } else {
            Err(FetchError::Encoding(encoding))
        }
    }
}

fn characters() -> FetchError {
    FetchError::Url(UrlFault::Characters)
}

fn text(value: Option<&HeaderValue>) -> String {
    let value = value.map_or(&[][..], HeaderValue::as_bytes);
    let value = value.get(..SHOWN).unwrap_or(value);
    String::from_utf8_lossy(value).trim().to_owned()
}
