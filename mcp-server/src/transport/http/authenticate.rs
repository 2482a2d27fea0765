//! [`Authenticate`]: decides which requests an endpoint accepts.
//!
//! A `request` is accepted as the caller in `authenticated`, or refused by an
//! [`AuthRefusal`](crate::AuthRefusal). The `authenticator` of an endpoint calls the trait, checks the
//! scopes, and answers for the `public_route`s.

pub(crate) mod authenticated;
pub(crate) mod authenticator;
pub(crate) mod public_route;
pub(crate) mod request;

use std::sync::Arc;

use crate::protocol::error::challenge::Challenge;
use crate::protocol::handler::access_token::AccessToken;
use crate::transport::http::authenticate::authenticated::Authenticated;
use crate::transport::http::authenticate::public_route::PublicRoute;
use crate::transport::http::authenticate::request::AuthRequest;
use crate::transport::http::refusal::auth_refusal::AuthRefusal;

/// Decides which requests an HTTP endpoint accepts, and who sends them.
///
/// An endpoint with an implementation, see [`HttpConfig::authenticate`](crate::HttpConfig::authenticate),
/// calls it for every request before it reads the body. The crate `mcp-server-oauth` implements the
/// trait for access tokens of OAuth 2.1. A program implements it for credentials of another kind:
///
/// ```
/// use mcp_server::{
///     AccessToken, AuthRefusal, AuthRequest, Authenticate, Authenticated, Challenge, HttpConfig,
/// };
///
/// /// Accepts requests with a key. A real program looks for its digest in a database.
/// struct ApiKeys;
///
/// impl Authenticate for ApiKeys {
///     async fn authenticate(
///         &self,
///         request: AuthRequest<'_>,
///     ) -> Result<Authenticated, AuthRefusal> {
///         let credentials = request.parts().headers.get("authorization");
///         if credentials.is_none_or(|key| key != "Bearer mF_9.B5f-4.1JqM") {
///             let refusal = AuthRefusal::unauthorized("the API key is missing or unknown");
///             return Err(refusal.challenge(&Challenge::new("Bearer")));
///         }
///         let token = AccessToken::new("https://mcp.example.com").subject("ada");
///         Ok(Authenticated::new(token.scopes(["files:read"])))
///     }
/// }
///
/// let config = HttpConfig::new().authenticate(ApiKeys);
/// # drop(config);
/// ```
///
/// The endpoint checks the scopes, and ends streams with the credentials. Everything else is a matter of
/// the implementation: that the credentials are genuine, meant for this server and not expired. One
/// that wraps another one, for example to count failures, has to pass on all methods.
///
/// Prefer the header `Authorization`: the values of others are shown by `Debug` of a request, and pages
/// may send them only if the configuration [allows](crate::HttpConfig::allow_headers) it.
///
/// [Health, readiness and metrics](crate::HttpConfig::health_path), [public
/// routes](Self::public_routes) and preflight requests of browsers need no authentication. The number
/// of requests that are authenticated at the same time is
/// [limited](field@crate::Limits::verifications_per_peer) for each address.
pub trait Authenticate: Send + Sync + 'static {
    /// Decides about a request by its head.
    ///
    /// The endpoint waits for the future without a limit of its own. It drops the future if the client
    /// closes the connection.
    ///
    /// # Errors
    ///
    /// The refusal, which is the response. It is counted as
    /// [`RefusalCause::Unauthorized`](crate::RefusalCause::Unauthorized).
    fn authenticate(
        &self,
        request: AuthRequest<'_>,
    ) -> impl Future<Output = Result<Authenticated, AuthRefusal>> + Send;

    /// Returns the scopes that every request requires. Default: none.
    ///
    /// The endpoint checks them after [`authenticate`](Self::authenticate). A challenge for the scopes
    /// of an operation begins with them.
    fn required_scopes(&self) -> &[String] {
        &[]
    }

    /// Returns `true` if a token permits what a scope permits. Default: if the token has this scope.
    fn permits(&self, token: &AccessToken, scope: &str) -> bool {
        token.scopes.iter().any(|granted| granted == scope)
    }

    /// Adds parameters to the challenge for a caller whose token lacks a scope, such as the URL where
    /// clients find the authorization server. The challenge has the parameters `error` and `scope`, and
    /// the scheme `DPoP` if the token is bound to a key, otherwise `Bearer`. Default: adds nothing.
    fn complete_challenge(&self, challenge: Challenge) -> Challenge {
        challenge
    }

    /// Returns what the endpoint serves to everybody, such as metadata by which clients find the
    /// authorization server. Called when an endpoint is configured. Default: nothing.
    fn public_routes(&self) -> Vec<PublicRoute> {
        Vec::new()
    }
}

/// Several endpoints and layers can share an implementation.
impl<T: Authenticate> Authenticate for Arc<T> {
    async fn authenticate(&self, request: AuthRequest<'_>) -> Result<Authenticated, AuthRefusal> {
        (**self).authenticate(request).await
    }

    fn required_scopes(&self) -> &[String] {
        (**self).required_scopes()
    }

    fn permits(&self, token: &AccessToken, scope: &str) -> bool {
        (**self).permits(token, scope)
    }

    fn complete_challenge(&self, challenge: Challenge) -> Challenge {
        (**self).complete_challenge(challenge)
    }

    fn public_routes(&self) -> Vec<PublicRoute> {
        (**self).public_routes()
    }
}
