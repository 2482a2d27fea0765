//! [`Target`]: the server, its authorization server, and what is requested of it.

use mcp_client::types::peer_text::PeerText;
use mcp_oauth::authorization_server::AuthorizationServer;
use mcp_oauth::scopes::Scopes;
use mcp_oauth::well_known::origin_text;

use super::records::Records;
use crate::config::{Config, Dpop};
use crate::discovery::challenge::ChallengeInfo;
use crate::discovery::{find_resource, find_server, is_same_issuer};
use crate::error::{OAuthError, OAuthFault, OAuthStep};
use crate::net::Net;
use mcp_fetch::url::shown;

/// The scope for a refresh token.
const OFFLINE: &str = "offline_access";

/// What discovery found.
pub(crate) struct Target {
    pub(crate) net: Net,
    /// The identifier of the server, exactly as its metadata have it.
    pub(crate) resource: String,
    pub(crate) server: AuthorizationServer,
    /// The scopes of the metadata.
    scopes_supported: Option<Scopes>,
    /// Whether to bind tokens to a key.
    pub(crate) dpop: bool,
    /// Whether other tokens are an error.
    pub(crate) dpop_required: bool,
}

impl Target {
    /// Finds the metadata of a server and of its authorization server. `previous` is the issuer
    /// that the client used before.
    pub(crate) async fn discover(
        config: &Config,
        url: &str,
        challenge: &ChallengeInfo,
        previous: Option<&str>,
    ) -> Result<Self, OAuthError> {
        let net = Net::of_server(&config.policy, url)?;
        let found = find_resource(
            &net,
            url,
            challenge.metadata.as_deref(),
            config.strict_resource,
        );
        let resource = match found.await {
            Ok(resource) => resource,
            Err(error)
                if config.legacy
                    && challenge.metadata.is_none()
                    && matches!(error.fault, OAuthFault::NotFound(_)) =>
            {
                return Self::of_2025_03_26(config, net, url).await;
            }
            Err(error) => return Err(error),
        };
        let failed = |fault: OAuthFault| OAuthError::new(OAuthStep::ResourceMetadata, fault);
        let own = issuers_of_clients(config).await?;
        let issuer = choose_issuer(config, &own, &resource.authorization_servers, previous);
        let issuer = issuer.map_err(|fault| failed(fault).at(url))?;
        let server = find_server(&net, issuer, needs_pkce(config, issuer)).await?;
        let scopes = resource.scopes_supported.as_ref().map(Scopes::from_names);
        let scopes_supported = scopes
            .transpose()
            .map_err(|fault| failed(fault.into()).at(url))?;
        let required = resource.dpop_bound_access_tokens_required == Some(true);
        let listed = resource.dpop_signing_alg_values_supported.iter().flatten();
        let offered = challenge.dpop || required || listed.into_iter().any(|name| name == "ES256");
        Ok(Self {
            dpop: match config.dpop {
                Dpop::Auto => offered && server.supports_dpop(),
                Dpop::Required => true,
                Dpop::Never => false,
            },
            dpop_required: required || config.dpop == Dpop::Required,
            net,
            resource: resource.resource,
            server,
            scopes_supported,
        })
    }

    /// A server of 2025-03-26 is its own authorization server. Its metadata are at the root, or its
    /// endpoints have default paths.
    async fn of_2025_03_26(config: &Config, net: Net, url: &str) -> Result<Self, OAuthError> {
        let own = issuers_of_clients(config).await?;
        let issuer = [origin_text(url).to_owned()];
        let issuer = choose_issuer(config, &own, &issuer, None);
        let issuer =
            issuer.map_err(|fault| OAuthError::new(OAuthStep::ResourceMetadata, fault).at(url))?;
        let server = match find_server(&net, issuer, needs_pkce(config, issuer)).await {
            Err(error) if matches!(error.fault, OAuthFault::NotFound(_)) => {
                tracing::warn!(
                    server = %PeerText(&shown(url)),
                    "the server has no metadata; the paths of 2025-03-26 are assumed"
                );
                AuthorizationServer::of_2025_03_26(issuer)
            }
            found => found?,
        };
        Ok(Self {
            net,
            resource: url.trim_end_matches('/').to_owned(),
            server,
            scopes_supported: None,
            dpop: config.dpop == Dpop::Required,
            dpop_required: config.dpop == Dpop::Required,
        })
    }

    /// Chooses the scopes to request: those of the challenge, otherwise all of the metadata, and
    /// those that the program adds. With `before`, the scopes that were requested before are kept.
    pub(crate) fn scopes(
        &self,
        config: &Config,
        challenge: &ChallengeInfo,
        before: Option<&Scopes>,
    ) -> Scopes {
        let needed = challenge.scopes.as_ref().or(self.scopes_supported.as_ref());
        let needed = needed.cloned().unwrap_or_default();
        let mut scopes = match before {
            Some(before) => before.union(&needed),
            None => needed,
        };
        scopes = scopes.union(&config.scopes);
        let offline = Scopes::from_names([OFFLINE]).unwrap_or_default();
        if !self.server.supports_scope(OFFLINE) {
            return scopes.without(OFFLINE);
        }
        // Alone it would replace the default scopes of the authorization server.
        if config.offline && config.is_interactive() && !scopes.is_empty() {
            scopes = scopes.union(&offline);
        }
        scopes
    }
}

/// Only the code flow uses PKCE.
fn needs_pkce(config: &Config, issuer: &str) -> bool {
    config.is_interactive()
        && !config
            .assume_pkce
            .iter()
            .any(|known| is_same_issuer(known, issuer))
}

/// Returns the issuers of the clients of the configuration; `None` for one that belongs to none
/// yet.
async fn issuers_of_clients(config: &Config) -> Result<Vec<Option<String>>, OAuthError> {
    let mut issuers = Vec::new();
    for client in &config.clients {
        issuers.push(Records(config).issuer_of(client).await?);
    }
    Ok(issuers)
}

/// Chooses an authorization server: the one that the program names, one at which the client is
/// registered, the one that was used before, or the first. `own` are the issuers of the clients.
fn choose_issuer<'a>(
    config: &Config,
    own: &[Option<String>],
    listed: &'a [String],
    previous: Option<&str>,
) -> Result<&'a str, OAuthFault> {
    let find = |wanted: &str| {
        let mut listed = listed.iter();
        listed.find(|issuer| is_same_issuer(issuer, wanted))
    };
    let first = listed.first().ok_or(OAuthFault::NoServers)?;
    let other = |expected: &str| OAuthFault::ClientOfOther {
        expected: expected.to_owned(),
        found: first.chars().take(200).collect(),
    };
    if let Some(wanted) = &config.issuer {
        return find(wanted)
            .map(String::as_str)
            .ok_or_else(|| other(wanted));
    }
    let mut bound = own.iter().flatten();
    if let Some(found) = bound.clone().find_map(|issuer| find(issuer)) {
        return Ok(found);
    }
    if let (true, Some(wanted)) = (own.iter().all(Option::is_some), bound.next()) {
        return Err(other(wanted));
    }
    Ok(previous.and_then(find).unwrap_or(first))
}
