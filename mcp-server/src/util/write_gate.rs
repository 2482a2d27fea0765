//! [`WriteGate`]: lets the end of a session wait for writes to its stores, and prevents later ones.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// The bit that is set when no more writes may begin. The other bits count the writes in progress.
const CLOSED: usize = 1 << (usize::BITS - 1);

/// The writes of one session to the session store and the event store.
///
/// A session is removed from its stores when the last write has finished. Without this, a request
/// that runs while the session ends would write its record or a stream again, and nothing would
/// ever remove them.
#[derive(Default)]
pub(crate) struct WriteGate {
    state: AtomicUsize,
    idle: Notify,
}

impl WriteGate {
    /// Begins a write, which lasts until the guard is dropped. Returns `None` once the session has
    /// ended.
    pub(crate) fn begin(&self) -> Option<Writing<'_>> {
        let before = self.state.fetch_add(1, Ordering::AcqRel);
        let writing = Writing(self);
        (before & CLOSED == 0).then_some(writing)
    }

    /// Prevents further writes.
    pub(crate) fn close(&self) {
        self.state.fetch_or(CLOSED, Ordering::AcqRel);
    }

    /// Waits until the gate is closed and no write is in progress.
    pub(crate) async fn closed(&self) {
        loop {
            let idle = self.idle.notified();
            tokio::pin!(idle);
            // Enabled before the state is read, so that no notification is missed in between.
            idle.as_mut().enable();
            if self.state.load(Ordering::Acquire) == CLOSED {
                return;
            }
            idle.await;
        }
    }
}

/// A write in progress.
pub(crate) struct Writing<'a>(&'a WriteGate);

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        let before = self.0.state.fetch_sub(1, Ordering::AcqRel);
        if before == CLOSED + 1 {
            self.0.idle.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn closing_waits_for_writes_in_progress_and_rejects_new_ones() {
        let writes = WriteGate::default();
        let (first, second) = (writes.begin(), writes.begin());
        assert!(first.is_some() && second.is_some());
        let mut closed = Box::pin(writes.closed());
        let mut task = Context::from_waker(Waker::noop());
        let mut poll = || closed.as_mut().poll(&mut task);
        assert_eq!(poll(), Poll::Pending);
        writes.close();
        assert!(writes.begin().is_none());
        assert_eq!(poll(), Poll::Pending);
        drop(first);
        assert_eq!(poll(), Poll::Pending);
        drop(second);
        assert_eq!(poll(), Poll::Ready(()));
        assert!(writes.begin().is_none());
    }
}
