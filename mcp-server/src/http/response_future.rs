//! [`HttpFuture`]: a response of the service that is to come.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::{Response, Version};

use super::activity::InFlightRequest;
use super::body::HttpBody;

/// The response of an [`HttpService`](super::HttpService) that is to come.
#[must_use = "a future does nothing until it is polled"]
pub struct HttpFuture {
    responding: Pin<Box<dyn Future<Output = Response<HttpBody>> + Send>>,
    is_http2: bool,
    request: Option<InFlightRequest>,
    /// Whether other tasks run first.
    yields: bool,
}

impl HttpFuture {
    /// The response to a request of a version of HTTP.
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

    /// Lets other tasks run before the request is handled.
    pub(super) fn yield_first(mut self) -> Self {
        self.yields = true;
        self
    }

    /// Keeps a connection busy until the response has left.
    pub(super) fn keep_busy(mut self, request: InFlightRequest) -> Self {
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
