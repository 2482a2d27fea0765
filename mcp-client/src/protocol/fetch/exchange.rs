//! [`Exchange`]: one request and the head of its response, over a connection of its own.

use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, HOST};
use http::{HeaderMap, HeaderValue, Method, Request, Response, Uri};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;

use super::body::{Body, ConnectionTask};
use super::dial::{TimeBudget, dial};
use super::error::FetchError;
use super::policy::FetchPolicy;
use crate::protocol::error::HttpError;
use crate::util::http_body::Full;
use crate::util::origin::{Origin, UrlFault};

/// A request to a host that is not trusted. Redirects are not followed.
pub(super) struct Exchange<'a> {
    policy: &'a FetchPolicy,
    method: Method,
    pub(super) origin: Origin,
    pub(super) target: Uri,
    headers: HeaderMap,
    body: Bytes,
}

impl<'a> Exchange<'a> {
    /// Prepares a request, if the policy allows the URL.
    pub(super) fn new(
        policy: &'a FetchPolicy,
        method: Method,
        url: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Self, FetchError> {
        Ok(Self {
            policy,
            method,
            origin: policy.origin(url).map_err(FetchError::Url)?,
            target: url
                .parse()
                .map_err(|_| FetchError::Url(UrlFault::Characters))?,
            headers,
            body,
        })
    }

    /// Sends the request. Returns the response, whose body is limited by the policy.
    pub(super) async fn send(self, mut budget: TimeBudget) -> Result<Response<Body>, FetchError> {
        let failed = |error: hyper::Error| HttpError::Exchange(error.into());
        // Boxed, because connecting has large states, and is short compared with the transfer.
        let dialing = Box::pin(dial(self.policy, &self.origin));
        let stream = budget.wait(dialing).await??;
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, driver) = handshake.map_err(failed)?;
        let connection = ConnectionTask(tokio::spawn(async move {
            if let Err(error) = driver.await {
                tracing::debug!(%error, "a connection to fetch a URL failed");
            }
        }));
        let limit = self.policy.bytes;
        let request = self.request()?;
        let response = budget.wait(sender.send_request(request)).await?;
        let response = response.map_err(failed)?;
        Ok(response.map(|incoming| Body::new(incoming, budget, limit, connection)))
    }

    fn request(self) -> Result<Request<Full>, FetchError> {
        let path = self
            .target
            .path_and_query()
            .map_or("/", |path| path.as_str());
        let mut request = Request::new(Full::new(self.body));
        *request.method_mut() = self.method;
        *request.uri_mut() = path
            .parse()
            .map_err(|_| FetchError::Url(UrlFault::Characters))?;
        let host = self.target.authority();
        let host = host.map_or("", |authority| authority.as_str());
        let host = HeaderValue::try_from(host);
        let host = host.map_err(|_| invalid_header(&HOST))?;
        let headers = request.headers_mut();
        *headers = self.headers;
        headers.insert(HOST, host);
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        Ok(request)
    }
}

fn invalid_header(name: &http::HeaderName) -> FetchError {
    let name = name.as_str().to_owned();
    FetchError::Http(HttpError::Header { name })
}
