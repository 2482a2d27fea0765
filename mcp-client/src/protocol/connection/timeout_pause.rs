//! [`TimeoutPause`]: the timeouts of calls do not run while a request is being authorized.

use std::future::pending;

use tokio::sync::watch;

/// Counts what the timeouts of a connection wait for. Clones share the count.
#[derive(Clone, Default)]
pub(crate) struct TimeoutPause {
    active: watch::Sender<usize>,
}

impl TimeoutPause {
    /// Pauses the timeouts until the guard is dropped.
    #[cfg(feature = "http")]
    pub(crate) fn begin(&self) -> PauseGuard<'_> {
        self.active.send_modify(|active| *active += 1);
        PauseGuard(self)
    }

    /// Waits until the timeouts pause.
    pub(in crate::protocol) async fn begun(&self) {
        self.wait(|active| active > 0).await;
    }

    /// Waits until the timeouts run.
    pub(in crate::protocol) async fn over(&self) {
        self.wait(|active| active == 0).await;
    }

    async fn wait(&self, is: impl Fn(usize) -> bool) {
        let mut active = self.active.subscribe();
        if active.wait_for(|active| is(*active)).await.is_err() {
            // Cannot happen, because `self` owns the sender.
            pending().await
        }
    }
}

#[cfg(feature = "http")]
pub(crate) struct PauseGuard<'a>(&'a TimeoutPause);

#[cfg(feature = "http")]
impl Drop for PauseGuard<'_> {
    fn drop(&mut self) {
        let active = &self.0.active;
        active.send_modify(|active| *active = active.saturating_sub(1));
    }
}
