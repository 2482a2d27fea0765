//! Messages: the params of a request, its answer, and notifications to the peer.

pub(crate) mod params_view;
pub(crate) mod raw_object;

use std::future::Future;
use std::pin::Pin;

use mcp_types::revision::{VersionError, Versioned};
use mcp_types::rpc::ErrorObject;
use mcp_types::{RequestId, Revision, rpc};
use mcp_wire::WriteQueue;

use crate::protocol::error::handler_error::{HandlerError, bad_params};
use crate::protocol::error::rejection::Rejection;

pub(crate) use mcp_wire::TrySend;

/// Names of the methods that dispatch and transports treat in a special way.
pub(crate) mod methods {
    pub(crate) const INITIALIZE: &str = "initialize";
    pub(crate) const INITIALIZED: &str = "notifications/initialized";
    pub(crate) const PING: &str = "ping";
    pub(crate) const CANCELLED: &str = "notifications/cancelled";
    pub(crate) const LISTEN: &str = "subscriptions/listen";
}

/// Encodes a notification for a peer of `revision`.
pub(crate) fn notification<P: Versioned>(
    revision: Revision,
    method: &'static str,
    params: P,
) -> Result<Vec<u8>, HandlerError> {
    let mut message = Vec::with_capacity(256);
    rpc::write_notification_at(&mut message, method, params, revision).map_err(
        |error| match error {
            // An internal error, because the peer cannot correct it.
            VersionError::Encode(error) => error.into(),
            error => bad_params(method, &error),
        },
    )?;
    Ok(message)
}

/// A response message and what it means for a transport with status codes.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) message: Vec<u8>,
    pub(crate) refused: Option<Rejection>,
}

impl Answer {
    pub(crate) fn error(id: Option<&RequestId>, error: &ErrorObject, refused: Rejection) -> Self {
        Self {
            message: error_message(id, error),
            refused: Some(refused),
        }
    }
}

/// Writes the response with an error.
pub(crate) fn error_message(id: Option<&RequestId>, error: &ErrorObject) -> Vec<u8> {
    let mut message = Vec::with_capacity(128);
    if rpc::write_error(&mut message, id, error).is_err() {
        // Only data that is not JSON can fail. The error is useful without it.
        let plain = ErrorObject::new(error.code, error.message.clone());
        message.clear();
        let _ = rpc::write_error(&mut message, id, &plain);
    }
    message
}

/// An ordered, bounded queue of messages to the peer: one per connection over byte streams, one per
/// request over HTTP. Messages that are queued before the response to a request are sent before it.
pub(crate) trait MessageSink: Send + Sync {
    /// Queues a whole message, which contains no line break.
    fn try_send(&self, message: &[u8]) -> TrySend;

    /// Waits until the queue may accept a message, or the peer has disconnected. The default is for
    /// sinks that are never full.
    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }

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
}

impl MessageSink for WriteQueue {
    fn try_send(&self, message: &[u8]) -> TrySend {
        self.try_send(message)
    }

    fn ready(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.wait_capacity())
    }
}
