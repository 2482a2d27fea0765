//! [`SharedConnection`]: keeps a connection open.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::state::Features;
use crate::protocol::connection::Connection;
use crate::protocol::error::CallError;
use crate::protocol::roundtrip::CallTimeout;

/// A connection with its features. The connection is shut down when the last clone is dropped.
///
/// Clients, calls and subscriptions hold one. Tasks that must not keep the connection open hold
/// its [parts](Self::parts) instead.
#[derive(Clone)]
pub(crate) struct SharedConnection {
    shared: Arc<ShutdownOnDrop>,
}

struct ShutdownOnDrop {
    connection: Arc<Connection>,
    features: Arc<Features>,
    deferred: Option<Arc<dyn Deferred>>,
}

impl Drop for ShutdownOnDrop {
    fn drop(&mut self) {
        self.features.server_requests.abort_all();
        self.connection.state.request_shutdown();
    }
}

impl SharedConnection {
    pub(crate) fn new(
        connection: Arc<Connection>,
        features: Arc<Features>,
        deferred: Option<Arc<dyn Deferred>>,
    ) -> Self {
        let shared = Arc::new(ShutdownOnDrop {
            connection,
            features,
            deferred,
        });
        Self { shared }
    }

    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.shared.connection
    }

    pub(crate) fn features(&self) -> &Arc<Features> {
        &self.shared.features
    }

    /// Returns what waits for results that the server only announces.
    pub(crate) fn deferred(&self) -> Option<&Arc<dyn Deferred>> {
        self.shared.deferred.as_ref()
    }

    /// Returns the connection and its features without keeping the connection open.
    pub(crate) fn parts(&self) -> (Arc<Connection>, Arc<Features>) {
        (Arc::clone(self.connection()), Arc::clone(self.features()))
    }
}

/// A request that was answered.
pub(crate) struct CallResponse<'a> {
    pub(crate) connection: &'a SharedConnection,
    pub(crate) method: &'static str,
    pub(crate) timeout: &'a CallTimeout,
    /// The result.
    pub(crate) text: &'a str,
}

/// The future of the final result of a request.
pub(crate) type LaterResult =
    Pin<Box<dyn Future<Output = Result<Box<RawValue>, CallError>> + Send>>;

/// Waits for results that a response only announces. Implemented in `extensions/`.
pub(crate) trait Deferred: std::fmt::Debug + Send + Sync {
    /// Returns the future of the final result if the response announces one. Dropping it ends the
    /// work on the server.
    fn later(&self, response: &CallResponse<'_>) -> Option<LaterResult>;
}
