//! Processes large contents on threads that may block.

use std::sync::Arc;

use crate::proposals::https_url::issue::Urls;
use crate::protocol::quota::permits::DownloadPermit;

/// Contents of up to this size in bytes are processed on the current thread, because passing them
/// to another thread costs more.
pub(crate) const SMALL: usize = 64 << 10;

/// Runs `work` on a thread that may block, and returns its result and the permit of the request.
/// Returns `None` if the runtime shuts down or the work panics.
///
/// The permit is held while the work runs, even if the client disconnects: otherwise clients that
/// connect and disconnect could queue any amount of work.
pub(crate) async fn offload<T: Send + 'static>(
    urls: &Urls,
    permit: DownloadPermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<(T, DownloadPermit)> {
    let thread = Arc::clone(&urls.threads).acquire_owned().await.ok()?;
    let work = tokio::task::spawn_blocking(move || {
        let result = work();
        drop(thread);
        (result, permit)
    });
    work.await.ok()
}
