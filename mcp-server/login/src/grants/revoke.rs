//! The revocation endpoint (RFC 7009): a client ends its session by one of its tokens.

use http::StatusCode;

use crate::access_token::{ACCESS, REFRESH, SealedAccess, SealedRefresh};
use crate::clients::authentication::authenticate;
use crate::exchange::Exchange;
use crate::oauth_error::OAuthError;
use crate::session;
use crate::web::response::{self, Reply};

/// Responds to a request to revoke a token.
pub(crate) async fn respond(exchange: &Exchange<'_>) -> Result<Reply, OAuthError> {
    let vault = &exchange.vault;
    let params = exchange.form()?;
    let client = authenticate(vault, &exchange.parts.headers, &params)?;
    let missing = || OAuthError::invalid_request("`token` is missing");
    let token = params.get("token")?.ok_or_else(missing)?;
    let refresh = vault.unseal(REFRESH, token);
    let refresh = refresh.map(|token: SealedRefresh| token.session);
    let access = || {
        vault
            .unseal(ACCESS, token)
            .map(|token: SealedAccess| token.session)
    };
    // A token that is not valid needs no revocation (section 2.2).
    if let Some(id) = refresh.or_else(access) {
        let found = session::find(vault, &exchange.login.provider, &id).await?;
        if found.is_some_and(|found| found.value.client.key == client.key) {
            session::end(vault, &id).await?;
        }
    }
    Ok(response::empty(StatusCode::OK))
}
