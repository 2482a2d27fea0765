//! [`find_server`]: the metadata of an authorization server (RFC 8414, OpenID Connect Discovery).

use serde::Deserialize;

use super::well_known;
use crate::oauth::error::{OAuthError, OAuthFault, OAuthStep};
use crate::oauth::net::Net;
use crate::util::origin::UrlFault;

/// The metadata of an authorization server.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in crate::oauth) struct ServerMetadata {
    pub(in crate::oauth) issuer: String,
    pub(in crate::oauth) authorization_endpoint: Option<String>,
    pub(in crate::oauth) token_endpoint: Option<String>,
    pub(in crate::oauth) registration_endpoint: Option<String>,
    pub(in crate::oauth) revocation_endpoint: Option<String>,
    pub(in crate::oauth) scopes_supported: Option<Vec<String>>,
    pub(in crate::oauth) token_endpoint_auth_methods_supported: Option<Vec<String>>,
    pub(in crate::oauth) code_challenge_methods_supported: Option<Vec<String>>,
    pub(in crate::oauth) authorization_response_iss_parameter_supported: Option<bool>,
    pub(in crate::oauth) client_id_metadata_document_supported: Option<bool>,
    pub(in crate::oauth) dpop_signing_alg_values_supported: Option<Vec<String>>,
}

impl ServerMetadata {
    /// Returns the metadata of a server of 2025-03-26 that publishes none.
    pub(in crate::oauth) fn of_2025_03_26(server: &str) -> Self {
        let at = |path| Some(well_known::origin_url(server, path));
        Self {
            issuer: well_known::origin_text(server).to_owned(),
            authorization_endpoint: at("/authorize"),
            token_endpoint: at("/token"),
            registration_endpoint: at("/register"),
            ..Self::default()
        }
    }

    /// Returns the URL of the token endpoint.
    pub(in crate::oauth) fn token_endpoint(&self) -> Result<&str, OAuthError> {
        self.token_endpoint.as_deref().ok_or_else(|| {
            let name = "token_endpoint";
            let fault = OAuthFault::Endpoint { name, fault: None };
            OAuthError::new(OAuthStep::ServerMetadata, fault).at(&self.issuer)
        })
    }

    /// Returns `true` if the server lists a scope.
    pub(in crate::oauth) fn supports_scope(&self, scope: &str) -> bool {
        let scopes = self.scopes_supported.iter().flatten();
        scopes.into_iter().any(|known| known == scope)
    }

    /// Returns `true` if the server accepts proofs of possession with ES256.
    pub(in crate::oauth) fn supports_dpop(&self) -> bool {
        let algorithms = self.dpop_signing_alg_values_supported.iter().flatten();
        algorithms.into_iter().any(|known| known == "ES256")
    }

    fn has_pkce(&self) -> bool {
        let methods = self.code_challenge_methods_supported.iter().flatten();
        methods.into_iter().any(|method| method == "S256")
    }

    /// Checks the scheme of all endpoints. Their addresses are checked when they are used.
    fn check_endpoints(&self, net: &Net) -> Result<(), OAuthFault> {
        for (name, url) in [
            ("authorization_endpoint", &self.authorization_endpoint),
            ("token_endpoint", &self.token_endpoint),
            ("registration_endpoint", &self.registration_endpoint),
            ("revocation_endpoint", &self.revocation_endpoint),
        ] {
            let Some(url) = url else { continue };
            let checked = net.check_for_browser(url).and_then(|()| {
                // The parameters of the request are appended to it.
                if url.contains('#') {
                    Err(UrlFault::Characters)
                } else {
                    Ok(())
                }
            });
            checked.map_err(|fault| OAuthFault::Endpoint {
                name,
                fault: Some(fault),
            })?;
        }
        Ok(())
    }
}

/// Finds the metadata of an issuer at its well-known URLs.
///
/// # Errors
///
/// Fails if no document is found, if a document is that of another issuer, or if all of them lack
/// PKCE with S256 although it is required.
pub(in crate::oauth) async fn find_server(
    net: &Net,
    issuer: &str,
    needs_pkce: bool,
) -> Result<ServerMetadata, OAuthError> {
    let failed = |fault: OAuthFault| OAuthError::new(OAuthStep::ServerMetadata, fault);
    if let Err(fault) = net.check_for_browser(issuer) {
        let name = "issuer";
        let fault = Some(fault);
        return Err(failed(OAuthFault::Endpoint { name, fault }).at(issuer));
    }
    let mut attempts = Vec::new();
    let mut without_pkce = None;
    for url in well_known::of_issuer(issuer) {
        let response = net.get(&url).await;
        let response = response.map_err(|error| failed(error.into()).at(&url))?;
        if !response.status.is_success() {
            if !response.status.is_client_error() {
                return Err(failed(OAuthFault::Status(response.status)).at(&url));
            }
            attempts.push((url, OAuthFault::Status(response.status).to_string()));
            continue;
        }
        let found: ServerMetadata = match response.json() {
            Ok(found) => found,
            Err(fault) => {
                attempts.push((url, fault.to_string()));
                continue;
            }
        };
        if found.issuer != issuer {
            let expected = issuer.to_owned();
            let found = found.issuer.chars().take(200).collect();
            return Err(failed(OAuthFault::Issuer { expected, found }).at(&url));
        }
        found
            .check_endpoints(net)
            .map_err(|fault| failed(fault).at(&url))?;
        if needs_pkce && !found.has_pkce() {
            without_pkce = Some(url);
            continue;
        }
        return Ok(found);
    }
    Err(match without_pkce {
        Some(url) => failed(OAuthFault::Pkce).at(&url),
        None => failed(OAuthFault::NotFound(attempts)).at(issuer),
    })
}
