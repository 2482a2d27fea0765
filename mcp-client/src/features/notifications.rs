//! [`NotificationHandlers`]: the program's handlers for notifications.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{Notification, Revision};

use crate::protocol::connection::log_malformed;
use crate::protocol::lenient;

pub(crate) type NotificationHandler =
    dyn Fn(Revision, &str) -> Result<(), VersionError> + Send + Sync;

/// Handlers by method.
#[derive(Clone, Default)]
pub(crate) struct NotificationHandlers {
    handlers: HashMap<&'static str, Arc<NotificationHandler>>,
}

/// A handler with its type erased.
pub(crate) fn notification_handler<N>(
    handler: impl Fn(N::Params) + Send + Sync + 'static,
) -> Arc<NotificationHandler>
where
    N: Notification,
    N::Params: Versioned,
{
    Arc::new(move |revision: Revision, params: &str| {
        handler(lenient::decode(revision, params)?);
        Ok(())
    })
}

impl NotificationHandlers {
    /// Adds a handler, or replaces that of the method. Returns `false` if there was one.
    pub(crate) fn add(&mut self, method: &'static str, handler: Arc<NotificationHandler>) -> bool {
        self.handlers.insert(method, handler).is_none()
    }

    /// Calls the handler of a notification. Returns `false` if the method has no
    /// handler.
    pub(crate) fn handle(&self, revision: Revision, method: &str, params: &str) -> bool {
        let Some(handle) = self.handlers.get(method) else {
            return false;
        };
        if let Err(error) = handle(revision, params) {
            log_malformed(method, &error);
        }
        true
    }
}

impl std::fmt::Debug for NotificationHandlers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.handlers.keys()).finish()
    }
}
