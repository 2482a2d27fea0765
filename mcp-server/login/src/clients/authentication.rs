//! Who sends a request to the token endpoint (RFC 6749, section 2.3).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::clients::document::{check_url, is_document};
use crate::clients::{registered_key, registration};
use crate::oauth_error::OAuthError;
use crate::secret::{Secret, same};
use crate::vault::Vault;
use crate::web::params::Params;

/// The credentials of a client, from the header `Authorization` or from the form.
struct Credentials {
    id: String,
    secret: Option<Secret>,
}

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
    let Credentials { id, secret } = credentials(headers, params)?;
    let has_secret = secret.is_some();
    if is_document(&id) {
        if has_secret || check_url(&id).is_err() {
            return Err(OAuthError::invalid_client("the client is unknown"));
        }
        let key = id;
        return Ok(AuthenticatedClient { key, has_secret });
    }
    let Some(client) = registration::find(vault, &id) else {
        return Err(OAuthError::invalid_client(
            "the client is unknown: register again",
        ));
    };
    let is_authentic = match (&client.secret_digest, &secret) {
        (None, None) => true,
        (Some(digest), Some(secret)) => {
            same(digest, &mcp_oauth::sha256(secret.expose().as_bytes()))
        }
        _ => false,
    };
    if !is_authentic {
        return Err(OAuthError::invalid_client(
            "the secret of the client is wrong or missing",
        ));
    }
    let key = registered_key(&id);
    Ok(AuthenticatedClient { key, has_secret })
}

fn credentials(headers: &HeaderMap, params: &Params) -> Result<Credentials, OAuthError> {
    let id = params.get("client_id")?.map(str::to_owned);
    let secret = params.get("client_secret")?.map(Secret::new);
    let mut values = headers.get_all(AUTHORIZATION).into_iter();
    match (values.next(), values.next()) {
        (None, _) => {
            let missing = || OAuthError::invalid_client("the id of the client is missing");
            let id = id.ok_or_else(missing)?;
            Ok(Credentials { id, secret })
        }
        (Some(value), None) => {
            let malformed =
                || OAuthError::invalid_client("the header `Authorization` is malformed");
            let basic = basic(value.as_bytes()).ok_or_else(malformed)?;
            if secret.is_some() || id.is_some_and(|id| id != basic.id) {
                let text = "the client sends two different credentials";
                return Err(OAuthError::new("invalid_request", text));
            }
            Ok(basic)
        }
        _ => Err(OAuthError::new(
            "invalid_request",
            "the header `Authorization` is repeated",
        )),
    }
}

/// Reads the credentials of `Basic`, which are encoded as in a form.
fn basic(value: &[u8]) -> Option<Credentials> {
    let text = std::str::from_utf8(value).ok()?;
    let (scheme, encoded) = text.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = zeroize::Zeroizing::new(STANDARD.decode(encoded.trim()).ok()?);
    let decoded = std::str::from_utf8(&decoded).ok()?;
    let (id, secret) = decoded.split_once(':')?;
    let secret = form_decoded(secret)?;
    Some(Credentials {
        id: form_decoded(id)?,
        secret: (!secret.is_empty()).then(|| Secret::new(secret)),
    })
}

/// Decodes a text that is encoded as the value in a form. `None` if it contains separators of a form,
/// which ids and secrets of this server do not have.
fn form_decoded(text: &str) -> Option<String> {
    if text.contains(['&', '=']) {
        return None;
    }
    let mut pairs = form_urlencoded::parse(text.as_bytes());
    Some(
        pairs
            .next()
            .map_or_else(String::new, |(name, _)| name.into_owned()),
    )
}
