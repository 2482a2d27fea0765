//! The documents by which clients find the authorization server and what it supports.

use bytes::Bytes;
use mcp_oauth::dpop::algorithm_names;
use mcp_oauth::protected_resource::ProtectedResource;
use serde_json::json;

use crate::endpoints;
use crate::login::LoginServer;

/// Returns the metadata of the authorization server (RFC 8414).
pub(crate) fn of_issuer(login: &LoginServer) -> Bytes {
    let urls = &login.urls;
    let mut metadata = json!({
        "issuer": urls.issuer,
        "authorization_endpoint": urls.at(endpoints::AUTHORIZE),
        "token_endpoint": urls.at(endpoints::TOKEN),
        "registration_endpoint": urls.at(endpoints::REGISTER),
        "revocation_endpoint": urls.at(endpoints::REVOKE),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported":
            ["none", "client_secret_basic", "client_secret_post"],
        "revocation_endpoint_auth_methods_supported":
            ["none", "client_secret_basic", "client_secret_post"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
        "dpop_signing_alg_values_supported": algorithm_names(),
        "protected_resources": [urls.resource],
    });
    if !login.supported.is_empty() {
        metadata["scopes_supported"] = json!(login.supported);
    }
    Bytes::from(metadata.to_string())
}

/// Returns the metadata of the protected resource (RFC 9728).
pub(crate) fn of_resource(login: &LoginServer) -> Bytes {
    let urls = &login.urls;
    let mut metadata = ProtectedResource::new(&urls.resource, [urls.issuer.clone()]);
    let supported = &login.supported;
    metadata.scopes_supported = (!supported.is_empty()).then(|| supported.clone());
    metadata.bearer_methods_supported = Some(vec!["header".to_owned()]);
    metadata.resource_name = Some(login.name.clone());
    let names = algorithm_names().map(str::to_owned);
    metadata.dpop_signing_alg_values_supported = Some(names.into());
    // All members are strings and lists of strings, so this does not fail.
    Bytes::from(serde_json::to_vec(&metadata).unwrap_or_default())
}
