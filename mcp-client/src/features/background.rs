//! [`BackgroundRequests`]: requests that outlive what sends them.

use std::sync::{Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::task::JoinSet;

/// Requests that are sent when something is dropped, such as the cancellation of a task. Each has a
/// timeout.
#[derive(Default)]
pub(crate) struct BackgroundRequests(Mutex<JoinSet<()>>);

impl BackgroundRequests {
    /// Sends a request in the background. Outside of a runtime, nothing is sent.
    pub(crate) fn spawn(&self, request: impl Future<Output = ()> + Send + 'static) {
        if let Ok(runtime) = Handle::try_current() {
            let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            while requests.try_join_next().is_some() {}
            requests.spawn_on(request, &runtime);
        }
    }

    /// Waits until the requests are answered, or their time is over.
    pub(crate) async fn join(&self) {
        let mut requests = {
            let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *requests)
        };
        while requests.join_next().await.is_some() {}
    }
}
