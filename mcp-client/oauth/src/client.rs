//! [`OAuthClient`]: a client that is registered at an authorization server.

pub(super) mod registration;

use std::fmt;
use std::sync::Arc;

use mcp_oauth::Secret;
use mcp_oauth::jwt::{Algorithm, SigningKey, algorithm_name};
use rustls_pki_types::PrivatePkcs8KeyDer;
use rustls_pki_types::pem::PemObject;
use serde::{Deserialize, Serialize};

use super::error::{OAuthError, OAuthFault, OAuthStep};

/// A client that was registered in advance.
///
/// ```
/// use mcp_client_oauth::OAuthClient;
///
/// let client = OAuthClient::new("my-app")
///     .issuer("https://auth.example.com")
///     .secret("secret");
/// assert!(!format!("{client:?}").contains("\"secret\""));
/// ```
#[derive(Clone)]
#[must_use]
pub struct OAuthClient {
    pub(super) id: String,
    pub(super) issuer: Option<String>,
    pub(super) secret: Option<Secret>,
    pub(super) key: Option<Arc<PrivateKey>>,
    pub(super) method: Option<ClientAuthMethod>,
    pub(super) trusts_first_issuer: bool,
}

impl OAuthClient {
    /// Creates a client without a secret, a public client.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            issuer: None,
            secret: None,
            key: None,
            method: None,
            trusts_first_issuer: false,
        }
    }

    /// Names the issuer at which the client is registered. If a server uses another one, that is an
    /// error. A client with a secret, a key or an assertion needs an issuer. Without one, a public
    /// client belongs to the first issuer with which it is used, which is kept in the
    /// [store](super::TokenStore).
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Allows a client with a secret, a key or an assertion to have no issuer: like a public
    /// client, it belongs to the first issuer with which it is used. The server names that issuer,
    /// so the operator of the server can get the secret. Use it only for servers that you trust
    /// with it.
    pub fn trust_first_issuer(mut self) -> Self {
        self.trusts_first_issuer = true;
        self
    }

    /// Sets the secret. The client then needs an [issuer](Self::issuer).
    pub fn secret(mut self, secret: impl Into<Secret>) -> Self {
        self.secret = Some(secret.into());
        self
    }

    /// Authenticates the client with signatures of this key (`private_key_jwt`) instead of a
    /// secret. The client then needs an [issuer](Self::issuer).
    pub fn key(mut self, key: PrivateKey) -> Self {
        self.key = Some(Arc::new(key));
        self
    }

    /// Chooses how the client authenticates. By default, the first supported method of a list:
    /// `private_key_jwt` with a key, `client_secret_basic` or `client_secret_post` with a secret.
    pub fn method(mut self, method: ClientAuthMethod) -> Self {
        self.method = Some(method);
        self
    }
}

impl fmt::Debug for OAuthClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuthClient")
            .field("id", &self.id)
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

/// How a client authenticates at the token endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ClientAuthMethod {
    /// Not at all: a public client.
    #[serde(rename = "none")]
    None,
    /// With the secret in the header `Authorization`.
    #[serde(rename = "client_secret_basic")]
    SecretBasic,
    /// With the secret in the body.
    #[serde(rename = "client_secret_post")]
    SecretPost,
    /// With a signature.
    #[serde(rename = "private_key_jwt")]
    PrivateKeyJwt,
}

impl ClientAuthMethod {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::SecretBasic => "client_secret_basic",
            Self::SecretPost => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        let all = [
            Self::None,
            Self::SecretBasic,
            Self::SecretPost,
            Self::PrivateKeyJwt,
        ];
        all.into_iter().find(|method| method.as_str() == name)
    }
}

/// A private key for signatures, with an optional id.
#[derive(Debug)]
pub struct PrivateKey {
    pub(super) key: SigningKey,
    pub(super) id: Option<String>,
}

impl PrivateKey {
    /// Reads a key in PKCS#8, as PEM (`BEGIN PRIVATE KEY`).
    ///
    /// # Errors
    ///
    /// Fails for other formats, and for keys that are not for ES256, ES384, `EdDSA`, or RSA.
    pub fn from_pem(pem: &str) -> Result<Self, OAuthError> {
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes());
        let der = der.map_err(|_| {
            let text = "the key is not PKCS#8 as PEM (`BEGIN PRIVATE KEY`)".to_owned();
            OAuthError::new(OAuthStep::Configuration, OAuthFault::Configuration(text))
        })?;
        let failed = |fault| OAuthError::new(OAuthStep::Configuration, OAuthFault::Key(fault));
        let key = SigningKey::from_pkcs8(der.secret_pkcs8_der()).map_err(failed)?;
        Ok(Self { key, id: None })
    }

    /// Sets the id of the key, which signatures name as `kid`.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Chooses the algorithm, such as `PS256`. By default, RSA keys sign with `RS256`; other keys
    /// have one algorithm.
    ///
    /// # Errors
    ///
    /// Fails if the key is not for this algorithm.
    pub fn with_algorithm(mut self, name: &str) -> Result<Self, OAuthError> {
        let failed = |fault| OAuthError::new(OAuthStep::Configuration, fault);
        let algorithm: Algorithm = name.parse().map_err(|_| {
            let text = format!("unknown algorithm `{name}`");
            failed(OAuthFault::Configuration(text))
        })?;
        let key = self.key.with_algorithm(algorithm);
        self.key = key.map_err(|fault| failed(OAuthFault::Key(fault)))?;
        Ok(self)
    }

    /// Returns the name of the algorithm.
    #[must_use]
    pub fn algorithm(&self) -> &'static str {
        algorithm_name(self.key.algorithm())
    }
}

/// A client at an issuer, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ClientRecord {
    pub(super) issuer: String,
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<Secret>,
    pub(super) method: ClientAuthMethod,
    /// The redirect URI with which the client was registered dynamically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) redirect_uri: Option<String>,
    /// When the secret expires, in seconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret_expires_at: Option<u64>,
}

/// Chooses how a client authenticates, from what it has and what the server supports.
pub(super) fn choose_method(
    supported: Option<&[String]>,
    has_secret: bool,
    has_key: bool,
) -> ClientAuthMethod {
    let possible = match (has_key, has_secret) {
        (true, _) => &[ClientAuthMethod::PrivateKeyJwt][..],
        (false, true) => &[ClientAuthMethod::SecretBasic, ClientAuthMethod::SecretPost],
        (false, false) => &[ClientAuthMethod::None],
    };
    let preferred = possible.first().copied().unwrap_or(ClientAuthMethod::None);
    let Some(supported) = supported else {
        // The default of RFC 8414, section 2, is Basic.
        return preferred;
    };
    let is_supported = |method: &&ClientAuthMethod| {
        let name = method.as_str();
        supported.iter().any(|known| known == name)
    };
    let found = possible.iter().find(is_supported).copied();
    found.unwrap_or(preferred)
}
