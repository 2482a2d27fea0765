//! Revocations of URLs in the store that the processes of an endpoint share.

use mcp_types::uri::canonical;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::issue::Urls;
use super::token::Token;
use crate::protocol::store::access::Stores;
use crate::protocol::store::message::BusMessage;
use crate::protocol::store::{Condition, Put, PutOutcome, StoreError};
use crate::util::hex;

/// How often a write is tried again because another process has written at the same time.
const ATTEMPTS: usize = 16;

/// The stored form of a revocation, as JSON text. Other members are ignored.
#[derive(Serialize, Deserialize)]
struct StoredRevocation {
    /// Tokens issued up to this time are void, in milliseconds since 1970.
    until: u64,
}

/// Returns the key of the revocations of a resource.
fn key(uri: &str) -> String {
    let digest = Sha256::digest(canonical(uri).as_bytes());
    format!("revoked:{}", hex::encode(&digest))
}

impl Urls {
    /// Revokes the tokens of a resource in this process. Returns the time up to which they are void.
    pub(crate) fn revoke_here(&self, uri: &str) -> u64 {
        let until = self.revocation(uri);
        self.revoke(uri, until);
        until
    }

    /// Revokes the tokens of a resource in the other processes, up to the time that
    /// [`revoke_here`](Self::revoke_here) returned.
    pub(crate) async fn share_revocation(
        &self,
        uri: String,
        mut until: u64,
        stores: &Stores,
    ) -> Result<(), StoreError> {
        if stores.values_are_shared {
            until = self.store_revocation(&uri, until, stores).await?;
            self.revoke(&uri, until);
        }
        if let Some(bus) = &stores.bus {
            bus.publish(&BusMessage::UrlsRevoked { uri, until }).await?;
        }
        Ok(())
    }

    /// Stores a revocation, and returns the time up to which tokens are void: later than that of an
    /// earlier revocation that this process may not know, because the tokens that were issued since
    /// have a time right after it.
    async fn store_revocation(
        &self,
        uri: &str,
        until: u64,
        stores: &Stores,
    ) -> Result<u64, StoreError> {
        let key = key(uri);
        for _ in 0..ATTEMPTS {
            let (behind, condition) = match stores.get(&key).await? {
                Some(known) => (
                    read(&known.value)?.saturating_add(1),
                    Condition::Version(known.version),
                ),
                None => (0, Condition::Absent),
            };
            let until = until.max(behind);
            let value = serde_json::to_vec(&StoredRevocation { until });
            let value = value.map_err(StoreError::unreadable)?;
            let put = Put {
                key: &key,
                value: &value,
                time_to_live: self.longest_validity(until),
                condition,
                group: None,
            };
            if let PutOutcome::Written(_) = stores.put(put).await? {
                return Ok(until);
            }
        }
        Err(StoreError::failed("the resource is revoked too often"))
    }

    /// Returns `true` if another process has revoked a token. A process that was started since
    /// learns of a revocation here, and not before it issues URLs: for a minute, these may be
    /// refused.
    pub(crate) async fn is_revoked_elsewhere(
        &self,
        token: &Token,
        stores: &Stores,
    ) -> Result<bool, StoreError> {
        if !stores.values_are_shared {
            return Ok(false);
        }
        let Some(found) = stores.get(&key(&token.uri)).await? else {
            return Ok(false);
        };
        let until = read(&found.value)?;
        self.revoke(&token.uri, until);
        Ok(token.issued <= until)
    }
}

fn read(value: &[u8]) -> Result<u64, StoreError> {
    let stored: StoredRevocation = serde_json::from_slice(value).map_err(StoreError::unreadable)?;
    Ok(stored.until)
}
