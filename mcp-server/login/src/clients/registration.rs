//! The registration of clients (RFC 7591), of which nothing is stored: the id of a client contains its
//! metadata, sealed. So a flood of registrations costs time, but no memory.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::clients::metadata::ClientMetadata;
use crate::clients::{Client, ClientSummary, ID_BYTES, shown_name};
use crate::clock::now;
use crate::fault::Fault;
use crate::oauth_error::OAuthError;
use crate::vault::Vault;
use crate::web::response::{self, Reply};

/// The purpose for which ids are sealed.
const PURPOSE: &str = "client";

/// What the id of a client contains.
#[derive(Serialize, Deserialize)]
struct SealedClient {
    name: String,
    redirect_uris: Vec<String>,
    secret_digest: Option<String>,
}

/// Responds to a request for registration.
pub(crate) fn respond(vault: &Vault<'_>, body: &[u8]) -> Result<Reply, OAuthError> {
    let invalid = |text: String| OAuthError::new("invalid_client_metadata", text);
    let request = ClientMetadata::decode(body)
        .ok_or_else(|| invalid("the body is not a JSON object with client metadata".to_owned()))?;
    request
        .check_redirect_uris()
        .map_err(|text| OAuthError::new("invalid_redirect_uri", text))?;
    request.check_types().map_err(invalid)?;
    let method = request.token_endpoint_auth_method;
    let method = method.unwrap_or_else(|| "none".to_owned());
    let has_secret = match method.as_str() {
        "none" => false,
        "client_secret_basic" | "client_secret_post" => true,
        _ => {
            let expected = "`none`, `client_secret_basic` or `client_secret_post`";
            let text = format!("`token_endpoint_auth_method` is not one of {expected}");
            return Err(invalid(text));
        }
    };
    let secret = has_secret.then(mcp_oauth::random).transpose();
    let secret = secret.map_err(Fault::from)?;
    let digest = |secret: &String| mcp_oauth::sha256(secret.as_bytes());
    let sealed = SealedClient {
        name: shown_name(&request.client_name.unwrap_or_default()),
        redirect_uris: request.redirect_uris,
        secret_digest: secret.as_ref().map(digest),
    };
    let id = vault.seal(PURPOSE, &sealed)?;
    if id.len() > ID_BYTES {
        return Err(invalid(
            "the redirect URIs are too long in total".to_owned(),
        ));
    }
    let mut registered = json!({
        "client_id": id,
        "client_id_issued_at": now(),
        "redirect_uris": sealed.redirect_uris,
        "token_endpoint_auth_method": method,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
    });
    if !sealed.name.is_empty() {
        registered["client_name"] = sealed.name.into();
    }
    if let Some(secret) = secret {
        registered["client_secret"] = secret.into();
        registered["client_secret_expires_at"] = 0.into();
    }
    Ok(response::json(StatusCode::CREATED, &registered))
}

/// Returns the client with an id. `None` if this server did not issue the id, or with keys that it
/// does not have any more.
pub(crate) fn find(vault: &Vault<'_>, id: &str) -> Option<Client> {
    if id.len() > ID_BYTES {
        return None;
    }
    let sealed: SealedClient = vault.unseal(PURPOSE, id)?;
    Some(Client {
        about: ClientSummary::registered(id, &sealed.name),
        redirect_uris: sealed.redirect_uris,
        secret_digest: sealed.secret_digest,
    })
}
