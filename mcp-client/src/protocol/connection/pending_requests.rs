//! [`PendingRequests`]: requests of the client that wait for a response.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_types::rpc::{EnvelopeError, ErrorObject};
use mcp_types::{ProgressNotificationParams, RequestId};
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::protocol::error::TransportError;

/// The response to a request.
#[derive(Debug)]
pub(crate) enum Reply {
    Result(Box<RawValue>),
    Error(ErrorObject),
    /// The message has the id of the request, but is malformed.
    Malformed(EnvelopeError),
}

/// A callback for reports of progress.
pub(crate) type OnProgress = Box<dyn Fn(ProgressNotificationParams) + Send + Sync>;

/// Passes reports of progress to a callback, and remembers the time of the last one.
pub(crate) struct Progress {
    callback: OnProgress,
    last: Mutex<Instant>,
}

impl Progress {
    pub(crate) fn new(callback: OnProgress) -> Arc<Self> {
        Arc::new(Self {
            callback,
            last: Mutex::new(Instant::now()),
        })
    }

    /// Returns the time of the last report.
    pub(crate) fn last(&self) -> Instant {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn report(&self, params: ProgressNotificationParams) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        (self.callback)(params);
    }
}

/// The requests of a connection that wait for a response, each with the callback for its progress.
pub(crate) type PendingRequests =
    mcp_wire::PendingRequests<Reply, Arc<TransportError>, Option<Arc<Progress>>>;

/// A registered request. Dropping this removes it from the table.
pub(crate) type PendingRequest =
    mcp_wire::PendingRequest<Reply, Arc<TransportError>, Option<Arc<Progress>>>;

/// Returns the number of an id of this client. Some servers and gateways turn it into text.
pub(crate) fn number(id: &RequestId) -> Option<i64> {
    match id {
        RequestId::Number(number) => Some(*number),
        RequestId::String(text) => text.parse().ok(),
    }
}
