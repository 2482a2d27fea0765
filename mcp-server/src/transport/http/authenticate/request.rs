//! [`AuthRequest`]: the request that an [`Authenticate`](crate::Authenticate) decides about.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::request::Parts;
use sha2::{Digest as _, Sha256};

use crate::protocol::core::Core;
use crate::protocol::seal::SealError;
use crate::protocol::store::error::StoreError;
use crate::protocol::store::values::{Condition, Put, PutOutcome};

/// A request that an [`Authenticate`](crate::Authenticate) decides about: its head, and what the
/// processes of the server share.
#[derive(Clone, Copy)]
pub struct AuthRequest<'a> {
    parts: &'a Parts,
    core: &'a Core,
}

impl<'a> AuthRequest<'a> {
    pub(crate) fn new(parts: &'a Parts, core: &'a Core) -> Self {
        Self { parts, core }
    }

    /// Returns the head of the request. The URI is the one that the client used, as far as the server
    /// sees it. The extensions have the [`PeerAddress`](crate::PeerAddress) if a [trusted
    /// proxy](crate::HttpConfig::trusted_proxies) reports it.
    #[must_use]
    pub fn parts(&self) -> &'a Parts {
        self.parts
    }

    /// Seals a text that the client gets and gives back later, such as a nonce. The client cannot read
    /// or change the text. It can be opened for the same purpose only, by all processes with the same
    /// [`Keys`](crate::Keys).
    ///
    /// # Errors
    ///
    /// [`SealError`]: the text is longer than 256 GiB, or the system returns no random numbers.
    pub fn seal(&self, purpose: &str, text: &str) -> Result<String, SealError> {
        let keys = self.core.keys.get();
        keys.seal(&self::purpose(purpose), &[], text.as_bytes())
    }

    /// Opens a text that [`seal`](Self::seal) returned for the same purpose.
    ///
    /// # Errors
    ///
    /// [`SealError`]: `seal` did not return this text, or returned it for another purpose or key.
    pub fn unseal(&self, purpose: &str, sealed: &str) -> Result<String, SealError> {
        let keys = self.core.keys.get();
        let bytes = keys.open(&self::purpose(purpose), &[], sealed)?;
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
        let stores = &self.core.stores;
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
}

impl fmt::Debug for AuthRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthRequest")
            .field("method", &self.parts.method)
            .field("path", &self.parts.uri.path())
            .finish_non_exhaustive()
    }
}

/// Separates the purposes of authentication from those of the server and of handlers.
fn purpose(of_authentication: &str) -> String {
    format!("authentication:{of_authentication}")
}
