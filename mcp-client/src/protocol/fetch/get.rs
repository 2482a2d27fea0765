//! [`Get`]: a GET request over its own connection, without credentials.

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderValue, Method, Response, Uri};

use super::body::Body;
use super::dial::TimeBudget;
use super::error::{FetchError, RedirectFault};
use super::exchange::Exchange;
use super::policy::FetchPolicy;
use crate::util::origin::Origin;
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

impl Get<'_> {
    /// Returns the response after all redirects, with any status.
    pub(crate) async fn send(&mut self) -> Result<Response<Body>, FetchError> {
        self.send_within(TimeBudget::new(self.policy)).await
    }

    pub(crate) async fn send_within(
        &mut self,
        mut budget: TimeBudget,
    ) -> Result<Response<Body>, FetchError> {
        let mut redirects = 0;
        loop {
            let headers = self.headers.clone();
            let exchange =
                Exchange::new(self.policy, Method::GET, &self.url, headers, Bytes::new())?;
            let (from, base) = (exchange.origin.clone(), exchange.target.clone());
            let response = exchange.send(budget).await?;
            let status = response.status();
            if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(response);
            }
            redirects += 1;
            let next = self.redirected(response.headers(), &from, &base, redirects);
            self.url = next.map_err(|source| FetchError::Redirect { status, source })?;
            budget = response.into_body().budget;
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
