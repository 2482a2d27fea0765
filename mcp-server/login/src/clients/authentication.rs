//! Who sends a request to the token endpoint (RFC 6749, section 2.3).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use mcp_oauth::Secret;

use crate::clients::document::{check_url, is_document};
use crate::clients::registration;
use crate::oauth_error::OAuthError;
use crate::vault::Vault;
use crate::web::params::Params;

/// The client that sends a request.
pub(crate) struct AuthenticatedClient {
    /// See [`ClientSummary::key`](crate::clients::ClientSummary::key).
    pub(crate) key: String,
    pub(crate) has_secret: bool,
}

/// Returns the client that sends a request.
///
/// A client with a document has no secret, and the document is not loaded: what is bound to the client
/// is a code or a token, by the URL.
pub(crate) fn authenticate(
    vault: &Vault<'_>,
    headers: &HeaderMap,
    params: &Params,
) -> Result<AuthenticatedClient, OAuthError> {
    let (id, secret) = credentials(headers, params)?;
    let has_secret = secret.is_some();
    if is_document(&id) {
        if has_secret || check_url(&id).is_err() {
            return Err(OAuthError::invalid_client("the client is unknown"));
        }
        let key = id;
        return Ok(AuthenticatedClient { key, has_secret });
    }
    let unknown = || OAuthError::invalid_client("the client is unknown: register again");
    let client = registration::find(vault, &id).ok_or_else(unknown)?;
    // Digests are compared, so that the time says nothing of the secret.
    let digest = secret.map(|secret| mcp_oauth::sha256(secret.expose().as_bytes()));
    if client.secret_digest != digest {
        let text = "the secret of the client is wrong or missing";
        return Err(OAuthError::invalid_client(text));
    }
    let key = client.about.key;
    Ok(AuthenticatedClient { key, has_secret })
}

/// Returns the id and the secret, from the header `Authorization` or from the form.
fn credentials(
    headers: &HeaderMap,
    params: &Params,
) -> Result<(String, Option<Secret>), OAuthError> {
    let id = params.get("client_id")?.map(str::to_owned);
    let secret = params.get("client_secret")?.map(Secret::new);
    let mut values = headers.get_all(AUTHORIZATION).into_iter();
    let Some(value) = values.next() else {
        let missing = || OAuthError::invalid_client("the id of the client is missing");
        return Ok((id.ok_or_else(missing)?, secret));
    };
    if values.next().is_some() {
        let text = "the header `Authorization` is repeated";
        return Err(OAuthError::invalid_request(text));
    }
    let malformed = || OAuthError::invalid_client("the header `Authorization` is malformed");
    let basic = basic(value.as_bytes()).ok_or_else(malformed)?;
    if secret.is_some() || id.is_some_and(|id| id != basic.0) {
        let text = "the client sends two different credentials";
        return Err(OAuthError::invalid_request(text));
    }
    Ok(basic)
}

/// Reads the credentials of `Basic`, which are encoded as in a form (RFC 6749, section 2.3.1).
fn basic(value: &[u8]) -> Option<(String, Option<Secret>)> {
    let (scheme, encoded) = std::str::from_utf8(value).ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = zeroize::Zeroizing::new(STANDARD.decode(encoded.trim()).ok()?);
    let (id, secret) = std::str::from_utf8(&decoded).ok()?.split_once(':')?;
    let secret = Secret::new(form_decoded(secret)?);
    Some((
        form_decoded(id)?,
        (!secret.expose().is_empty()).then_some(secret),
    ))
}

/// Decodes a text that is encoded as the value in a form. `None` if it contains separators of a form,
/// which ids and secrets of this server do not have.
fn form_decoded(text: &str) -> Option<String> {
    if text.contains(['&', '=']) {
        return None;
    }
    let mut pairs = form_urlencoded::parse(text.as_bytes());
    Some(pairs.next().unwrap_or_default().0.into_owned())
}
