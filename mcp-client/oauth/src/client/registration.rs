//! [`register`]: dynamic registration of the client (RFC 7591).

use bytes::Bytes;
use http::{HeaderMap, Method};
use mcp_oauth::Secret;
use mcp_oauth::authorization_server::AuthorizationServer;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::{ClientAuthMethod, ClientRecord, choose_method};
use crate::error::{OAuthError, OAuthFault, OAuthStep};
use crate::net::{Net, refusal};
use mcp_fetch::Origin;

/// How the client describes itself to authorization servers.
#[derive(Clone, Debug)]
pub(crate) struct Description {
    pub(crate) name: String,
    pub(crate) uri: Option<String>,
}

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    #[serde(default)]
    client_secret: Option<Secret>,
    #[serde(default)]
    client_secret_expires_at: Option<u64>,
    #[serde(default)]
    token_endpoint_auth_method: Option<String>,
}

/// Registers the client at an authorization server. Returns `None` if it offers no registration.
pub(crate) async fn register(
    net: &Net,
    server: &AuthorizationServer,
    description: &Description,
    redirect_uri: &str,
) -> Result<Option<ClientRecord>, OAuthError> {
    let Some(url) = &server.registration_endpoint else {
        return Ok(None);
    };
    let failed = |fault: OAuthFault| OAuthError::new(OAuthStep::Registration, fault).at(url);
    let supported = server.token_endpoint_auth_methods_supported.as_deref();
    let method = requested_method(supported);
    // Without `scope`: a client that is registered for the first scopes could not get others later.
    let mut body = json!({
        "client_name": description.name,
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method.as_str(),
        "application_type": application_type(redirect_uri),
    });
    if let (Some(uri), Some(members)) = (&description.uri, body.as_object_mut()) {
        members.insert("client_uri".to_owned(), Value::from(uri.as_str()));
    }
    let body = Bytes::from(body.to_string());
    let media = "application/json";
    let response = net.send(Method::POST, url, HeaderMap::new(), Some((media, body)));
    let response = response.await.map_err(|error| failed(error.into()))?;
    if !response.status.is_success() {
        return Err(failed(refusal(&response)));
    }
    let registered: Registered = response.json().map_err(failed)?;
    let returned = registered.token_endpoint_auth_method;
    let method = match returned.as_deref() {
        Some(name) => {
            // No key was registered, so signatures of a configured client are not sent.
            let known = ClientAuthMethod::parse(name);
            let usable = known.filter(|method| *method != ClientAuthMethod::PrivateKeyJwt);
            usable.ok_or_else(|| {
                let text = format!("unknown `token_endpoint_auth_method` `{name}`");
                failed(OAuthFault::Document(text))
            })?
        }
        None => choose_method(supported, registered.client_secret.is_some(), false),
    };
    Ok(Some(ClientRecord {
        issuer: server.issuer.clone(),
        id: registered.client_id,
        secret: registered.client_secret,
        method,
        redirect_uri: Some(redirect_uri.to_owned()),
        // Zero means never.
        secret_expires_at: registered.client_secret_expires_at.filter(|at| *at != 0),
    }))
}

/// Returns the method that the client asks for: a program on the machine of a user keeps no secret.
fn requested_method(supported: Option<&[String]>) -> ClientAuthMethod {
    let preferred = [
        ClientAuthMethod::None,
        ClientAuthMethod::SecretBasic,
        ClientAuthMethod::SecretPost,
    ];
    let Some(supported) = supported else {
        return ClientAuthMethod::None;
    };
    let is_supported = |method: &ClientAuthMethod| {
        let name = method.as_str();
        supported.iter().any(|known| known == name)
    };
    let found = preferred.into_iter().find(is_supported);
    found.unwrap_or(ClientAuthMethod::None)
}

/// Returns the kind of the application: `native` if the redirect stays on the machine of the user.
fn application_type(redirect_uri: &str) -> &'static str {
    match Origin::parse(redirect_uri) {
        Ok(origin) if !origin.is_loopback() => "web",
        _ => "native",
    }
}
