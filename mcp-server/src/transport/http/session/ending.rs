//! Ends sessions: by DELETE, by expiry, by eviction, or because another process ended them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use mcp_types::peer_text::Chain;
use tokio::time::sleep;

use super::table::Sessions;
use crate::protocol::core::Core;
use crate::protocol::store::StoreError;
use crate::protocol::store::access::RECORD_INTERVAL;
use crate::protocol::store::message::BusMessage;
use crate::transport::http::session::handle::SessionHandle;

/// The minimum time between two searches for expired sessions.
const MIN_PAUSE: Duration = Duration::from_secs(1);

impl Sessions {
    /// Ends a session at all processes.
    ///
    /// A separate task removes the session from the stores, so that it completes even if the client
    /// disconnects and the request that waits here is dropped.
    ///
    /// If a store fails, the session has ended in this process only, and the caller may try again.
    pub(crate) async fn end(self: &Arc<Self>, id: &str) -> Result<(), StoreError> {
        let handle = self.remove(id);
        self.finish(id, handle, true).await
    }

    /// As [`end`](Self::end), for a session that was removed from the table already. The task is
    /// spawned at the call, not at the first poll.
    pub(crate) fn finish(
        self: &Arc<Self>,
        id: &str,
        handle: Option<Arc<SessionHandle>>,
        notify_others: bool,
    ) -> impl Future<Output = Result<(), StoreError>> + use<> {
        let clean = Arc::clone(self).clean(id.to_owned(), handle, notify_others);
        let task = tokio::spawn(clean);
        async move {
            // Fails only if the runtime shuts down or a store panics.
            let cleaned = task.await.map_err(StoreError::failed).and_then(|it| it);
            cleaned.inspect_err(|error| {
                tracing::error!(error = %Chain(error), "cannot remove a session from its store");
            })
        }
    }

    /// As [`finish`](Self::finish), for evicted sessions, unless other processes have copies.
    pub(crate) async fn finish_all(self: &Arc<Self>, evicted: Vec<Arc<SessionHandle>>) {
        let finished: Vec<_> = evicted
            .into_iter()
            .map(|handle| tokio::spawn(Arc::clone(self).clean_evicted(handle)))
            .collect();
        for finished in finished {
            // What remains in the stores expires.
            if let Ok(Err(error)) = finished.await {
                tracing::error!(error = %Chain(&error), "cannot remove a session from its store");
            }
        }
    }

    async fn clean_evicted(self: Arc<Self>, handle: Arc<SessionHandle>) -> Result<(), StoreError> {
        let id = handle.id().to_owned();
        if self.shared.is_copied(&id).await? {
            self.forget_events(&id).await;
            return Ok(());
        }
        self.clean(id, Some(handle), true).await
    }

    /// Ends the copy of a session that another process ended. Removes what this process may have
    /// written to the stores since.
    pub(crate) fn ended_elsewhere(self: &Arc<Self>, id: &str) {
        if let Some(handle) = self.remove(id) {
            let runtime = handle.runtime.clone();
            let clean = Arc::clone(self).clean(id.to_owned(), Some(handle), false);
            runtime.spawn(clean);
        }
    }

    /// Removes the local copy of a session that continues at other processes.
    pub(crate) async fn forget(&self, id: &str) {
        if self.remove(id).is_some() {
            self.forget_events(id).await;
        }
    }

    /// Removes the events of a local copy, if the event store belongs to this process alone.
    pub(crate) async fn forget_events(&self, id: &str) {
        if !self.server.stores.events_are_shared {
            self.remove_events(id).await;
        }
    }

    async fn clean(
        self: Arc<Self>,
        id: String,
        handle: Option<Arc<SessionHandle>>,
        notify_others: bool,
    ) -> Result<(), StoreError> {
        if let Some(handle) = handle {
            handle.session.writes.closed().await;
        }
        self.shared.remove(&id).await?;
        self.remove_events(&id).await;
        if notify_others && let Some(bus) = &self.server.stores.bus {
            let ended = BusMessage::SessionEnded { session: id };
            bus.publish(&ended).await?;
        }
        Ok(())
    }

    async fn remove_events(&self, id: &str) {
        if let Err(error) = self.server.stores.remove_events(id).await {
            tracing::error!(error = %Chain(&error), "cannot remove the events of a session");
        }
    }

    /// Starts the task that ends expired sessions, unless it is running. It runs while there are
    /// any.
    pub(crate) fn start_expiry_task(self: &Arc<Self>) {
        let mut task = self.expiry_task.task();
        if task.is_none() {
            let expiry = expire_sessions(Arc::downgrade(self), self.pause());
            let recording = record_running(Arc::downgrade(&self.server));
            let shared = self.shared.are_shared();
            let spawned = tokio::spawn(async move {
                if shared {
                    tokio::select! {
                        biased;
                        () = expiry => {}
                        () = recording => {}
                    }
                } else {
                    expiry.await;
                }
            });
            *task = Some(spawned.abort_handle());
        }
    }

    /// Returns the time between two searches for expired sessions.
    fn pause(&self) -> Duration {
        (self.idle_time / 8).max(MIN_PAUSE)
    }

    /// Ends expired sessions, and marks those in use. Returns `false` if no session is left, so that
    /// the task ends.
    async fn end_expired(self: &Arc<Self>) -> bool {
        if self.shared.are_shared() {
            for handle in self.busy() {
                // If the store fails, the others are marked next time.
                if !self.shared.renew(&handle).await {
                    break;
                }
            }
        }
        for id in self.expired() {
            let is_copy = match self.shared.is_used(&id).await {
                Ok(is_copy) => is_copy,
                Err(error) => {
                    tracing::warn!(error = %Chain(&error), "cannot tell whether a session expired");
                    continue;
                }
            };
            let Some(handle) = self.remove_expired(&id) else {
                continue;
            };
            if is_copy {
                self.forget_events(&id).await;
            } else {
                // Logged already. What remains in the stores expires.
                let _ = self.finish(&id, Some(handle), true).await;
            }
        }
        // A new session is added to the table before it checks for the task, so none is missed.
        let mut task = self.expiry_task.task();
        let any = self.has_any();
        if !any {
            *task = None;
        }
        any
    }
}

async fn expire_sessions(sessions: Weak<Sessions>, pause: Duration) {
    loop {
        sleep(pause).await;
        let Some(sessions) = sessions.upgrade() else {
            return;
        };
        if !sessions.end_expired().await {
            return;
        }
    }
}

/// Records that this process runs, as long as it has sessions. Never finishes.
async fn record_running(server: Weak<Core>) {
    while let Some(server) = server.upgrade() {
        let mut pause = RECORD_INTERVAL;
        if let Err(error) = server.stores.record_running().await {
            tracing::warn!(error = %Chain(&error), "cannot record that this process runs");
            pause = MIN_PAUSE;
        }
        drop(server);
        sleep(pause).await;
    }
}
