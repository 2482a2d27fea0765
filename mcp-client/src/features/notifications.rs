//! [`Notifications`]: what hears of what servers say on their own.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{Notification, Revision};

use crate::protocol::connection::unreadable;
use crate::protocol::lenient;

type Hear = dyn Fn(Revision, &str) -> Result<(), VersionError> + Send + Sync;

/// Handlers by method.
#[derive(Clone, Default)]
pub(crate) struct Notifications {
    handlers: HashMap<&'static str, Arc<Hear>>,
}

impl Notifications {
    pub(crate) fn on<N>(&mut self, heard: impl Fn(N::Params) + Send + Sync + 'static)
    where
        N: Notification,
        N::Params: Versioned,
    {
        let hear = move |revision: Revision, params: &str| {
            heard(lenient::decode(revision, params)?);
            Ok(())
        };
        self.handlers.insert(N::METHOD, Arc::new(hear));
    }

    /// Hands a notification over; `false` where there is no handler.
    pub(crate) fn hear(&self, revision: Revision, method: &str, params: &str) -> bool {
        let Some(hear) = self.handlers.get(method) else {
            return false;
        };
        if let Err(error) = hear(revision, params) {
            unreadable(method, &error);
        }
        true
    }
}

impl std::fmt::Debug for Notifications {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.handlers.keys()).finish()
    }
}
