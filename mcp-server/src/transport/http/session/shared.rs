//! Sessions in the store that the processes of an endpoint share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_types::peer_text::Chain;
use tokio::time::{Instant, timeout};

use super::record::{self, Record, SessionDelta};
use crate::protocol::core::Core;
use crate::protocol::store::{Condition, KeyGroup, Put, PutOutcome, StoreError};
use crate::transport::http::session::handle::SessionHandle;
use crate::util::lock::lock;

/// How often a write is tried again because another process has written at the same time.
const ATTEMPTS: usize = 16;

/// The time after which a request goes on with the copy of its session.
const REFRESH_TIME: Duration = Duration::from_millis(500);
/// The time for which all requests go on with the copies after the store failed.
const REFRESH_PAUSE: Duration = Duration::from_secs(1);

/// The time of use that is stored may be older than the latest use by this part of the idle time.
const SAVES: u32 = 2;

/// The shortest time for which a session is stored.
const SHORTEST: Duration = Duration::from_secs(1);

/// Whether a new session was stored.
pub(crate) enum NewRecord {
    Written,
    /// The peer has as many sessions as it may have. This one expires first.
    PeerFull(Option<String>),
}

/// The sessions in the store. Does nothing if the processes do not share values.
#[derive(Clone)]
pub(crate) struct SharedSessions {
    server: Arc<Core>,
    idle_time: Duration,
    /// Until when the store is not asked whether copies are up to date, because it failed.
    asks_after: Arc<Mutex<Instant>>,
}

/// What the store says about the copy of a session.
pub(crate) enum Freshness {
    /// The copy is up to date, and some process used the session this long ago.
    Current(Duration),
    /// The session has ended.
    Ended,
    /// The store does not answer, or there is none.
    Unknown,
}

impl SharedSessions {
    pub(crate) fn new(server: &Arc<Core>) -> Self {
        Self {
            server: Arc::clone(server),
            idle_time: server.limits.session_idle_time,
            asks_after: Arc::new(Mutex::new(Instant::now())),
        }
    }

    fn process(&self) -> &str {
        &self.server.stores.process
    }

    /// Returns `true` if other processes can continue the sessions of this one.
    pub(crate) fn are_shared(&self) -> bool {
        self.server.stores.values_are_shared
    }

    /// Returns the stored state of a session, and its version; `None` if there is none, or if
    /// processes do not share sessions.
    pub(crate) async fn stored(&self, id: &str) -> Result<Option<(Record, u64)>, StoreError> {
        if !self.are_shared() {
            return Ok(None);
        }
        let found = self.server.stores.get(&record::key(id)).await?;
        let found = found.map(|found| Ok((record::read(&found.value)?, found.version)));
        found.transpose()
    }

    async fn put(
        &self,
        id: &str,
        record: &Record,
        condition: Condition,
    ) -> Result<PutOutcome, StoreError> {
        let (key, value) = (record::key(id), record.value()?);
        let most = self.server.limits.sessions_per_peer;
        let put = Put {
            key: &key,
            value: &value,
            time_to_live: self.idle_time.saturating_mul(2).max(SHORTEST),
            condition,
            group: record.group.as_deref().map(|name| KeyGroup { name, most }),
        };
        self.server.stores.put(put).await
    }

    /// Stores a new session, if processes share sessions.
    pub(crate) async fn add(&self, handle: &SessionHandle) -> Result<NewRecord, StoreError> {
        if !self.are_shared() {
            return Ok(NewRecord::Written);
        }
        let Some(_writing) = handle.session.writes.begin() else {
            return Ok(NewRecord::Written);
        };
        let record = record::record(&handle.session, &handle.peer.key, self.process());
        if self.put(handle.id(), &record, Condition::Any).await? != PutOutcome::GroupFull {
            return Ok(NewRecord::Written);
        }
        let oldest = match &record.group {
            Some(group) => self.server.stores.keys(group, 1).await?.pop(),
            None => None,
        };
        let id = oldest.and_then(|key| record::id(&key).map(str::to_owned));
        Ok(NewRecord::PeerFull(id))
    }

    /// Updates the copy of a session, because other processes may have changed or ended it. If the
    /// store does not answer soon, requests go on with the copies for a while.
    pub(crate) async fn refresh(&self, handle: &SessionHandle) -> Freshness {
        if !self.are_shared() || Instant::now() < *lock(&self.asks_after) {
            return Freshness::Unknown;
        }
        let changes = handle.changes();
        let error = match timeout(REFRESH_TIME, self.stored(handle.id())).await {
            Ok(Ok(Some((record, _)))) => {
                // A record that was read before a change does not have it.
                handle.unless_changed(changes, || record.apply(&handle.session));
                return Freshness::Current(record.idle());
            }
            Ok(Ok(None)) => return Freshness::Ended,
            // One session of another release says nothing about the others.
            Ok(Err(error @ StoreError::Unreadable(_))) => {
                tracing::warn!(error = %Chain(&error), "cannot update the copy of a session");
                return Freshness::Unknown;
            }
            Ok(Err(error)) => error,
            Err(_) => StoreError::TimedOut(REFRESH_TIME),
        };
        tracing::warn!(error = %Chain(&error), "cannot update the copies of sessions");
        *lock(&self.asks_after) = Instant::now() + REFRESH_PAUSE;
        Freshness::Unknown
    }

    /// Writes a change of a session to the store, and marks it as used. Does nothing if the session
    /// has ended.
    pub(crate) async fn change(
        &self,
        handle: &SessionHandle,
        delta: &SessionDelta,
    ) -> Result<(), StoreError> {
        if !self.are_shared() {
            return Ok(());
        }
        let Some(_writing) = handle.session.writes.begin() else {
            return Ok(());
        };
        for _ in 0..ATTEMPTS {
            let Some((mut record, version)) = self.stored(handle.id()).await? else {
                return Ok(());
            };
            record.change(delta, self.process());
            let condition = Condition::Version(version);
            match self.put(handle.id(), &record, condition).await? {
                PutOutcome::Written(_) => return Ok(()),
                PutOutcome::Conflict => {}
                PutOutcome::GroupFull => break,
            }
        }
        Err(StoreError::failed("the session changes too often"))
    }

    /// Marks a session as used in the store, if it has not been marked for some time. A failure
    /// does not affect the request: the session is marked again soon. Returns `false` if it failed.
    pub(crate) async fn renew(&self, handle: &SessionHandle) -> bool {
        let time = self.idle_time / SAVES;
        if !self.are_shared() || !handle.claim_save(time) {
            return true;
        }
        // Boxed, because this future is rarely needed.
        let renewed = Box::pin(self.change(handle, &SessionDelta::default())).await;
        if let Err(error) = renewed {
            tracing::warn!(error = %Chain(&error), "cannot renew a session in its store");
            handle.save_within(time / 4, time);
            return false;
        }
        // Not earlier than in the store, so that the session ends when it is idle here.
        handle.touch();
        true
    }

    /// As [`renew`](Self::renew), for a copy of a session that was marked as used this long ago. If
    /// the store does not say yet that there are copies, it is marked now.
    pub(crate) async fn renew_copy(&self, handle: &SessionHandle, idle: Duration, is_copied: bool) {
        let time = self.idle_time / SAVES;
        let pause = if is_copied {
            time.saturating_sub(idle)
        } else {
            Duration::ZERO
        };
        handle.save_within(pause, time);
        self.renew(handle).await;
    }

    /// Returns `true` if other processes may have copies of a session.
    pub(crate) async fn is_copied(&self, id: &str) -> Result<bool, StoreError> {
        let stored = self.stored(id).await?;
        Ok(stored.is_some_and(|(record, _)| record.process.as_deref() != Some(self.process())))
    }

    /// Removes a session from the store.
    pub(crate) async fn remove(&self, id: &str) -> Result<(), StoreError> {
        if self.are_shared() {
            self.server.stores.remove(&record::key(id)).await?;
        }
        Ok(())
    }

    /// Returns `true` if the store says that a session is not expired.
    pub(crate) async fn is_used(&self, id: &str) -> Result<bool, StoreError> {
        let stored = self.stored(id).await?;
        Ok(stored.is_some_and(|(record, _)| !self.is_idle(record.idle())))
    }

    /// Returns the time after which an idle session ends. Longer if processes share sessions,
    /// because not every use is written to the store.
    pub(crate) fn lifetime(&self) -> Duration {
        if self.are_shared() {
            self.idle_time.saturating_add(self.idle_time / SAVES)
        } else {
            self.idle_time
        }
    }

    /// Returns `true` if a session has expired that was last marked as used this long ago.
    pub(crate) fn is_idle(&self, marked: Duration) -> bool {
        marked >= self.lifetime()
    }
}
