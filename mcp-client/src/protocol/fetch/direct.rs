//! [`Direct`]: a request with a body and headers, of which redirects are not followed.

use bytes::Bytes;
use http::{HeaderMap, Method, Response, StatusCode};

use super::body::Body;
use super::dial::TimeBudget;
use super::error::FetchError;
use super::exchange::Exchange;
use super::policy::FetchPolicy;

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
        let (head, mut body) = self.exchange().await?.into_parts();
        Ok((head.status, head.headers, body.read_all().await?))
    }

    /// Sends the request, and ends the connection after the head of the response.
    pub(crate) async fn send_for_head(self) -> Result<(StatusCode, HeaderMap), FetchError> {
        let (head, _) = self.exchange().await?.into_parts();
        Ok((head.status, head.headers))
    }

    async fn exchange(self) -> Result<Response<Body>, FetchError> {
        let budget = TimeBudget::new(self.policy);
        let exchange = Exchange::new(self.policy, self.method, self.url, self.headers, self.body);
        exchange?.send(budget).await
    }
}
