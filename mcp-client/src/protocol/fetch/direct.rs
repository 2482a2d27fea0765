//! [`Direct`]: a request with a body and headers, of which redirects are not followed.

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri};

use super::dial::TimeBudget;
use super::error::FetchError;
use super::exchange::Exchange;
use super::get::Body;
use super::policy::FetchPolicy;
use crate::util::origin::UrlFault;

/// A request that may contain secrets, so redirects are not followed.
pub(crate) struct Direct<'a> {
    pub(crate) policy: &'a FetchPolicy,
    pub(crate) method: Method,
    pub(crate) url: &'a str,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Direct<'_> {
    /// Sends the request, and reads the whole response.
    pub(crate) async fn send(self) -> Result<(StatusCode, HeaderMap, Vec<u8>), FetchError> {
        let (status, headers, mut body) = self.exchange().await?;
        Ok((status, headers, body.read_all().await?))
    }

    /// Sends the request, and ends the connection after the head of the response.
    pub(crate) async fn send_for_head(self) -> Result<(StatusCode, HeaderMap), FetchError> {
        let (status, headers, _) = self.exchange().await?;
        Ok((status, headers))
    }

    async fn exchange(self) -> Result<(StatusCode, HeaderMap, Body), FetchError> {
        let mut budget = TimeBudget::new(self.policy);
        let origin = self.policy.origin(self.url).map_err(FetchError::Url)?;
        let target: Uri = self
            .url
            .parse()
            .map_err(|_| FetchError::Url(UrlFault::Characters))?;
        let exchange = Exchange {
            policy: self.policy,
            method: &self.method,
            origin: &origin,
            target: &target,
            headers: self.headers,
            body: self.body,
        };
        let (response, connection) = exchange.send(&mut budget).await?;
        let (head, incoming) = response.into_parts();
        let body = Body::new(incoming, budget, self.policy.bytes, connection);
        Ok((head.status, head.headers, body))
    }
}
