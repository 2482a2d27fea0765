//! [`find_server`]: the metadata of an authorization server (RFC 8414, OpenID Connect Discovery).

use mcp_oauth::authorization_server::AuthorizationServer;
use mcp_oauth::well_known;

use super::search::search;
use crate::error::{OAuthError, OAuthFault, OAuthStep};
use crate::net::Net;
use mcp_fetch::UrlFault;

/// Returns `true` if two issuers are equal. Without a path, a slash at the end does not matter,
/// because an empty path is equivalent to `/` (RFC 3986, section 6.2.3). Everything else is
/// compared byte by byte.
pub(crate) fn is_same_issuer(one: &str, other: &str) -> bool {
    /// Returns the issuer without the slash of an empty path.
    fn trimmed(issuer: &str) -> &str {
        let origin = well_known::origin_text(issuer);
        let is_root = issuer.strip_prefix(origin) == Some("/");
        if is_root { origin } else { issuer }
    }
    trimmed(one) == trimmed(other)
}

/// Finds the metadata of an issuer at its well-known URLs.
///
/// # Errors
///
/// Fails if no document is found, if a document is that of another issuer, or if all of them lack
/// PKCE with S256 although it is required.
pub(crate) async fn find_server(
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
        if !is_same_issuer(&found.issuer, issuer) {
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
pub(crate) fn token_endpoint(server: &AuthorizationServer) -> Result<&str, OAuthError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issuers_without_a_path_may_differ_by_a_slash() {
        for (one, other, is_same) in [
            ("https://a.example", "https://a.example", true),
            ("https://a.example", "https://a.example/", true),
            ("https://a.example/t", "https://a.example/t", true),
            ("https://a.example/t", "https://a.example/t/", false),
            ("https://a.example", "https://a.example//", false),
            ("https://a.example", "https://a.example/?", false),
            ("https://a.example", "https://A.example", false),
            ("https://a.example", "https://a.example:443", false),
            ("https://a.example", "https://a.exampl", false),
            ("", "/", true),
        ] {
            assert_eq!(is_same_issuer(one, other), is_same, "{one} {other}");
            assert_eq!(is_same_issuer(other, one), is_same, "{one} {other}");
        }
    }
}
