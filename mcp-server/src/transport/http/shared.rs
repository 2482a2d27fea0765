//! A warning about stores that processes share, while their keys differ.

use super::config::HttpConfig;
use crate::protocol::core::Core;
use std::sync::Arc;

impl HttpConfig {
    /// Warns if a store is meant for several processes, but each has random keys of its own. The
    /// server has warned already if it has a bus.
    pub(crate) fn warn_of_random_keys(&self, server: &Arc<Core>) {
        let inner = server;
        let shared = self.sessions.is_some() || self.events.is_some();
        if shared && inner.random_keys && inner.bus.is_none() {
            tracing::warn!(
                "the stores of `HttpConfig` are meant to be shared by processes, but this one has \
                 random keys: the others refuse its request state and cursors. Set \
                 `ServerBuilder::keys` to the same in all of them"
            );
        }
    }
}
