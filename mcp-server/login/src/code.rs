//! Authorization codes: each is exchanged once, for a session (RFC 6749, section 4.1.2).

use std::time::Duration;

use mcp_server::{Condition, PutOutcome};
use mcp_types::peer_text::PeerText;
use serde::{Deserialize, Serialize};

use crate::authorization_request::AuthorizationRequest;
use crate::clients::redirect_uri::destination;
use crate::clock::now;
use crate::fault::Fault;
use crate::provider::tokens::ProviderTokens;
use crate::secret::same;
use crate::session::{self, Session};
use crate::user::User;
use crate::vault::{OfUser, Vault, Versioned};

/// The time in which a client has to use a code.
pub(crate) const CODE_TIME: Duration = Duration::from_secs(60);
/// The time for which a used code is remembered.
const USED_TIME: Duration = Duration::from_secs(10 * 60);
/// The maximum number of codes of a user.
const CODES: usize = 100;

/// What a code stands for.
#[derive(Serialize, Deserialize)]
pub(crate) struct CodeGrant {
    pub(crate) request: AuthorizationRequest,
    pub(crate) user: User,
    pub(crate) scopes: Vec<String>,
    pub(crate) provider: Option<ProviderTokens>,
    pub(crate) began: u64,
}

/// A code in the store.
#[derive(Serialize, Deserialize)]
enum CodeState {
    Issued(Box<CodeGrant>),
    /// It was exchanged for this session.
    Used {
        session: String,
        subject: String,
        client: String,
        challenge: String,
    },
}

/// A code that was not used yet.
pub(crate) struct IssuedCode {
    key: String,
    version: u64,
    pub(crate) grant: CodeGrant,
}

fn key_of(code: &str) -> String {
    // The store has only digests, so a reader of the store cannot use the codes.
    format!("code:{}", mcp_oauth::sha256(code.as_bytes()))
}

async fn put(
    vault: &Vault<'_>,
    key: &str,
    state: &CodeState,
    condition: Condition,
) -> Result<PutOutcome, Fault> {
    let (subject, time) = match state {
        CodeState::Issued(grant) => (grant.user.subject(), CODE_TIME),
        CodeState::Used { subject, .. } => (subject.clone(), USED_TIME),
    };
    let all = OfUser("codes", &subject, CODES);
    vault.put(key, state, time, condition, Some(all)).await
}

/// Issues a code.
pub(crate) async fn issue(vault: &Vault<'_>, grant: CodeGrant) -> Result<String, Fault> {
    let code = mcp_oauth::random()?;
    let state = CodeState::Issued(Box::new(grant));
    match put(vault, &key_of(&code), &state, Condition::Absent).await? {
        PutOutcome::Written(_) => Ok(code),
        PutOutcome::Conflict | PutOutcome::GroupFull => Err(Fault::TooManyLogins),
    }
}

/// Returns a code that was not used. One that was used ends the session that it was exchanged for,
/// because one of the two who have used it is not the client (RFC 9700, section 4.2): but only if the
/// request is otherwise valid, so a reader of the code in a log cannot end the session.
pub(crate) async fn find(
    vault: &Vault<'_>,
    code: &str,
    client: &str,
    challenge: &str,
) -> Result<Option<IssuedCode>, Fault> {
    let key = key_of(code);
    let found: Option<Versioned<CodeState>> = vault.get(&key).await?;
    let Some(Versioned { value, version }) = found else {
        return Ok(None);
    };
    match value {
        CodeState::Issued(grant) if now().saturating_sub(grant.began) <= CODE_TIME.as_secs() => {
            let grant = *grant;
            Ok(Some(IssuedCode {
                key,
                version,
                grant,
            }))
        }
        CodeState::Used {
            session,
            client: owner,
            challenge: expected,
            ..
        } if owner == client && same(&expected, challenge) => {
            tracing::warn!("a code was used twice: its session is ended");
            session::end(vault, &session).await?;
            Ok(None)
        }
        CodeState::Issued(_) | CodeState::Used { .. } => Ok(None),
    }
}

impl IssuedCode {
    /// Exchanges the code for a session. `None` if it was used in the meantime.
    pub(crate) async fn exchange(
        self,
        vault: &Vault<'_>,
        session_time: Duration,
        key_thumbprint: Option<String>,
    ) -> Result<Option<Session>, Fault> {
        let CodeGrant {
            request,
            user,
            scopes,
            provider,
            began,
        } = self.grant;
        let session = Session {
            id: mcp_oauth::random()?,
            user,
            destination: destination(&request.redirect_uri),
            client: request.client,
            scopes,
            key_thumbprint,
            began,
            ends: began.saturating_add(session_time.as_secs()),
            generation: 1,
            renewed: now(),
            provider,
        };
        // The session is created first, so that a second use of the code finds it and ends it.
        session.create(vault).await?;
        let used = CodeState::Used {
            session: session.id.clone(),
            subject: session.user.subject(),
            client: session.client.key.clone(),
            challenge: request.challenge,
        };
        let outcome = put(vault, &self.key, &used, Condition::Version(self.version)).await;
        if matches!(outcome, Ok(PutOutcome::Written(_))) {
            tracing::info!(
                user = %PeerText(&session.user.subject()),
                client = %PeerText(&session.client.key),
                destination = %PeerText(&session.destination),
                "a user has logged in"
            );
            return Ok(Some(session));
        }
        session::end(vault, &session.id).await?;
        outcome?;
        // Another request has used it. This one ends the session of that one, too.
        let found: Option<Versioned<CodeState>> = vault.get(&self.key).await?;
        if let Some(Versioned {
            value: CodeState::Used { session, .. },
            ..
        }) = found
        {
            tracing::warn!("a code was used twice at the same time: its session is ended");
            session::end(vault, &session).await?;
        }
        Ok(None)
    }
}
