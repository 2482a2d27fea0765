//! A code is exchanged for tokens (RFC 6749, section 4.1.3; RFC 7636, section 4.5).

use super::{TokenRequest, TokenResponse};
use crate::code;
use crate::oauth_error::OAuthError;
use crate::secret::same;
use crate::vault::Versioned;

/// The maximum and minimum length of a verifier, in bytes (RFC 7636, section 4.1).
const VERIFIER_BYTES: std::ops::RangeInclusive<usize> = 43..=128;

pub(super) async fn respond(request: TokenRequest<'_>) -> Result<TokenResponse, OAuthError> {
    let params = request.params;
    let vault = &request.exchange.vault;
    let login = request.exchange.login;
    let invalid = || OAuthError::invalid_grant("the code is unknown, has expired or was used");
    let missing = |name: &str| OAuthError::invalid_request(format!("`{name}` is missing"));
    let code = params.get("code")?.ok_or_else(|| missing("code"))?;
    let verifier = params.get("code_verifier")?;
    let verifier = verifier.ok_or_else(|| missing("code_verifier"))?;
    let unverified = || OAuthError::invalid_grant("`code_verifier` does not belong to the code");
    if !VERIFIER_BYTES.contains(&verifier.len()) {
        return Err(unverified());
    }
    let challenge = mcp_oauth::sha256(verifier.as_bytes());
    let found = code::find(vault, code, &request.client.key, &challenge).await?;
    let Versioned {
        value: mut granted,
        version,
    } = found.ok_or_else(invalid)?;
    // A code of another client stays valid: only its own client can use it.
    if granted.session.client.key != request.client.key {
        return Err(OAuthError::invalid_grant(
            "the code was issued to another client",
        ));
    }
    // OAuth 2.1 has the parameter no more, because PKCE protects the code.
    let redirect = params.get("redirect_uri")?;
    if redirect.is_some_and(|redirect| redirect != granted.redirect_uri) {
        let text = "`redirect_uri` is not that of the authorization request";
        return Err(OAuthError::invalid_grant(text));
    }
    if !same(&challenge, &granted.challenge) {
        return Err(unverified());
    }
    let key = request.key_thumbprint();
    if granted.key_thumbprint.is_some() && granted.key_thumbprint.as_deref() != key {
        let text = "the code is bound to a key: send a proof of possession of it";
        return Err(OAuthError::invalid_grant(text));
    }
    if !(login.allow)(&granted.session.user) {
        return Err(OAuthError::invalid_grant("this account is not allowed"));
    }
    request
        .record_proof(&granted.session.user.subject())
        .await?;
    // Only clients without a secret are recognized by their key (RFC 9449, section 5).
    let key = key.filter(|_| !request.client.has_secret);
    granted.session.key_thumbprint = key.map(str::to_owned);
    if !granted.exchange(vault, code, version).await? {
        return Err(invalid());
    }
    request.issue(&granted.session, None)
}
