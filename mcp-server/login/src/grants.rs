//! The token endpoint (RFC 6749, section 3.2).

mod authorization_code;
mod refresh;
pub(crate) mod revoke;

use http::StatusCode;
use serde::Serialize;

use crate::access_token::{ACCESS, REFRESH, SealedAccess, SealedRefresh};
use crate::clients::authentication::{AuthenticatedClient, authenticate};
use crate::clock::now;
use crate::dpop::{self, VerifiedProof};
use crate::endpoints;
use crate::exchange::Exchange;
use crate::oauth_error::OAuthError;
use crate::session::Session;
use crate::web::params::Params;
use crate::web::response::{self, Reply};

/// A request for tokens, of a client that is known.
struct TokenRequest<'a> {
    exchange: &'a Exchange<'a>,
    params: &'a Params,
    client: AuthenticatedClient,
    proof: Option<VerifiedProof>,
}

#[derive(Serialize)]
struct TokenResponse {
    access_token: String,
    token_type: &'static str,
    expires_in: u64,
    refresh_token: String,
    /// Empty if nothing was granted, which RFC 6749 cannot express otherwise.
    #[serde(skip_serializing_if = "String::is_empty")]
    scope: String,
}

/// Responds to a request for tokens.
pub(crate) async fn respond(exchange: &Exchange<'_>) -> Result<Reply, OAuthError> {
    let params = exchange.form()?;
    let grant = params.get("grant_type")?;
    let client = authenticate(&exchange.vault, &exchange.parts.headers, &params)?;
    exchange.check_resource(&params)?;
    let url = exchange.login.urls.at(endpoints::TOKEN);
    let proof = dpop::verify(exchange.parts, &[&url], None);
    let proof = proof.map_err(|error| OAuthError::new("invalid_dpop_proof", error.to_string()))?;
    let request = TokenRequest {
        exchange,
        params: &params,
        client,
        proof,
    };
    let tokens = match grant {
        Some("authorization_code") => authorization_code::respond(request).await?,
        Some("refresh_token") => refresh::respond(request).await?,
        Some(_) => {
            let text = "`grant_type` is neither `authorization_code` nor `refresh_token`";
            return Err(OAuthError::new("unsupported_grant_type", text));
        }
        None => return Err(OAuthError::invalid_request("`grant_type` is missing")),
    };
    Ok(response::json(StatusCode::OK, &tokens))
}

impl TokenRequest<'_> {
    /// Returns the key to which tokens are bound.
    fn key_thumbprint(&self) -> Option<&str> {
        self.proof.as_ref().map(|proof| &*proof.thumbprint)
    }

    /// Makes sure that a proof of possession is used only once. Called when the user is known, for whom
    /// it is counted.
    async fn record_proof(&self, subject: &str) -> Result<(), OAuthError> {
        let Some(proof) = &self.proof else {
            return Ok(());
        };
        if proof.record(&self.exchange.vault, subject).await? {
            return Ok(());
        }
        let text = "the proof of possession was used before, or there are too many";
        Err(OAuthError::new("invalid_dpop_proof", text))
    }

    /// Issues the tokens of a session.
    fn issue(
        &self,
        session: &Session,
        narrowed: Option<Vec<String>>,
    ) -> Result<TokenResponse, OAuthError> {
        let vault = &self.exchange.vault;
        let longest = self.exchange.login.access_time;
        let left = session.ends.saturating_sub(now());
        let expires_in = longest.as_secs().min(left);
        let scopes = narrowed.as_ref().unwrap_or(&session.scopes);
        let scope = scopes.join(" ");
        let access = SealedAccess {
            session: session.id.clone(),
            expires: now().saturating_add(expires_in),
            key_thumbprint: self.key_thumbprint().map(str::to_owned),
            scopes: narrowed,
        };
        let refresh = SealedRefresh {
            session: session.id.clone(),
            generation: session.generation,
        };
        Ok(TokenResponse {
            access_token: vault.seal(ACCESS, &access)?,
            token_type: self.proof.as_ref().map_or("Bearer", |_| "DPoP"),
            expires_in,
            refresh_token: vault.seal(REFRESH, &refresh)?,
            scope,
        })
    }
}
