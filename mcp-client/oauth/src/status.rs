//! [`TokenStatus`]: what the store has for a server.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::config::Config;
use super::error::OAuthError;
use super::store::StoreKey;
use super::tokens::{TokenType, Tokens};
use crate::renewal::records::Records;
use mcp_fetch::url::shown;

/// The tokens for a server, without their secrets.
#[derive(Clone)]
#[non_exhaustive]
pub struct TokenStatus {
    /// The URL of the server.
    pub server: String,
    /// The name that the program gave to the user; empty by default.
    pub user: String,
    /// The issuer of the tokens.
    pub issuer: String,
    /// The id of the client there.
    pub client_id: String,
    /// The scopes that were granted, or requested if the server did not say which it granted.
    pub scopes: Vec<String>,
    /// When the access token expires, if that is known.
    pub expires_at: Option<SystemTime>,
    /// Whether there is a refresh token.
    pub can_refresh: bool,
    /// Whether the tokens are bound to a key of the client (DPoP).
    pub is_bound: bool,
}

impl TokenStatus {
    fn new(server: String, user: String, tokens: &Tokens) -> Self {
        let scopes = tokens.granted.as_ref().unwrap_or(&tokens.requested);
        let time = |at: &u64| UNIX_EPOCH.checked_add(Duration::from_secs(*at));
        Self {
            server,
            user,
            issuer: tokens.issuer.clone(),
            client_id: tokens.client.id.clone(),
            scopes: scopes.split_whitespace().map(str::to_owned).collect(),
            expires_at: tokens.expires_at.as_ref().and_then(time),
            can_refresh: tokens.refresh.is_some(),
            is_bound: tokens.token_type == TokenType::Dpop,
        }
    }
}

/// The query of the URL may be a secret.
impl fmt::Debug for TokenStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenStatus")
            .field("server", &shown(&self.server))
            .field("user", &self.user)
            .field("issuer", &shown(&self.issuer))
            .field("client_id", &self.client_id)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// Returns the tokens of all servers and users in the store.
pub(super) async fn statuses(config: &Config) -> Result<Vec<TokenStatus>, OAuthError> {
    let records = Records(config);
    let mut all = Vec::new();
    for key in records.keys().await? {
        let StoreKey::Server { server, user } = key else {
            continue;
        };
        if let Some(tokens) = records.tokens_of(&server, &user).await? {
            all.push(TokenStatus::new(server, user, &tokens));
        }
    }
    Ok(all)
}
