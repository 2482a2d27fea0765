//! Which client is used at an authorization server.

use std::sync::Arc;

use super::client::{ClientAuthMethod, ClientRecord, OAuthClient, PrivateKey, choose_method};
use super::config::Config;
use super::discovery::is_same_issuer;
use super::error::{OAuthError, OAuthFault, OAuthStep};
use super::records::Records;
use super::registration::register;
use super::store::StoreKey;
use super::target::Target;
use super::tokens::now;

/// Returns the key of a client for `private_key_jwt`.
pub(super) fn key_of(config: &Config, client: &ClientRecord) -> Option<Arc<PrivateKey>> {
    if client.method != ClientAuthMethod::PrivateKeyJwt {
        return None;
    }
    let configured = config.clients.iter().find(|own| own.id == client.id);
    configured.and_then(|own| own.key.clone())
}

/// Returns the client of the configuration that belongs to an authorization server.
pub(super) fn preregistered(
    config: &Config,
    target: &Target,
) -> Result<Option<ClientRecord>, OAuthError> {
    let issuer = &target.server.issuer;
    let clients = &config.clients;
    let fits = |client: &&OAuthClient| match &client.issuer {
        Some(own) => is_same_issuer(own, issuer),
        None => client.bound_issuer(issuer) == issuer,
    };
    let supported = target
        .server
        .token_endpoint_auth_methods_supported
        .as_deref();
    if let Some(client) = clients.iter().find(fits) {
        return Ok(Some(record_of(client, issuer.clone(), supported)));
    }
    match clients.first() {
        None => Ok(None),
        Some(client) => {
            let own = client.issuer.as_deref();
            let expected = own
                .unwrap_or_else(|| client.bound_issuer(issuer))
                .to_owned();
            let found = issuer.clone();
            let fault = OAuthFault::ClientOfOther { expected, found };
            Err(OAuthError::new(OAuthStep::Registration, fault))
        }
    }
}

/// Returns the client for an authorization server: registered in advance, by its metadata document,
/// or registered now.
pub(super) async fn client_for(
    config: &Config,
    target: &Target,
    redirect_uri: &str,
) -> Result<ClientRecord, OAuthError> {
    if let Some(client) = preregistered(config, target)? {
        return Ok(client);
    }
    let server = &target.server;
    if let (Some(document), Some(true)) = (
        &config.metadata_document,
        server.client_id_metadata_document_supported,
    ) {
        return Ok(ClientRecord {
            issuer: server.issuer.clone(),
            id: document.clone(),
            secret: None,
            method: ClientAuthMethod::None,
            redirect_uri: None,
            secret_expires_at: None,
        });
    }
    let records = Records(config);
    let key = StoreKey::Client {
        issuer: server.issuer.clone(),
    };
    let _lock = records.lock(&key).await?;
    if let Some(known) = records.client(&server.issuer).await? {
        let is_valid = known.secret_expires_at.is_none_or(|at| at > now());
        if is_valid && known.redirect_uri.as_deref() == Some(redirect_uri) {
            return Ok(known);
        }
    }
    let description = &config.description;
    let registered = register(&target.net, server, description, redirect_uri).await?;
    let client = registered.ok_or_else(|| {
        let fault = OAuthFault::NoClient(server.issuer.clone());
        OAuthError::new(OAuthStep::Registration, fault)
    })?;
    records.save_client(&client).await?;
    Ok(client)
}

/// Returns a client of the configuration as a record.
pub(super) fn record_of(
    client: &OAuthClient,
    issuer: String,
    supported: Option<&[String]>,
) -> ClientRecord {
    let chosen = || choose_method(supported, client.secret.is_some(), client.key.is_some());
    ClientRecord {
        issuer,
        id: client.id.clone(),
        secret: client.secret.clone(),
        method: client.method.unwrap_or_else(chosen),
        redirect_uri: None,
        secret_expires_at: None,
    }
}
