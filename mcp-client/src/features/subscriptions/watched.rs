//! [`Watched`]: the resources to which a client has subscribed in a revision with sessions.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts the subscriptions to each resource.
#[derive(Default)]
pub(crate) struct Watched {
    counts: Mutex<HashMap<String, usize>>,
}

impl Watched {
    pub(super) fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
