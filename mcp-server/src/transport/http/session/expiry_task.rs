//! [`ExpiryTask`]: the task that ends expired sessions.

use std::sync::{Mutex, PoisonError};

use tokio::task::AbortHandle;

/// The task that ends expired sessions. It is aborted when the endpoint is dropped.
#[derive(Default)]
pub(crate) struct ExpiryTask(Mutex<Option<AbortHandle>>);

impl ExpiryTask {
    pub(crate) fn task(&self) -> std::sync::MutexGuard<'_, Option<AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ExpiryTask {
    fn drop(&mut self) {
        if let Some(task) = self.task().take() {
            task.abort();
        }
    }
}
