//! [`WatchedBody`]: the body of a request. It notices when the client disconnects before all of it has
//! arrived.

use std::error::Error as _;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use crate::transport::http::activity::Activity;

/// The body of a request at one of our own sockets.
///
/// A client that closes its HTTP/1.1 connection in the middle of a body does not wait for a
/// response. This body then marks the connection as disconnected and stays pending, and the task
/// that serves the connection closes it. No response is written: when thousands of clients
/// disconnect at once, writing one to each of them would delay the requests of other clients.
pub(crate) struct WatchedBody {
    incoming: Incoming,
    activity: Arc<Activity>,
    has_ended: bool,
}

impl WatchedBody {
    pub(crate) fn new(incoming: Incoming, activity: &Arc<Activity>) -> Self {
        Self {
            incoming,
            activity: Arc::clone(activity),
            has_ended: false,
        }
    }
}

impl Body for WatchedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.incoming).poll_frame(task));
        if let Some(Err(error)) = &frame
            && is_disconnection(error)
        {
            self.activity.set_disconnected();
            return Poll::Pending;
        }
        self.has_ended = frame.is_none();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl Drop for WatchedBody {
    fn drop(&mut self) {
        if !self.has_ended && !self.incoming.is_end_stream() {
            self.activity.set_unread_body();
        }
    }
}

/// Returns `true` if a body is incomplete because its connection was closed. HTTP/2 has other
/// errors for its streams.
fn is_disconnection(error: &hyper::Error) -> bool {
    let cause = error.source();
    let cause = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| {
        matches!(
            cause.kind(),
            ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted
        )
    })
}
