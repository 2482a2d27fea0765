//! [`Issuer`]: an authorization server whose tokens are accepted.

pub(crate) mod verifiers;

use std::time::Duration;

/// An authorization server whose access tokens the server accepts.
///
/// By default the tokens are JWT (RFC 9068). Their keys are found by the metadata of the issuer
/// (RFC 8414, or OpenID Connect Discovery), loaded when the first token arrives, refreshed every 10
/// minutes, and loaded again if a token names an unknown key, which happens after a rotation of
/// keys. With [`introspection`](Self::introspection), the issuer is asked about tokens that are not
/// JWT.
///
/// ```
/// use mcp_server_oauth::{Issuer, OAuth};
///
/// let issuer = Issuer::new("https://auth.example.com")
///     .jwks_uri("https://keys.example.com/jwks.json")
///     .algorithms(["ES256"]);
/// let oauth = OAuth::builder("https://mcp.example.com/mcp").issuer(issuer).build()?;
/// # drop(oauth);
/// # Ok::<(), mcp_server_oauth::OAuthError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Issuer {
    pub(crate) url: String,
    pub(crate) jwks_uri: Option<String>,
    pub(crate) jwks: Option<String>,
    pub(crate) algorithms: Option<Vec<String>>,
    pub(crate) key_interval: Duration,
    pub(crate) introspection: Option<Introspection>,
}

/// How an issuer is asked about tokens (RFC 7662).
#[derive(Clone)]
pub(crate) struct Introspection {
    pub(crate) client_id: String,
    pub(crate) secret: String,
    pub(crate) prefix: String,
    pub(crate) endpoint: Option<String>,
    pub(crate) cache_time: Duration,
    pub(crate) trusts_audience: bool,
}

/// The default for [`Issuer::key_interval`].
const KEY_INTERVAL: Duration = Duration::from_secs(15);
/// The default for [`Issuer::introspection_cache`].
const CACHE_TIME: Duration = Duration::from_secs(30);

impl Issuer {
    /// Creates the description of an issuer with this identifier, exactly as its tokens and its
    /// metadata contain it.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            jwks_uri: None,
            jwks: None,
            algorithms: None,
            key_interval: KEY_INTERVAL,
            introspection: None,
        }
    }

    /// Sets the URL of the keys, instead of the one in the metadata of the issuer.
    #[must_use]
    pub fn jwks_uri(mut self, url: impl Into<String>) -> Self {
        self.jwks_uri = Some(url.into());
        self
    }

    /// Sets the public keys themselves, as the JSON text of a key set (RFC 7517), so that nothing
    /// is loaded from the issuer: for tests, and for networks that do not reach it. When the issuer
    /// rotates its keys, the server has to be restarted with the new ones.
    #[must_use]
    pub fn jwks(mut self, keys: impl Into<String>) -> Self {
        self.jwks = Some(keys.into());
        self
    }

    /// Sets the algorithms of signatures that are accepted, by their names in RFC 7518 and RFC
    /// 8037. Default: `ES256`, `ES384`, `RS256`, `RS384`, `RS512`, `PS256`, `PS384`, `PS512` and
    /// `EdDSA`. Others are not supported: neither `none` nor algorithms with a shared secret.
    #[must_use]
    pub fn algorithms<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.algorithms = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the minimum time between two attempts to load the keys. Default: 15 seconds. It bounds
    /// what tokens with invented key ids cost the issuer. Tokens with a key that is newer than the
    /// last attempt are rejected until this time has passed.
    #[must_use]
    pub fn key_interval(mut self, interval: Duration) -> Self {
        self.key_interval = interval;
        self
    }

    /// Asks the issuer about tokens that are not JWT, with these credentials of the server. At the
    /// same time at most 16 requests are sent. A JWT that names its issuer is never sent.
    #[must_use]
    pub fn introspection(
        mut self,
        client_id: impl Into<String>,
        secret: impl Into<String>,
    ) -> Self {
        self.introspection = Some(Introspection {
            client_id: client_id.into(),
            secret: secret.into(),
            prefix: String::new(),
            endpoint: None,
            cache_time: CACHE_TIME,
            trusts_audience: false,
        });
        self
    }

    /// Sets the URL for [introspection](Self::introspection), instead of the one in the metadata of
    /// the issuer.
    #[must_use]
    pub fn introspection_endpoint(mut self, url: impl Into<String>) -> Self {
        if let Some(introspection) = &mut self.introspection {
            introspection.endpoint = Some(url.into());
        }
        self
    }

    /// Sends only tokens that begin with this text for [introspection](Self::introspection).
    /// Required for each issuer if several of them are asked: otherwise one would receive the
    /// tokens of another, which do not say who issued them.
    #[must_use]
    pub fn introspection_prefix(mut self, prefix: impl Into<String>) -> Self {
        if let Some(introspection) = &mut self.introspection {
            introspection.prefix = prefix.into();
        }
        self
    }

    /// Sets how long the result of an [introspection](Self::introspection) is used, at most until
    /// the token expires. Default: 30 seconds. A revoked token is accepted for that long. That a
    /// token is not active is remembered for at most 5 seconds.
    #[must_use]
    pub fn introspection_cache(mut self, time: Duration) -> Self {
        if let Some(introspection) = &mut self.introspection {
            introspection.cache_time = time;
        }
        self
    }

    /// Accepts results of an [introspection](Self::introspection) that do not name the audience of
    /// the token. Use this only if the issuer calls a token active solely for the resource for
    /// which it was issued, which it knows by the credentials.
    #[must_use]
    pub fn trust_introspected_audience(mut self) -> Self {
        if let Some(introspection) = &mut self.introspection {
            introspection.trusts_audience = true;
        }
        self
    }
}

impl From<&str> for Issuer {
    fn from(url: &str) -> Self {
        Self::new(url)
    }
}

impl From<String> for Issuer {
    fn from(url: String) -> Self {
        Self::new(url)
    }
}

impl std::fmt::Debug for Introspection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Introspection")
            .field("client_id", &self.client_id)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}
