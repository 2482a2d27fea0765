//! [`SharedConnection`]: keeps a connection open.

use std::sync::Arc;

use super::state::Features;
use crate::protocol::connection::Connection;

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
}

impl Drop for ShutdownOnDrop {
    fn drop(&mut self) {
        self.features.server_requests.abort_all();
        self.connection.state.request_shutdown();
    }
}

impl SharedConnection {
    pub(crate) fn new(connection: Arc<Connection>, features: Arc<Features>) -> Self {
        let shared = Arc::new(ShutdownOnDrop {
            connection,
            features,
        });
        Self { shared }
    }

    pub(crate) fn connection(&self) -> &Arc<Connection> {
        &self.shared.connection
    }

    pub(crate) fn features(&self) -> &Arc<Features> {
        &self.shared.features
    }

    /// Returns the connection and its features without keeping the connection open.
    pub(crate) fn parts(&self) -> (Arc<Connection>, Arc<Features>) {
        (Arc::clone(self.connection()), Arc::clone(self.features()))
    }
}
