//! [`CancelSignal`]: a flag that can be waited for.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// A flag that is set once and wakes the tasks that wait for it, with the reason if there is one.
#[derive(Default)]
pub(crate) struct CancelSignal {
    is_set: AtomicBool,
    waiters: Notify,
    reason: OnceLock<Box<str>>,
}

impl CancelSignal {
    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::Release);
        self.waiters.notify_waiters();
    }

    /// Stores why the flag will be set. Only the first reason counts.
    pub(crate) fn set_reason(&self, reason: Option<&str>) {
        if let Some(reason) = reason {
            self.reason.get_or_init(|| reason.into());
        }
    }

    pub(crate) fn reason(&self) -> Option<&str> {
        self.reason.get().map(|reason| &**reason)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Acquire)
    }

    /// Waits until the flag is set.
    pub(crate) async fn wait(&self) {
        let notified = self.waiters.notified();
        tokio::pin!(notified);
        // Registered before the flag is read, so that no notification is missed in between.
        notified.as_mut().enable();
        if !self.is_set() {
            notified.await;
        }
    }
}
