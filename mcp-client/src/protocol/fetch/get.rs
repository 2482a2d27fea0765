//! [`Get`]: a GET request over its own connection, without credentials.

use bytes::Bytes;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HOST, IF_RANGE, LOCATION, RANGE,
};
use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;

use super::dial::{TimeBudget, dial};
use super::error::{FetchError, RedirectFault};
use super::policy::FetchPolicy;
use crate::protocol::error::HttpError;
use crate::util::http_body::{Full, chunk};
use crate::util::origin::{Origin, UrlFault};
use crate::util::url::absolute;

/// A GET request.
pub(crate) struct Get<'a> {
    pub(crate) policy: &'a FetchPolicy,
    pub(crate) url: &'a str,
    /// The value of the header `Accept`.
    pub(crate) accept: &'a str,
    /// The first byte to request, and the entity tag of the content.
    pub(crate) rest: Option<(u64, &'a HeaderValue)>,
    /// Decides whether a redirect from one origin to another one is followed.
    pub(crate) follows: &'a (dyn Fn(&Origin, &Origin) -> bool + Send + Sync),
}

/// The response after all redirects, with any status.
pub(crate) struct FetchResponse {
    /// The URL after all redirects.
    #[cfg(feature = "https-url")]
    pub(crate) url: String,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
}

impl Get<'_> {
    pub(crate) async fn send(&self) -> Result<FetchResponse, FetchError> {
        self.send_within(TimeBudget::new(self.policy)).await
    }

    pub(crate) async fn send_within(
        &self,
        mut budget: TimeBudget,
    ) -> Result<FetchResponse, FetchError> {
        let mut url = self.url.to_owned();
        let mut redirects = 0;
        loop {
            let origin = Origin::secure(&url).map_err(FetchError::Url)?;
            let target: Uri = url
                .parse()
                .map_err(|_| FetchError::Url(UrlFault::Characters))?;
            let (response, connection) = self.exchange(&mut budget, &origin, &target).await?;
            let (head, incoming) = response.into_parts();
            let status = head.status;
            if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(FetchResponse {
                    #[cfg(feature = "https-url")]
                    url,
                    status,
                    headers: head.headers,
                    body: Body {
                        incoming,
                        budget,
                        received: self.rest.map_or(0, |(from, _)| from),
                        limit: self.policy.bytes,
                        _connection: connection,
                    },
                });
            }
            redirects += 1;
            let next = self.redirected(&head.headers, &origin, &target, redirects);
            url = next.map_err(|source| FetchError::Redirect { status, source })?;
        }
    }

    async fn exchange(
        &self,
        budget: &mut TimeBudget,
        origin: &Origin,
        target: &Uri,
    ) -> Result<(http::Response<Incoming>, ConnectionTask), FetchError> {
        let failed = |error: hyper::Error| HttpError::Exchange(error.into());
        let stream = budget.wait(dial(self.policy, origin)).await??;
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, driver) = handshake.map_err(failed)?;
        let connection = ConnectionTask(tokio::spawn(async move {
            if let Err(error) = driver.await {
                tracing::debug!(%error, "a connection to fetch a URL failed");
            }
        }));
        let request = self.request(target)?;
        let response = budget.wait(sender.send_request(request)).await?;
        Ok((response.map_err(failed)?, connection))
    }

    fn request(&self, target: &Uri) -> Result<Request<Full>, FetchError> {
        let invalid = |name: http::HeaderName| {
            let name = name.as_str().to_owned();
            FetchError::Http(HttpError::Header { name })
        };
        let path = target.path_and_query().map_or("/", |path| path.as_str());
        let mut request = Request::new(Full::new(Bytes::new()));
        *request.uri_mut() = path
            .parse()
            .map_err(|_| FetchError::Url(UrlFault::Characters))?;
        let host = target
            .authority()
            .map_or("", |authority| authority.as_str());
        let headers = request.headers_mut();
        headers.insert(
            HOST,
            HeaderValue::try_from(host).map_err(|_| invalid(HOST))?,
        );
        let accept = HeaderValue::try_from(self.accept).map_err(|_| invalid(ACCEPT))?;
        headers.insert(ACCEPT, accept);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Some((from, state)) = self.rest {
            let range = HeaderValue::try_from(format!("bytes={from}-"));
            headers.insert(RANGE, range.map_err(|_| invalid(RANGE))?);
            headers.insert(IF_RANGE, state.clone());
        }
        Ok(request)
    }

    fn redirected(
        &self,
        headers: &HeaderMap,
        from: &Origin,
        base: &Uri,
        redirects: usize,
    ) -> Result<String, RedirectFault> {
        if redirects > self.policy.redirects {
            return Err(RedirectFault::TooMany);
        }
        let location = headers.get(LOCATION).and_then(|text| text.to_str().ok());
        let location = location.ok_or(RedirectFault::Nowhere)?;
        let next = absolute(base, location).ok_or(RedirectFault::Nowhere)?;
        let to = Origin::secure(&next).map_err(RedirectFault::Url)?;
        if to != *from && !(self.follows)(from, &to) {
            let origin = to.to_string();
            return Err(RedirectFault::Elsewhere { origin });
        }
        Ok(next)
    }
}

/// The task that drives a connection. Dropping this aborts it.
struct ConnectionTask(JoinHandle<()>);

impl Drop for ConnectionTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The body of a response.
pub(crate) struct Body {
    incoming: Incoming,
    budget: TimeBudget,
    /// The number of received bytes, including those of earlier attempts.
    received: u64,
    limit: u64,
    _connection: ConnectionTask,
}

impl Body {
    /// Returns the total size of the content, if it is known.
    pub(crate) fn length(&self) -> Option<u64> {
        let rest = self.incoming.size_hint().exact()?;
        self.received.checked_add(rest)
    }

    #[cfg(feature = "https-url")]
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    #[cfg(feature = "https-url")]
    pub(crate) fn budget(&self) -> &TimeBudget {
        &self.budget
    }

    /// Returns the next bytes; `None` at the end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        if let Some(found) = self.length().filter(|found| *found > self.limit) {
            let limit = self.limit;
            return Err(FetchError::TooLarge { found, limit });
        }
        let bytes = self.budget.wait(chunk(&mut self.incoming)).await?;
        let Some(bytes) = bytes.map_err(HttpError::exchange)? else {
            return Ok(None);
        };
        let found = self.received.saturating_add(bytes.len() as u64);
        if found > self.limit {
            let limit = self.limit;
            return Err(FetchError::TooLarge { found, limit });
        }
        self.received = found;
        Ok(Some(bytes))
    }
}

/// Returns the header `Content-Type`; empty if it is absent.
pub(crate) fn content_type(headers: &HeaderMap) -> String {
    text(headers.get(CONTENT_TYPE))
}

/// Fails if the content is encoded.
pub(crate) fn check_encoding(headers: &HeaderMap) -> Result<(), FetchError> {
    let encoding = text(headers.get(CONTENT_ENCODING));
    if encoding.is_empty() || encoding.eq_ignore_ascii_case("identity") {
        Ok(())
    } else {
        Err(FetchError::Encoding(encoding))
    }
}

/// The maximum number of bytes of a header, or of characters of a media type, in an error.
pub(crate) const SHOWN: usize = 200;

fn text(value: Option<&HeaderValue>) -> String {
    let value = value.map_or(&[][..], HeaderValue::as_bytes);
    let value = value.get(..SHOWN).unwrap_or(value);
    String::from_utf8_lossy(value).trim().to_owned()
}
