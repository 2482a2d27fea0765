//! A refresh token is exchanged for new tokens (RFC 6749, section 6).
//!
//! Each exchange replaces the refresh token (RFC 9700, section 4.14). Tokens have numbers, so that all
//! texts with the same number mean the same: the requests of a client that refreshes twice at the same
//! time get equivalent tokens, from any process. The token before the current one is accepted for a
//! short time, because the response with the new one may have been lost.

use std::time::Duration;

use super::{TokenRequest, TokenResponse};
use crate::access_token::{REFRESH, SealedRefresh};
use crate::authorization_request::requested_scopes;
use crate::clock::now;
use crate::fault::Fault;
use crate::oauth_error::OAuthError;
use crate::session;

/// The time for which the token before the current one is accepted.
const LEEWAY: Duration = Duration::from_secs(30);

pub(super) async fn respond(request: TokenRequest<'_>) -> Result<TokenResponse, OAuthError> {
    let vault = &request.exchange.vault;
    let login = request.exchange.login;
    let invalid =
        || OAuthError::invalid_grant("the refresh token is unknown, or its session has ended");
    let token = request.params.get("refresh_token")?;
    let token = token.and_then(|token| vault.unseal(REFRESH, token));
    let token: SealedRefresh = token.ok_or_else(invalid)?;
    let requested = request.params.get("scope")?;
    let mut is_proof_recorded = false;
    for _ in 0..session::ATTEMPTS {
        let found = session::find(vault, &login.provider, &token.session).await?;
        let found = found.ok_or_else(invalid)?;
        let mut session = found.value;
        if session.client.key != request.client.key {
            return Err(invalid());
        }
        let key = request.key_thumbprint();
        if session.key_thumbprint.is_some() && session.key_thumbprint.as_deref() != key {
            let text = "the refresh token is bound to a key: send a proof of possession of it";
            return Err(OAuthError::invalid_grant(text));
        }
        let age = now().saturating_sub(session.renewed);
        let is_current = match session.generation.checked_sub(token.generation) {
            Some(0) => true,
            // It was replaced a moment ago.
            Some(1) if age <= LEEWAY.as_secs() => false,
            // It was replaced long ago: the client or a thief has an old copy.
            Some(_) => {
                tracing::warn!("an old refresh token was used again: its session is ended");
                session::end(vault, &session.id).await?;
                return Err(invalid());
            }
            // It has never been issued, as far as the store knows.
            None => return Err(invalid()),
        };
        // The program may have changed its mind since the user logged in.
        if !(login.allow)(&session.user) {
            session::end(vault, &session.id).await?;
            return Err(OAuthError::invalid_grant("this account is not allowed"));
        }
        let permitted = login.user_scopes(&session.user);
        let narrowed = narrowed(&session.scopes, &permitted, requested)?;
        if !is_proof_recorded {
            request.record_proof(&session.user.subject()).await?;
            is_proof_recorded = true;
        }
        if is_current {
            session.generation += 1;
            session.renewed = now();
        }
        if !is_current || session.replace(vault, found.version).await? {
            return request.issue(&session, narrowed);
        }
    }
    Err(Fault::Contended.into())
}

/// Returns the scopes of the access token if they are fewer than those of the session: what the user
/// still may do, and of this what the client asks for. What was not granted is ignored, as it was in the
/// authorization request: clients repeat the scopes of that one.
fn narrowed(
    session: &[String],
    permitted: &[String],
    requested: Option<&str>,
) -> Result<Option<Vec<String>>, OAuthError> {
    let mut scopes = session.to_vec();
    scopes.retain(|scope| permitted.contains(scope));
    if let Some(requested) = requested {
        let malformed = || OAuthError::new("invalid_scope", "`scope` is malformed");
        let requested = requested_scopes(requested).ok_or_else(malformed)?;
        scopes.retain(|scope| requested.contains(scope));
    }
    Ok((scopes.len() < session.len()).then_some(scopes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_of_a_refresh_are_never_more_than_before() {
        let list = |text: &str| -> Vec<String> {
            text.split(' ')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let session = list("a b");
        let check = |permitted: &str, requested: Option<&str>| {
            let scopes = narrowed(&session, &list(permitted), requested).ok()?;
            Some(scopes.map(|scopes| scopes.join(" ")))
        };
        assert_eq!(check("a b", None), Some(None));
        assert_eq!(check("a", None), Some(Some("a".to_owned())));
        // The function of the program may return a scope twice.
        assert_eq!(check("a a", None), Some(Some("a".to_owned())));
        assert_eq!(check("a b", Some("b")), Some(Some("b".to_owned())));
        assert_eq!(check("a b", Some("a b offline_access")), Some(None));
        assert_eq!(check("a", Some("b")), Some(Some(String::new())));
        assert_eq!(check("a b", Some("b c")), Some(Some("b".to_owned())));
        assert_eq!(check("a b", Some("c")), Some(Some(String::new())));
        assert_eq!(
            check("a b", Some("offline_access")),
            Some(Some(String::new()))
        );
        assert_eq!(check("a b", Some("\"")), None);
    }
}
