//! Sessions in the store that the processes of an endpoint share.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::record::{self, Record, SessionDelta};
use crate::protocol::core::Core;
use crate::protocol::error::text::Chain;
use crate::protocol::store::error::StoreError;
use crate::protocol::store::values::{Condition, KeyGroup, Put, PutOutcome};
use crate::transport::http::session::handle::SessionHandle;

/// How often a write is tried again because another process has written at the same time.
const ATTEMPTS: usize = 16;

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
}

impl SharedSessions {
    pub(crate) fn new(server: &Arc<Core>) -> Self {
        Self {
            server: Arc::clone(server),
            idle_time: server.limits().session_idle_time,
        }
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
        let most = self.server.limits().sessions_per_peer;
        let put = Put {
            key: &key,
            value: &value,
            time_to_live: self.idle_time.saturating_mul(2).max(SHORTEST),
            condition,
            group: record.group().map(|name| KeyGroup { name, most }),
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
        let record = record::record(&handle.session, handle.peer.key());
        if self.put(handle.id(), &record, Condition::Any).await? != PutOutcome::GroupFull {
            return Ok(NewRecord::Written);
        }
        let oldest = match record.group() {
            Some(group) => self.server.stores.keys(group, 1).await?.pop(),
            None => None,
        };
        let id = oldest.and_then(|key| record::id(&key).map(str::to_owned));
        Ok(NewRecord::PeerFull(id))
    }

    /// Writes a change of a session to the store, and marks it as used. If the store has lost the
    /// session, it is written again.
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
            let (record, condition) = match self.stored(handle.id()).await? {
                Some((mut record, version)) => {
                    record.change(delta);
                    (record, Condition::Version(version))
                }
                None => {
                    let record = record::record(&handle.session, handle.peer.key());
                    (record, Condition::Absent)
                }
            };
            match self.put(handle.id(), &record, condition).await? {
                PutOutcome::Written(_) => return Ok(()),
                PutOutcome::Conflict => {}
                PutOutcome::GroupFull => break,
            }
        }
        Err(StoreError::failed("the session changes too often"))
    }

    /// Marks a session as used in the store, if it has not been marked for some time. A failure
    /// does not affect the request: the session is marked again soon.
    pub(crate) async fn renew(&self, handle: &SessionHandle) {
        let time = self.idle_time / 2;
        if !self.are_shared() || !handle.claim_save(time) {
            return;
        }
        // Boxed, because this future is rarely needed.
        let renewed = Box::pin(self.change(handle, &SessionDelta::default())).await;
        if let Err(error) = renewed {
            tracing::warn!(error = %Chain(&error), "cannot renew a session in its store");
            handle.save_within(time / 4, time);
        }
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
        Ok(stored.is_some_and(|(record, _)| record.idle() < self.idle_time))
    }

    /// Marks a session as used in the store while connections read its streams.
    pub(crate) fn renew_while_read(
        &self,
        handle: &Arc<SessionHandle>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let sessions = self.clone();
        let handle = Arc::downgrade(handle);
        let time = (self.idle_time / 8).max(Duration::from_secs(1));
        async move {
            if !sessions.are_shared() {
                return std::future::pending().await;
            }
            loop {
                sleep(time).await;
                let Some(handle) = handle.upgrade() else {
                    return;
                };
                if handle.idle().is_none() {
                    sessions.renew(&handle).await;
                }
            }
        }
    }
}
