//! Warns about shared stores in processes that have random keys.

use super::config::HttpConfig;
use crate::protocol::core::Core;
use std::sync::Arc;

impl HttpConfig {
    /// Warns if the program set a store, which is usually shared by several processes, but no keys.
    /// If the server has a bus, it has warned already.
    pub(crate) fn warn_of_random_keys(&self, server: &Arc<Core>) {
        let shared = self.sessions.is_some() || self.events.is_some();
        if shared && server.random_keys && server.bus.is_none() {
            tracing::warn!(
                "the stores of `HttpConfig` may be shared by several processes, but this process has \
                 random keys, so that other processes reject its request state and cursors: set \
                 the same `ServerBuilder::keys` in all processes"
            );
        }
    }
}
