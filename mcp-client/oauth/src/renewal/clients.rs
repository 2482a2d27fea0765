//! Which client is used at an authorization server.

use std::sync::Arc;

use super::records::Records;
use super::target::Target;
use crate::client::registration::register;
use crate::client::{ClientAuthMethod, ClientRecord, OAuthClient, PrivateKey, choose_method};
use crate::config::Config;
use crate::discovery::is_same_issuer;
use crate::error::{OAuthError, OAuthFault, OAuthStep};
use crate::store::StoreKey;
use crate::tokens::now;

/// Returns the client of the configuration with this id at this issuer. Clients of different
/// issuers can have equal ids.
pub(super) async fn configured<'a>(
    config: &'a Config,
    client: &ClientRecord,
) -> Result<Option<&'a OAuthClient>, OAuthError> {
    for own in config.clients.iter().filter(|own| own.id == client.id) {
        let issuer = Records(config).issuer_of(own).await?;
        if issuer.is_some_and(|issuer| is_same_issuer(&issuer, &client.issuer)) {
            return Ok(Some(own));
        }
    }
    Ok(None)
}

/// Returns the key of a client for `private_key_jwt`.
pub(super) async fn key_of(
    config: &Config,
    client: &ClientRecord,
) -> Result<Option<Arc<PrivateKey>>, OAuthError> {
    if client.method != ClientAuthMethod::PrivateKeyJwt {
        return Ok(None);
    }
    let own = configured(config, client).await?;
    Ok(own.and_then(|own| own.key.clone()))
}

/// Adds the secret to a client that was stored without it. That of the configuration replaces a
/// stored one, which may be an older one.
pub(super) async fn with_secret(
    config: &Config,
    mut client: ClientRecord,
) -> Result<ClientRecord, OAuthError> {
    use ClientAuthMethod::{SecretBasic, SecretPost};
    if !matches!(client.method, SecretBasic | SecretPost) {
        return Ok(client);
    }
    client.secret = match configured(config, &client).await? {
        Some(own) => own.secret.clone(),
        None if client.secret.is_some() => client.secret,
        None => match Records(config).client(&client.issuer).await? {
            Some(known) if known.id == client.id => known.secret,
            _ => {
                let fault = OAuthFault::NoClient(client.issuer.clone());
                return Err(OAuthError::new(OAuthStep::Token, fault).at(&client.issuer));
            }
        },
    };
    Ok(client)
}

/// Returns the client of the configuration that belongs to an authorization server.
pub(super) async fn preregistered(
    config: &Config,
    target: &Target,
) -> Result<Option<ClientRecord>, OAuthError> {
    let server = &target.server;
    let mut other = None;
    for client in &config.clients {
        let issuer = match &client.issuer {
            Some(issuer) => issuer.clone(),
            None => Records(config).bind(client, &server.issuer).await?,
        };
        if is_same_issuer(&issuer, &server.issuer) {
            let supported = server.token_endpoint_auth_methods_supported.as_deref();
            return Ok(Some(record_of(client, server.issuer.clone(), supported)));
        }
        other.get_or_insert(issuer);
    }
    let Some(expected) = other else {
        return Ok(None);
    };
    let found = server.issuer.clone();
    let fault = OAuthFault::ClientOfOther { expected, found };
    Err(OAuthError::new(OAuthStep::Registration, fault))
}

/// Returns the client for an authorization server: registered in advance, by its metadata document,
/// or registered now.
pub(super) async fn client_for(
    config: &Config,
    target: &Target,
    redirect_uri: &str,
) -> Result<ClientRecord, OAuthError> {
    if let Some(client) = preregistered(config, target).await? {
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
