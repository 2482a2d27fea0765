//! [`Farewells`]: last requests for what was dropped.

use std::future::Future;
use std::sync::{Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::task::JoinSet;

/// The last requests for what was dropped, which are sent in the background. Each has a timeout.
#[derive(Default)]
pub(crate) struct Farewells(Mutex<JoinSet<()>>);

impl Farewells {
    /// Sends a request in the background. Outside of a runtime, nothing is sent.
    pub(crate) fn say(&self, request: impl Future<Output = ()> + Send + 'static) {
        if let Ok(runtime) = Handle::try_current() {
            let mut sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            while sent.try_join_next().is_some() {}
            sent.spawn_on(request, &runtime);
        }
    }

    /// Waits until the requests are answered, or their time is over.
    pub(crate) async fn said(&self) {
        let mut sent = {
            let mut sent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *sent)
        };
        while sent.join_next().await.is_some() {}
    }
}
