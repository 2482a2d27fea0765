//! [`find_server`]: the metadata of an authorization server (RFC 8414, OpenID Connect Discovery).

use mcp_types::oauth::authorization_server::AuthorizationServer;
use mcp_types::oauth::well_known;

use super::search::search;
use crate::oauth::error::{OAuthError, OAuthFault, OAuthStep};
use crate::oauth::net::Net;
use crate::util::origin::UrlFault;

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
) -> Result<AuthorizationServer, OAuthError> {
    let step = OAuthStep::ServerMetadata;
    let failed = |fault: OAuthFault| OAuthError::new(step, fault);
    if let Err(fault) = net.check_for_browser(issuer) {
        let name = "issuer";
        let fault = Some(fault);
        return Err(failed(OAuthFault::Endpoint { name, fault }).at(issuer));
    }
    let mut without_pkce = None;
    let urls = well_known::of_issuer(issuer);
    let found = search(net, step, urls, |found: &AuthorizationServer, url| {
        if found.issuer != issuer {
            return Err(OAuthFault::Issuer {
                expected: issuer.to_owned(),
                found: found.issuer.chars().take(200).collect(),
            });
        }
        check_endpoints(found, net)?;
        let lacks_pkce = needs_pkce && !found.has_pkce();
        if lacks_pkce {
            without_pkce = Some(url.to_owned());
        }
        Ok(!lacks_pkce)
    });
    let found = found.await?;
    found.map_err(|passed| match without_pkce {
        Some(url) => failed(OAuthFault::Pkce).at(&url),
        None => failed(OAuthFault::NotFound(passed)).at(issuer),
    })
}

/// Returns the URL of the token endpoint.
pub(in crate::oauth) fn token_endpoint(server: &AuthorizationServer) -> Result<&str, OAuthError> {
    server.token_endpoint.as_deref().ok_or_else(|| {
        let name = "token_endpoint";
        let fault = OAuthFault::Endpoint { name, fault: None };
        OAuthError::new(OAuthStep::ServerMetadata, fault).at(&server.issuer)
    })
}

/// Checks the scheme of all endpoints. Their addresses are checked when they are used.
fn check_endpoints(found: &AuthorizationServer, net: &Net) -> Result<(), OAuthFault> {
    for (name, url) in [
        ("authorization_endpoint", &found.authorization_endpoint),
        ("token_endpoint", &found.token_endpoint),
        ("registration_endpoint", &found.registration_endpoint),
        ("revocation_endpoint", &found.revocation_endpoint),
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
