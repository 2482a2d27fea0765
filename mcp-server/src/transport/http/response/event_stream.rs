//! [`Events`]: a response that sends the messages of a request as a stream of events.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_types::sse::write_comment;
use tokio::task::AbortHandle;
use tokio::time::Sleep;

use crate::transport::http::response::body::EventBytes;
use crate::transport::http::response::sse_queue::SseQueue;

/// Closes the queue of a handler's messages when the response is dropped.
pub(crate) struct ClosingQueue(pub(crate) Arc<SseQueue>);

impl Drop for ClosingQueue {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A stream of events. Dropping it cancels the request.
pub(crate) struct Events {
    pub(crate) queue: ClosingQueue,
    pub(crate) work: AbortHandle,
    /// The bytes that are sent next.
    pub(crate) ready: Vec<u8>,
    pub(crate) ended: bool,
    pub(crate) keep_alive: Duration,
    pub(crate) timer: Pin<Box<Sleep>>,
}

impl EventBytes for Events {
    fn has_ended(&self) -> bool {
        self.ended && self.ready.is_empty()
    }

    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        let mut ready = std::mem::take(&mut self.ready);
        if !self.ended {
            let (mut events, ended) = self.queue.0.poll(task.waker());
            ready.append(&mut events);
            self.ended = ended;
        }
        if ready.is_empty() {
            if self.ended {
                return Poll::Ready(None);
            }
            if self.timer.as_mut().poll(task).is_pending() {
                return Poll::Pending;
            }
            ready = comment();
        }
        let now = tokio::time::Instant::now();
        self.timer.as_mut().reset(now + self.keep_alive);
        Poll::Ready(Some(ready))
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// Encodes a comment, which keeps proxies from closing an idle connection.
pub(crate) fn comment() -> Vec<u8> {
    let mut text = Vec::new();
    write_comment(&mut text, "");
    text.push(b'\n');
    text
}
