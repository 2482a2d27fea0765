//! [`CancelSignal`]: a flag that can be waited for.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// A flag that is set once and wakes the tasks that wait for it.
#[derive(Default)]
pub(crate) struct CancelSignal {
    is_set: AtomicBool,
    waiters: Notify,
}

impl CancelSignal {
    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::Release);
        self.waiters.notify_waiters();
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
