//! How sessions end: by DELETE, by expiry, to make room, or at another process.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::sleep;

use super::table::Sessions;
use crate::protocol::changes::BusMessage;
use crate::protocol::error_text::Chain;
use crate::transport::http::session::handle::SessionHandle;

/// The least time between two searches for sessions that have expired.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

impl Sessions {
    /// Ends a session at all processes.
    ///
    /// The stores are cleaned by a task of its own: a client that disconnects meanwhile, and with
    /// it the request that waits here, must not leave a half of the session behind.
    pub(crate) async fn end(self: &Arc<Self>, id: &str) {
        let entry = self.take(id);
        self.finish(id, entry, true).await;
    }

    /// As [`end`](Self::end), for a session that was taken out of the table already. The task is
    /// spawned before this is first polled.
    pub(crate) fn finish(
        self: &Arc<Self>,
        id: &str,
        entry: Option<Arc<SessionHandle>>,
        tell_others: bool,
    ) -> impl Future<Output = ()> + use<> {
        let clean = Arc::clone(self).clean(id.to_owned(), entry, tell_others);
        let task = tokio::spawn(clean);
        async move {
            // It can only fail with the runtime, or with a store that panics.
            if let Err(error) = task.await {
                tracing::error!(%error, "a session was not removed from its stores");
            }
        }
    }

    /// As [`finish`](Self::finish), for sessions that gave way.
    pub(crate) async fn finish_all(self: &Arc<Self>, gone: Vec<Arc<SessionHandle>>) {
        let finished: Vec<_> = gone
            .into_iter()
            .map(|entry| {
                let id = entry.id().to_owned();
                self.finish(&id, Some(entry), true)
            })
            .collect();
        for finished in finished {
            finished.await;
        }
    }

    /// Another process ended a session. What this process still wrote meanwhile is removed again.
    pub(crate) fn ended_elsewhere(self: &Arc<Self>, id: &str) {
        if let Some(entry) = self.take(id) {
            let runtime = entry.runtime().clone();
            let clean = Arc::clone(self).clean(id.to_owned(), Some(entry), false);
            runtime.spawn(clean);
        }
    }

    /// Drops the copy of a session that goes on at other processes.
    pub(crate) async fn forget(&self, id: &str) {
        if self.take(id).is_some() {
            self.forget_events(id).await;
        }
    }

    /// Removes the events of a copy, where they are of this process alone.
    pub(crate) async fn forget_events(&self, id: &str) {
        if self.events_are_local {
            self.remove_events(id).await;
        }
    }

    async fn clean(
        self: Arc<Self>,
        id: String,
        entry: Option<Arc<SessionHandle>>,
        tell_others: bool,
    ) {
        if let Some(entry) = entry {
            entry.session.writes.closed().await;
        }
        if let Some(store) = &self.store
            && let Err(error) = store.remove(&id).await
        {
            tracing::error!(error = %Chain(&error), "a session cannot be removed");
        }
        self.remove_events(&id).await;
        if tell_others && let Some(bus) = &self.server.bus {
            bus.publish(BusMessage::SessionEnded { session: id });
        }
    }

    async fn remove_events(&self, id: &str) {
        if let Err(error) = self.events.remove(id).await {
            tracing::error!(error = %Chain(&error), "events cannot be removed");
        }
    }

    /// Ends sessions as they expire, from now on and as long as there are any.
    pub(crate) fn watch(self: &Arc<Self>) {
        let mut watch = self.watch.task();
        if watch.is_none() {
            let task = tokio::spawn(watch_sessions(Arc::downgrade(self), self.pause()));
            *watch = Some(task.abort_handle());
        }
    }

    /// How long the search for sessions that have expired may wait.
    fn pause(&self) -> Duration {
        (self.idle_time / 8).max(LEAST_PAUSE)
    }

    /// Ends the sessions that have expired. Returns `false` where no session is left, and nothing
    /// watches any more.
    async fn sweep(self: &Arc<Self>) -> bool {
        for id in self.expired() {
            let is_copy = self.is_used_elsewhere(&id).await;
            let Some(entry) = self.take_expired(&id) else {
                continue;
            };
            if is_copy {
                self.forget_events(&id).await;
            } else {
                self.finish(&id, Some(entry), true).await;
            }
        }
        // A session that begins looks for the task when it is in the table.
        let mut watch = self.watch.task();
        let any = self.has_any();
        if !any {
            *watch = None;
        }
        any
    }
}

async fn watch_sessions(sessions: Weak<Sessions>, pause: Duration) {
    loop {
        sleep(pause).await;
        let Some(sessions) = sessions.upgrade() else {
            return;
        };
        if !sessions.sweep().await {
            return;
        }
    }
}
