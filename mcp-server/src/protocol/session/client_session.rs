//! [`ClientSession`]: the session of a client, for what a program keeps for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::util::signal::CancelSignal;

/// The session of a client of a revision up to 2025-11-25, for what a program keeps for it. A clone
/// is the same session, and does not keep it open.
#[derive(Clone)]
pub struct ClientSession {
    key: Arc<str>,
    ended: Arc<CancelSignal>,
}

impl ClientSession {
    /// Returns what distinguishes the session from others of this server: the session's id over
    /// HTTP, which is a secret of the client, and a number of this process over byte streams.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Waits until the session has ended. If processes share sessions, this is also the moment at
    /// which this process forgets the session.
    pub async fn ended(&self) {
        self.ended.wait().await;
    }

    /// Returns `true` if the session has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.ended.is_set()
    }
}

impl std::fmt::Debug for ClientSession {
    /// Does not show the key, by which a client is recognised.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientSession")
            .field("has_ended", &self.has_ended())
            .finish_non_exhaustive()
    }
}

/// The part of a session that ends it, at the latest when it is dropped.
pub(crate) struct SessionEnd(pub(crate) ClientSession);

impl SessionEnd {
    pub(crate) fn new(id: Option<&str>) -> Self {
        static CONNECTIONS: AtomicU64 = AtomicU64::new(0);

        let key = match id {
            Some(id) => id.into(),
            None => format!("connection {}", CONNECTIONS.fetch_add(1, Ordering::Relaxed)).into(),
        };
        Self(ClientSession {
            key,
            ended: Arc::default(),
        })
    }

    /// Ends the session.
    pub(crate) fn now(&self) {
        self.0.ended.set();
    }
}

impl Drop for SessionEnd {
    fn drop(&mut self) {
        self.now();
    }
}
