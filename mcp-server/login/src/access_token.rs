//! The tokens that clients get: sealed texts, which mean nothing to anybody else.

use std::time::{Duration, SystemTime};

use mcp_server::AccessToken;
use serde::{Deserialize, Serialize};

use crate::clock::now;
use crate::fault::Fault;
use crate::login::LoginServer;
use crate::session::{self, Session};
use crate::vault::{Vault, Versioned};

/// The purposes for which tokens are sealed.
pub(crate) const ACCESS: &str = "access-token";
pub(crate) const REFRESH: &str = "refresh-token";
/// The claim with the id of the session. The id alone is of no use to anybody.
pub(crate) const SESSION_CLAIM: &str = "sid";

/// What an access token contains.
#[derive(Serialize, Deserialize)]
pub(crate) struct SealedAccess {
    pub(crate) session: String,
    /// When it expires, in seconds since the Unix epoch.
    pub(crate) expires: u64,
    /// The key to which it is bound.
    pub(crate) key_thumbprint: Option<String>,
    /// The scopes, if they are fewer than those of the session.
    pub(crate) scopes: Option<Vec<String>>,
}

/// What a refresh token contains.
#[derive(Serialize, Deserialize)]
pub(crate) struct SealedRefresh {
    pub(crate) session: String,
    pub(crate) generation: u64,
}

/// Returns what an access token says. `None` if it is not valid, has expired, or its session has ended.
/// The session is read each time, so that its end takes effect at once.
pub(crate) async fn verify(
    login: &LoginServer,
    vault: &Vault<'_>,
    token: &str,
) -> Result<Option<AccessToken>, Fault> {
    let sealed: Option<SealedAccess> = vault.unseal(ACCESS, token);
    let Some(sealed) = sealed.filter(|sealed| sealed.expires > now()) else {
        return Ok(None);
    };
    let found = session::find(vault, &login.provider, &sealed.session).await?;
    Ok(found.map(|Versioned { value, .. }| described(login, sealed, value)))
}

fn described(login: &LoginServer, sealed: SealedAccess, session: Session) -> AccessToken {
    let mut claims = session.user.token_claims();
    claims.insert(SESSION_CLAIM, session.id.as_str());
    claims.insert("auth_time", session.began);
    let expires = sealed.expires.min(session.ends);
    let token = AccessToken::new(&login.urls.issuer)
        .subject(session.user.subject())
        .client_id(session.client.key)
        .scopes(sealed.scopes.unwrap_or(session.scopes))
        .audience([&login.urls.resource])
        .expires_at(SystemTime::UNIX_EPOCH + Duration::from_secs(expires))
        .claims(claims);
    match sealed.key_thumbprint {
        Some(thumbprint) => token.key_thumbprint(thumbprint),
        None => token,
    }
}
