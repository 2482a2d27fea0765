//! Lifecycle of a connection, shared by the calls that use it and the task that drives it.

use tokio::sync::watch;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Connected,
    /// The server process exited and is being restarted. New calls wait.
    Reconnecting,
    /// The client asked to shut down. Calls in flight may still finish.
    Closing,
    Closed,
}

/// Tracks the phase of a connection and lets tasks wait for a change.
///
/// A connection alternates between `Connected` and `Reconnecting`, then moves to `Closing` and
/// `Closed`. It never goes back from `Closing`.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    phase: watch::Sender<Phase>,
}

impl ConnectionState {
    pub(crate) fn new() -> Self {
        let (phase, _) = watch::channel(Phase::Connected);
        Self { phase }
    }

    #[cfg(feature = "process")]
    pub(crate) fn set_reconnecting(&self) {
        self.transition(Phase::Reconnecting);
    }

    #[cfg(feature = "process")]
    pub(crate) fn set_connected(&self) {
        self.transition(Phase::Connected);
    }

    /// Requests an orderly shutdown. The task that drives the transport observes it with
    /// [`shutdown_requested`](Self::shutdown_requested).
    pub(crate) fn request_shutdown(&self) {
        self.transition(Phase::Closing);
    }

    /// Marks the connection as closed. Called when the task that drives the transport ends.
    pub(crate) fn set_closed(&self) {
        self.transition(Phase::Closed);
    }

    pub(crate) fn is_reconnecting(&self) -> bool {
        *self.phase.borrow() == Phase::Reconnecting
    }

    pub(crate) fn is_closed(&self) -> bool {
        *self.phase.borrow() >= Phase::Closing
    }

    /// Waits until the connection is not reconnecting any more.
    pub(crate) async fn wait_reconnected(&self) {
        if self.is_reconnecting() {
            self.wait_for(|phase| *phase != Phase::Reconnecting).await;
        }
    }

    /// Waits until a shutdown is requested or the connection is closed.
    pub(crate) async fn shutdown_requested(&self) {
        self.wait_for(|phase| *phase >= Phase::Closing).await;
    }

    /// Waits until the connection is closed.
    pub(crate) async fn wait_closed(&self) {
        self.wait_for(|phase| *phase == Phase::Closed).await;
    }

    fn transition(&self, next: Phase) {
        self.phase.send_if_modified(|phase| {
            // Once closing, only `Closed` may follow: a late reconnect must not reopen it.
            let allowed = *phase != next && (*phase < Phase::Closing || next > *phase);
            if allowed {
                *phase = next;
            }
            allowed
        });
    }

    async fn wait_for(&self, predicate: impl FnMut(&Phase) -> bool) {
        // `wait_for` fails only if the sender is dropped, and `self` owns it.
        let _ = self.phase.subscribe().wait_for(predicate).await;
    }
}
