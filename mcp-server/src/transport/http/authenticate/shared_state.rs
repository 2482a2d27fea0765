//! [`SharedState`]: what the processes of a server share, for an
//! [`Authenticate`](crate::Authenticate).

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::protocol::core::{Context, Core};
use crate::protocol::seal::SealError;
use crate::protocol::store::{Condition, KeyGroup, Put, PutOutcome, StoreError, VersionedValue};
use crate::util::partial_debug::partial_debug;

/// The keys and the store of a server, for an [`Authenticate`](crate::Authenticate) and for handlers
/// that work with one. [`AuthRequest::shared`](crate::AuthRequest::shared) and
/// [`Context::shared_state`](crate::Context::shared_state) return it.
///
/// All processes with the same [`Keys`](crate::Keys) and the same store have the same state. Its keys
/// and groups are separate from those of the server and of [`Stored`](crate::Stored).
///
/// It keeps the server alive: do not store it longer than for a request.
#[derive(Clone)]
pub struct SharedState(Arc<Core>);

impl SharedState {
    pub(crate) fn new(core: &Arc<Core>) -> Self {
        Self(Arc::clone(core))
    }

    /// Seals a text that the client gets and gives back later, such as a nonce. The client cannot read
    /// or change the text. It can be opened for the same purpose only, by all processes with the same
    /// [`Keys`](crate::Keys).
    ///
    /// # Errors
    ///
    /// [`SealError`]: the text is longer than 256 GiB, or the system returns no random numbers.
    pub fn seal(&self, purpose: &str, text: &str) -> Result<String, SealError> {
        let keys = self.0.keys.get();
        keys.seal(&own_name(purpose), &[], text.as_bytes())
    }

    /// Opens a text that [`seal`](Self::seal) returned for the same purpose.
    ///
    /// # Errors
    ///
    /// [`SealError`]: `seal` did not return this text, or returned it for another purpose or key.
    pub fn unseal(&self, purpose: &str, sealed: &str) -> Result<String, SealError> {
        let keys = self.0.keys.get();
        let bytes = keys.open(&own_name(purpose), &[], sealed)?;
        String::from_utf8(bytes).map_err(|_| SealError::Malformed)
    }

    /// Records in the store of the server that this process has accepted something that must be
    /// accepted only once, so that no other process accepts it within a time. Returns `false` if
    /// another process has recorded it before.
    ///
    /// Without a store that processes share there is no other process: nothing is recorded, and the
    /// result is `true`. So the caller has to remember what this process itself has accepted.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails. `?` turns it into a refusal with the status 503.
    pub async fn record_for_other_processes(
        &self,
        name: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        let stores = &self.0.stores;
        if !stores.values_are_shared {
            return Ok(true);
        }
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(name));
        let put = Put {
            key: &format!("accepted:{digest}"),
            value: b"1",
            // The store counts whole milliseconds, and the second of its last one has to be over.
            time_to_live: time.saturating_add(Duration::from_secs(1)),
            condition: Condition::Absent,
            group: None,
        };
        Ok(stores.put(put).await? != PutOutcome::Conflict)
    }

    /// Returns the value of a key, or `None` if the key has no value or its value has expired.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails.
    pub async fn get(&self, key: &str) -> Result<Option<VersionedValue>, StoreError> {
        self.0.stores.get(&own_name(key)).await
    }

    /// Writes a value, if its condition and its group allow it, see
    /// [`ValueStore::put`](crate::ValueStore::put).
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails.
    pub async fn put(&self, put: Put<'_>) -> Result<PutOutcome, StoreError> {
        let group = put.group.map(|group| (own_name(group.name), group.most));
        let put = Put {
            key: &own_name(put.key),
            group: group
                .as_ref()
                .map(|(name, most)| KeyGroup { name, most: *most }),
            ..put
        };
        self.0.stores.put(put).await
    }

    /// Removes a value. Returns `false` if there was none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails.
    pub async fn remove(&self, key: &str) -> Result<bool, StoreError> {
        self.0.stores.remove(&own_name(key)).await
    }

    /// Returns at most `most` keys of a group, those that expire first in front.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails.
    pub async fn keys(&self, group: &str, most: usize) -> Result<Vec<String>, StoreError> {
        let keys = self.0.stores.keys(&own_name(group), most).await?;
        let own = keys.into_iter();
        Ok(own
            .filter_map(|key| key.strip_prefix(PREFIX).map(str::to_owned))
            .collect())
    }
}

partial_debug!(SharedState, |it| server: it.0.info.name);

impl Context {
    /// Returns what the processes of the server share for authentication. For extractors of crates that
    /// implement [`Authenticate`](crate::Authenticate); handlers keep values of their own with
    /// [`Stored`](crate::Stored).
    #[must_use]
    pub fn shared_state(&self) -> SharedState {
        SharedState::new(&self.state.core)
    }
}

const PREFIX: &str = "authentication:";

/// Separates purposes and keys of authentication from those of the server and of handlers.
fn own_name(name: &str) -> String {
    format!("{PREFIX}{name}")
}
