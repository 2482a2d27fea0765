//! [`TokenVerifier`]: finds out what an access token says.

pub(crate) mod claims;
pub(crate) mod introspection;
pub(crate) mod jwt;
pub(crate) mod key_cache;
pub(crate) mod static_tokens;

use std::error::Error;
use std::future::Future;
use std::pin::Pin;

use http::request::Parts;
use mcp_server::AccessToken;

/// Verifies the access tokens of one issuer.
///
/// [`OAuth`](crate::OAuth) verifies JWT with the keys of their issuer, and other tokens by
/// introspection. A program implements the trait for tokens of another kind:
///
/// ```
/// use mcp_server::AccessToken;
/// use mcp_server_oauth::{OAuth, PresentedToken, TokenError, TokenVerifier};
///
/// struct Database;
///
/// impl TokenVerifier for Database {
///     fn issuer(&self) -> &str {
///         "https://auth.example.com"
///     }
///
///     async fn verify(&self, token: PresentedToken<'_>) -> Result<AccessToken, TokenError> {
///         // A real program looks for a digest of the token in a database.
///         if token.text() != "mF_9.B5f-4.1JqM" {
///             return Err(TokenError::invalid("the token is unknown"));
///         }
///         Ok(AccessToken::new(self.issuer())
///             .subject("ada")
///             .scopes(["files:read"])
///             .audience([token.resource()]))
///     }
/// }
///
/// let oauth = OAuth::builder("https://mcp.example.com/mcp").verifier(Database).build()?;
/// # drop(oauth);
/// # Ok::<(), mcp_server_oauth::OAuthError>(())
/// ```
pub trait TokenVerifier: Send + Sync + 'static {
    /// Returns the identifier of the issuer, a URL. Clients are told to get tokens there.
    fn issuer(&self) -> &str;

    /// Verifies a token that arrived with a request. The body of the request is read only later.
    ///
    /// The server itself checks what this returns: the issuer, the time of expiry, the audience,
    /// and the proof of possession for a token that is bound to a key.
    ///
    /// # Errors
    ///
    /// [`TokenError::Foreign`] and [`TokenError::Unavailable`] let the server ask the next
    /// verifier. [`TokenError::Invalid`] rejects the request.
    fn verify(
        &self,
        token: PresentedToken<'_>,
    ) -> impl Future<Output = Result<AccessToken, TokenError>> + Send;
}

/// An access token as a client sent it.
#[derive(Clone, Copy)]
pub struct PresentedToken<'a> {
    text: &'a str,
    issuer: Option<&'a str>,
    resource: &'a str,
    request: &'a Parts,
}

impl<'a> PresentedToken<'a> {
    pub(crate) fn new(
        text: &'a str,
        issuer: Option<&'a str>,
        resource: &'a str,
        request: &'a Parts,
    ) -> Self {
        Self {
            text,
            issuer,
            resource,
            request,
        }
    }

    /// Returns the issuer that the token names, if it is a JWT. Nothing is verified.
    pub(crate) fn unverified_issuer(&self) -> Option<&'a str> {
        self.issuer
    }

    /// Returns the token. It is a secret: do not log it and do not send it to other servers.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the identifier of this server, for which the token has to be issued.
    #[must_use]
    pub fn resource(&self) -> &'a str {
        self.resource
    }

    /// Returns the head of the request.
    #[must_use]
    pub fn request(&self) -> &'a Parts {
        self.request
    }
}

impl std::fmt::Debug for PresentedToken<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PresentedToken")
            .field("resource", &self.resource)
            .finish_non_exhaustive()
    }
}

/// Why an access token is not accepted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The token is not one of this issuer, as far as its form shows.
    #[error("the access token is not one of an issuer that the server trusts")]
    Foreign,
    /// The token is not valid: 401 with the error `invalid_token`. Clients see the reason.
    #[error("the access token is not valid: {0}")]
    Invalid(String),
    /// The token cannot be verified now, for example because the issuer does not respond: 503,
    /// unless another verifier accepts the token. The reason goes to the log only.
    #[error("the access token cannot be verified")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
}

impl TokenError {
    /// Creates the error for a token that is not valid. The reason must not contain parts of the
    /// token.
    pub fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid(reason.into())
    }

    /// Creates the error for a token that cannot be verified now.
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unavailable(source.into())
    }
}

/// The result of a verification, boxed.
pub(crate) type VerifyFuture<'a> =
    Pin<Box<dyn Future<Output = Result<AccessToken, TokenError>> + Send + 'a>>;

/// A [`TokenVerifier`] with its type erased.
pub(crate) trait AnyVerifier: Send + Sync {
    fn issuer(&self) -> &str;

    fn verify<'a>(&'a self, token: PresentedToken<'a>) -> VerifyFuture<'a>;
}

impl<T: TokenVerifier> AnyVerifier for T {
    fn issuer(&self) -> &str {
        TokenVerifier::issuer(self)
    }

    fn verify<'a>(&'a self, token: PresentedToken<'a>) -> VerifyFuture<'a> {
        Box::pin(TokenVerifier::verify(self, token))
    }
}
