//! [`HttpFuture`]: the future that [`HttpService`](crate::HttpService) returns.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::{Response, Version};

use crate::transport::http::activity::InFlightRequest;
use crate::transport::http::response::body::HttpBody;

/// The future that an [`HttpService`](crate::HttpService) returns for a request.
#[must_use = "a future does nothing until it is polled"]
pub struct HttpFuture {
    responding: Pin<Box<dyn Future<Output = Response<HttpBody>> + Send>>,
    is_http2: bool,
    request: Option<InFlightRequest>,
    /// Whether to yield to other tasks before the request is handled.
    yields: bool,
}

impl HttpFuture {
    /// Creates the future for a request of a version of HTTP.
    pub(crate) fn new(
        version: Version,
        responding: impl Future<Output = Response<HttpBody>> + Send + 'static,
    ) -> Self {
        Self {
            responding: Box::pin(responding),
            is_http2: version == Version::HTTP_2,
            request: None,
            yields: false,
        }
    }

    /// Yields to other tasks before the request is handled.
    pub(crate) fn yield_first(mut self) -> Self {
        self.yields = true;
        self
    }

    /// Marks the connection as busy until the response was sent.
    pub(crate) fn keep_busy(mut self, request: InFlightRequest) -> Self {
        self.request = Some(request);
        self
    }
}

impl Future for HttpFuture {
    type Output = Result<Response<HttpBody>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        if std::mem::take(&mut self.yields) {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        let mut response = ready!(self.responding.as_mut().poll(task));
        let body = response.body_mut();
        if let Some(request) = self.request.take() {
            body.keep_busy(request);
        }
        if self.is_http2 {
            body.set_http2();
        }
        Poll::Ready(Ok(response))
    }
}
