//! Authorization codes: each is exchanged once, for a session (RFC 6749, section 4.1.2).

use std::time::Duration;

use mcp_server::{Condition, PutOutcome};
use mcp_types::peer_text::PeerText;
use serde::{Deserialize, Serialize};

use crate::clock::now;
use crate::fault::Fault;
use crate::secret::same;
use crate::session::{self, Session};
use crate::vault::{OfUser, Vault, Versioned};

/// The time in which a client has to use a code.
const CODE_TIME: Duration = Duration::from_secs(60);
/// The time for which a used code is remembered.
const USED_TIME: Duration = Duration::from_secs(10 * 60);
/// The maximum number of codes of a user.
const CODES: usize = 100;

/// What a code stands for. The store has only digests of codes, so a reader of it cannot use them.
#[derive(Serialize, Deserialize)]
pub(crate) struct Code {
    /// The session that begins when the code is exchanged.
    pub(crate) session: Session,
    pub(crate) redirect_uri: String,
    pub(crate) challenge: String,
    /// The thumbprint of the key to which the code is bound.
    pub(crate) key_thumbprint: Option<String>,
    pub(crate) is_used: bool,
}

fn key_of(code: &str) -> String {
    format!("code:{}", mcp_oauth::sha256(code.as_bytes()))
}

/// Returns a code that was not used. One that was used ends its session, because one of the two who have
/// used it is not the client (RFC 9700, section 4.2): but only if the request is otherwise valid, so a
/// reader of the code in a log cannot end the session.
pub(crate) async fn find(
    vault: &Vault<'_>,
    code: &str,
    client: &str,
    challenge: &str,
) -> Result<Option<Versioned<Code>>, Fault> {
    let found: Option<Versioned<Code>> = vault.get(&key_of(code)).await?;
    let Some(found) = found else {
        return Ok(None);
    };
    let Code { session, .. } = &found.value;
    if !found.value.is_used {
        let age = now().saturating_sub(session.began);
        return Ok((age <= CODE_TIME.as_secs()).then_some(found));
    }
    if session.client.key == client && same(&found.value.challenge, challenge) {
        tracing::warn!("a code was used twice: its session is ended");
        session::end(vault, &session.id).await?;
    }
    Ok(None)
}

impl Code {
    async fn put(
        &self,
        vault: &Vault<'_>,
        code: &str,
        condition: Condition,
    ) -> Result<bool, Fault> {
        let subject = self.session.user.subject();
        let time = if self.is_used { USED_TIME } else { CODE_TIME };
        let all = Some(OfUser("codes", &subject, CODES));
        let key = key_of(code);
        let outcome = vault.put(&key, self, time, condition, all).await?;
        Ok(matches!(outcome, PutOutcome::Written(_)))
    }

    /// Issues a code.
    pub(crate) async fn issue(&self, vault: &Vault<'_>) -> Result<String, Fault> {
        let code = mcp_oauth::random()?;
        let is_issued = self.put(vault, &code, Condition::Absent).await?;
        is_issued.then_some(code).ok_or(Fault::TooManyLogins)
    }

    /// Begins the session of a code that was [found](find) with this version. Returns `false` if the code
    /// was used in the meantime, which ends the session.
    pub(crate) async fn exchange(
        &mut self,
        vault: &Vault<'_>,
        code: &str,
        version: u64,
    ) -> Result<bool, Fault> {
        // The session is created first, so that a second use of the code finds it and ends it. Two uses
        // at the same time create the same session.
        let is_new = self.session.create(vault).await?;
        self.is_used = true;
        // What the provider says is kept with the session alone.
        self.session.provider = None;
        self.session.user.claims.clear();
        let version = Condition::Version(version);
        let used = if is_new {
            self.put(vault, code, version).await
        } else {
            Ok(false)
        };
        if matches!(used, Ok(true)) {
            tracing::info!(
                user = %PeerText(&self.session.user.subject()),
                client = %PeerText(&self.session.client.key),
                destination = %PeerText(&self.session.destination),
                "a user has logged in"
            );
        } else {
            tracing::warn!("a code was used twice at the same time: its session is ended");
            session::end(vault, &self.session.id).await?;
        }
        used
    }
}
