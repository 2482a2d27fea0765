//! [`Get`]: a GET request over its own connection, without credentials.

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use http_body::Body as _;
use hyper::body::Incoming;

use super::dial::TimeBudget;
use super::error::{FetchError, RedirectFault};
use super::exchange::{ConnectionTask, Exchange};
use super::policy::FetchPolicy;
use crate::protocol::error::HttpError;
use crate::util::http_body::chunk;
use crate::util::origin::{Origin, UrlFault};
use crate::util::url::absolute;

/// A GET request.
pub(crate) struct Get<'a> {
    pub(crate) policy: &'a FetchPolicy,
    /// The URL. Sending the request replaces it by those of redirects.
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    /// Decides whether a redirect from one origin to another one is followed.
    pub(crate) follows: &'a (dyn Fn(&Origin, &Origin) -> bool + Send + Sync),
}

/// The response after all redirects, with any status.
pub(crate) struct FetchResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
}

impl Get<'_> {
    pub(crate) async fn send(&mut self) -> Result<FetchResponse, FetchError> {
        self.send_within(TimeBudget::new(self.policy)).await
    }

    pub(crate) async fn send_within(
        &mut self,
        mut budget: TimeBudget,
    ) -> Result<FetchResponse, FetchError> {
        let mut redirects = 0;
        loop {
            let origin = self.policy.origin(&self.url).map_err(FetchError::Url)?;
            let target = self.url.parse::<Uri>();
            let target = target.map_err(|_| FetchError::Url(UrlFault::Characters))?;
            let exchange = Exchange {
                policy: self.policy,
                method: &Method::GET,
                origin: &origin,
                target: &target,
                headers: self.headers.clone(),
                body: Bytes::new(),
            };
            let (response, connection) = exchange.send(&mut budget).await?;
            let (head, incoming) = response.into_parts();
            let status = head.status;
            if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(FetchResponse {
                    status,
                    headers: head.headers,
                    body: Body::new(incoming, budget, self.policy.bytes, connection),
                });
            }
            redirects += 1;
            let next = self.redirected(&head.headers, &origin, &target, redirects);
            self.url = next.map_err(|source| FetchError::Redirect { status, source })?;
        }
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
        let to = self.policy.origin(&next).map_err(RedirectFault::Url)?;
        if to != *from && !(self.follows)(from, &to) {
            let origin = to.to_string();
            return Err(RedirectFault::Elsewhere { origin });
        }
        Ok(next)
    }
}

/// The body of a response.
pub(crate) struct Body {
    incoming: Incoming,
    pub(crate) budget: TimeBudget,
    /// The number of received bytes, including those of earlier attempts.
    pub(crate) received: u64,
    limit: u64,
    _connection: ConnectionTask,
}

impl Body {
    pub(super) fn new(
        incoming: Incoming,
        budget: TimeBudget,
        limit: u64,
        connection: ConnectionTask,
    ) -> Self {
        Self {
            incoming,
            budget,
            received: 0,
            limit,
            _connection: connection,
        }
    }

    /// Returns the total size of the content, if it is known.
    pub(crate) fn length(&self) -> Option<u64> {
        let rest = self.incoming.size_hint().exact()?;
        self.received.checked_add(rest)
    }

    /// Returns all remaining bytes.
    pub(crate) async fn read_all(&mut self) -> Result<Vec<u8>, FetchError> {
        let mut content = Vec::new();
        while let Some(bytes) = self.chunk().await? {
            content.extend_from_slice(&bytes);
        }
        Ok(content)
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
