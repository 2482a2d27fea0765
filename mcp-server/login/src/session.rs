//! [`Session`]: what a login of a user with a client has created, until it ends.

use std::time::Duration;

use mcp_server::{Condition, PutOutcome};
use serde::{Deserialize, Serialize};

use crate::clients::ClientSummary;
use crate::clock::now;
use crate::fault::Fault;
use crate::provider::Provider;
use crate::provider::tokens::ProviderTokens;
use crate::user::User;
use crate::vault::{OfUser, Vault, Versioned};

/// The maximum number of sessions of a user. A further one ends the one that would expire first.
const SESSIONS: usize = 50;
/// The maximum number of attempts to change a session that others change, too.
pub(crate) const ATTEMPTS: usize = 8;

/// A login of a user with a client. It is sealed in the store of the server, in a group for each user.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) user: User,
    pub(crate) client: ClientSummary,
    /// Where the client was redirected to, for users.
    pub(crate) destination: String,
    /// What was granted.
    pub(crate) scopes: Vec<String>,
    /// The thumbprint of the key to which the refresh tokens are bound, for a client without a secret.
    pub(crate) key_thumbprint: Option<String>,
    /// When the user logged in, in seconds since the Unix epoch.
    pub(crate) began: u64,
    /// When the session ends, whatever happens.
    pub(crate) ends: u64,
    /// The number of the refresh token that is valid.
    pub(crate) generation: u64,
    /// When this refresh token was issued.
    pub(crate) renewed: u64,
    pub(crate) provider: Option<ProviderTokens>,
}

fn all_of(subject: &str) -> OfUser<'_> {
    OfUser("sessions", subject, SESSIONS)
}

fn key_of(id: &str) -> String {
    format!("session:{id}")
}

/// Returns a session with its version. `None` if it has ended, or if the user has logged in at another
/// provider than the one of this server: the program has been started with another one since.
pub(crate) async fn find(
    vault: &Vault<'_>,
    provider: &Provider,
    id: &str,
) -> Result<Option<Versioned<Session>>, Fault> {
    let found: Option<Versioned<Session>> = vault.get(&key_of(id)).await?;
    let is_valid =
        |session: &Session| session.ends > now() && session.user.provider == provider.key;
    Ok(found.filter(|found| is_valid(&found.value)))
}

impl Session {
    async fn put(&self, vault: &Vault<'_>, condition: Condition) -> Result<PutOutcome, Fault> {
        let (key, subject) = (key_of(&self.id), self.user.subject());
        let left = Duration::from_secs(self.ends.saturating_sub(now()));
        let all = Some(all_of(&subject));
        vault.put(&key, self, left, condition, all).await
    }

    /// Stores a new session. Returns `false` if it was stored before.
    pub(crate) async fn create(&self, vault: &Vault<'_>) -> Result<bool, Fault> {
        for _ in 0..ATTEMPTS {
            let outcome = self.put(vault, Condition::Absent).await?;
            if outcome != PutOutcome::GroupFull {
                return Ok(outcome != PutOutcome::Conflict);
            }
            if let Some(first) = vault.keys(all_of(&self.user.subject())).await?.first() {
                vault.remove(first).await?;
            }
        }
        Err(Fault::Contended)
    }

    /// Replaces the session, if it still has a version. Returns `false` if it was changed or has ended.
    pub(crate) async fn replace(&self, vault: &Vault<'_>, version: u64) -> Result<bool, Fault> {
        let outcome = self.put(vault, Condition::Version(version)).await?;
        Ok(matches!(outcome, PutOutcome::Written(_)))
    }
}

/// Ends a session. All of its tokens are invalid from then on.
pub(crate) async fn end(vault: &Vault<'_>, id: &str) -> Result<(), Fault> {
    vault.remove(&key_of(id)).await?;
    Ok(())
}

/// Returns the sessions of a user.
pub(crate) async fn of_user(vault: &Vault<'_>, subject: &str) -> Result<Vec<Session>, Fault> {
    let mut sessions = Vec::new();
    for key in vault.keys(all_of(subject)).await? {
        let found: Option<Versioned<Session>> = vault.get(&key).await?;
        let own = found.filter(|found| found.value.user.subject() == subject);
        sessions.extend(own.map(|found| found.value));
    }
    sessions.sort_by_key(|session| std::cmp::Reverse(session.renewed));
    Ok(sessions)
}

/// Ends all sessions of a user, also those that cannot be opened. Returns their number.
pub(crate) async fn end_all(vault: &Vault<'_>, subject: &str) -> Result<usize, Fault> {
    let keys = vault.keys(all_of(subject)).await?;
    for key in &keys {
        vault.remove(key).await?;
    }
    Ok(keys.len())
}
