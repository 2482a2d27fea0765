//! [`SharedConnection`]: keeps a connection open.

#[cfg(feature = "tasks")]
use std::future::Future;
#[cfg(feature = "tasks")]
use std::pin::Pin;
use std::sync::Arc;

#[cfg(feature = "tasks")]
use serde_json::value::RawValue;

use super::state::Features;
use crate::protocol::connection::Connection;
#[cfg(feature = "tasks")]
use crate::protocol::error::CallError;
#[cfg(feature = "tasks")]
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
    #[cfg(feature = "tasks")]
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
        #[cfg(feature = "tasks")] deferred: Option<Arc<dyn Deferred>>,
    ) -> Self {
        let shared = Arc::new(ShutdownOnDrop {
            connection,
            features,
            #[cfg(feature = "tasks")]
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
    #[cfg(feature = "tasks")]
    pub(crate) fn deferred(&self) -> Option<&Arc<dyn Deferred>> {
        self.shared.deferred.as_ref()
    }

    /// Returns the connection and its features without keeping the connection open.
    pub(crate) fn parts(&self) -> (Arc<Connection>, Arc<Features>) {
        (Arc::clone(self.connection()), Arc::clone(self.features()))
    }
}

/// A request that was answered.
#[cfg(feature = "tasks")]
pub(crate) struct Answered<'a> {
    pub(crate) connection: &'a SharedConnection,
    pub(crate) method: &'static str,
    pub(crate) timeout: &'a CallTimeout,
    /// The result.
    pub(crate) text: &'a str,
}

/// The future of the final result of a request.
#[cfg(feature = "tasks")]
pub(crate) type LaterResult =
    Pin<Box<dyn Future<Output = Result<Box<RawValue>, CallError>> + Send>>;

/// Waits for results that a response only announces. Implemented in `extensions/`.
#[cfg(feature = "tasks")]
pub(crate) trait Deferred: std::fmt::Debug + Send + Sync {
    /// Returns the future of the final result if the response announces one. Dropping it ends the
    /// work on the server.
    fn later(&self, answered: &Answered<'_>) -> Option<LaterResult>;
}
