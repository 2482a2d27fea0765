//! Work on large contents, away from the threads that serve requests.

use std::sync::Arc;

use crate::protocol::quota::permits::DownloadPermit;

use crate::proposals::https_url::issue::Urls;

/// Contents up to this size are worked on at once: to hand them to another thread costs more.
pub(crate) const SMALL: usize = 64 << 10;

/// Runs `work` on a thread that may block, and gives its result and the place of the request
/// back; `None` where the runtime shuts down or the work panics.
///
/// The place stays taken while the work runs, also if the client is gone meanwhile: otherwise
/// clients that come and go could queue any amount of work.
pub(crate) async fn offload<T: Send + 'static>(
    urls: &Urls,
    place: DownloadPermit,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<(T, DownloadPermit)> {
    let turn = Arc::clone(&urls.threads).acquire_owned().await.ok()?;
    let work = tokio::task::spawn_blocking(move || {
        let result = work();
        drop(turn);
        (result, place)
    });
    work.await.ok()
}
