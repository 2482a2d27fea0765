//! What happens to the body of a request that the server answers before it has read all of it.
//!
//! If the server closed the connection at once, the system would reset it, because bytes of the
//! client are unread, and most clients would see a failure instead of the response. So a small body
//! is read and discarded before the response, and the connection stays usable. After a larger one,
//! the response says `Connection: close`, the server closes its own side only, and for a moment
//! discards what the client still sends.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::header::{CONNECTION, EXPECT};
use http::request::Parts;
use http::{HeaderValue, Response, Version};
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;
use tokio::time::sleep;

use crate::transport::http::response::body::HttpBody;

/// The maximum size of a body that is read before the response, in bytes.
const SMALL_BODY: u64 = 64 << 10;
/// The maximum time for reading it.
const SMALL_BODY_TIME: Duration = Duration::from_secs(1);

pin_project! {
    /// A body that can be polled after its end.
    pub(crate) struct FusedBody<B> {
        #[pin]
        body: B,
        has_ended: bool,
        version: Version,
        // Whether the client may send the body only after `100 Continue`, and not after an error.
        may_be_missing: bool,
    }
}

impl<B> FusedBody<B> {
    pub(crate) fn new(body: B, parts: &Parts) -> Self {
        Self {
            body,
            has_ended: false,
            version: parts.version,
            may_be_missing: parts.headers.contains_key(EXPECT),
        }
    }
}

impl<B: Body> Body for FusedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let this = self.project();
        if *this.has_ended {
            return Poll::Ready(None);
        }
        let frame = ready!(this.body.poll_frame(task));
        *this.has_ended = !matches!(frame, Some(Ok(_)));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.has_ended || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Discards the rest of a small body, and otherwise announces that the connection will be closed.
pub(crate) async fn discard<B: Body>(
    mut body: Pin<&mut FusedBody<B>>,
    response: &mut Response<HttpBody>,
) {
    let is_small = body
        .size_hint()
        .upper()
        .is_some_and(|size| size <= SMALL_BODY);
    if is_small && !body.may_be_missing {
        let rest = async {
            while let Some(Ok(_)) = poll_fn(|task| body.as_mut().poll_frame(task)).await {}
        };
        tokio::select! {
            biased;
            () = rest => {}
            () = sleep(SMALL_BODY_TIME) => {}
        }
    }
    // HTTP/2 ends the stream of the request, not the connection.
    if !body.is_end_stream() && body.version < Version::HTTP_2 {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
}
