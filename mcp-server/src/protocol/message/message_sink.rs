//! [`MessageSink`]: sends messages to the peer.

use std::future::Future;
use std::pin::Pin;

pub(crate) use mcp_wire::TrySend;
use mcp_wire::WriteQueue;

/// An ordered, bounded queue of messages to the peer: one per connection over byte streams, one per
/// request over HTTP. Messages that are queued before the response to a request are sent before it.
pub(crate) trait MessageSink: Send + Sync {
    /// Queues a whole message, which contains no line break.
    fn try_send(&self, message: &[u8]) -> TrySend;

    /// Waits until the queue may accept a message, or the peer has disconnected.
    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// Closes the connection if the peer can reconnect to receive the rest.
    fn detach(&self) {}

    /// Queues a message, and waits while the queue is full. Returns `false` if the peer has
    /// disconnected.
    fn send<'a>(&'a self, message: &'a [u8]) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        Box::pin(async move {
            loop {
                match self.try_send(message) {
                    TrySend::Queued => return true,
                    TrySend::Closed => return false,
                    TrySend::Full => self.ready().await,
                }
            }
        })
    }
}

/// A sink that is always closed.
pub(crate) struct ClosedSink;

impl MessageSink for ClosedSink {
    fn try_send(&self, _: &[u8]) -> TrySend {
        TrySend::Closed
    }

    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}

impl MessageSink for WriteQueue {
    fn try_send(&self, message: &[u8]) -> TrySend {
        self.try_send(message)
    }

    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.wait_capacity())
    }
}
