//! [`AuthorizationServer`]: the metadata of an authorization server (RFC 8414, OpenID Connect
//! Discovery).

use serde::Deserialize;

/// The metadata of an authorization server, as far as a client of a protected server needs them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct AuthorizationServer {
    /// The identifier. It is compared byte by byte.
    pub issuer: String,
    /// Where users are sent.
    pub authorization_endpoint: Option<String>,
    /// Where tokens are requested.
    pub token_endpoint: Option<String>,
    /// Where clients register (RFC 7591).
    pub registration_endpoint: Option<String>,
    /// Where tokens are revoked (RFC 7009).
    pub revocation_endpoint: Option<String>,
    /// The scopes.
    pub scopes_supported: Option<Vec<String>>,
    /// How clients authenticate at the token endpoint.
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// The methods of PKCE (RFC 7636).
    pub code_challenge_methods_supported: Option<Vec<String>>,
    /// Whether redirects name the issuer (RFC 9207).
    pub authorization_response_iss_parameter_supported: Option<bool>,
    /// Whether the id of a client can be the URL of its metadata.
    pub client_id_metadata_document_supported: Option<bool>,
    /// The algorithms of proofs of possession (RFC 9449).
    pub dpop_signing_alg_values_supported: Option<Vec<String>>,
}

impl AuthorizationServer {
    /// Returns the metadata of a server of 2025-03-26 that publishes none: the paths of its
    /// endpoints are fixed. `origin` has no slash at the end.
    #[must_use]
    pub fn of_2025_03_26(origin: &str) -> Self {
        let at = |path| Some(format!("{origin}{path}"));
        Self {
            issuer: origin.to_owned(),
            authorization_endpoint: at("/authorize"),
            token_endpoint: at("/token"),
            registration_endpoint: at("/register"),
            ..Self::default()
        }
    }

    /// Returns `true` if the server lists a scope.
    #[must_use]
    pub fn supports_scope(&self, scope: &str) -> bool {
        lists(self.scopes_supported.as_ref(), scope)
    }

    /// Returns `true` if the server accepts proofs of possession with ES256.
    #[must_use]
    pub fn supports_dpop(&self) -> bool {
        lists(self.dpop_signing_alg_values_supported.as_ref(), "ES256")
    }

    /// Returns `true` if the server announces PKCE with S256.
    #[must_use]
    pub fn has_pkce(&self) -> bool {
        lists(self.code_challenge_methods_supported.as_ref(), "S256")
    }
}

fn lists(list: Option<&Vec<String>>, name: &str) -> bool {
    list.is_some_and(|list| list.iter().any(|known| known == name))
}
