//! [`BackgroundWork`]: work that outlives its requests, such as tasks.

use std::future::Future;
use std::pin::Pin;

/// Work that outlives its requests. A server that shuts down waits for it.
pub(crate) trait BackgroundWork: Send + Sync {
    /// Resolves when the work has ended, or was handed over to other processes, after a shutdown began.
    fn ended(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}
