//! [`OpenConnection`]: counts a connection while it is open.

use std::sync::Arc;

use crate::protocol::core::Core;

/// Counts a connection as open until this is dropped.
pub(crate) struct OpenConnection(Arc<Core>);

impl OpenConnection {
    pub(crate) fn new(core: &Arc<Core>) -> Self {
        core.counters.connection_opened();
        Self(Arc::clone(core))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.counters.connection_closed();
    }
}
