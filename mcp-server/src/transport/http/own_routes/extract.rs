//! Extractors of axum for what [`TokenLayer`](crate::TokenLayer) attached to a request.

use std::fmt;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;

use crate::protocol::caller::extensions::Principal;
use crate::protocol::handler::access_token::AccessToken;
use crate::protocol::handler::scopes::ScopePolicy;
use crate::transport::http::authenticate::authenticator::insufficient_scope;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::response::answer;

/// The rejection of [`Principal`], [`AccessToken`](crate::AccessToken) and
/// [`TokenScopes`](crate::TokenScopes) as extractors of axum: no layer of the route authenticates
/// its requests. The status is 500, because this is a mistake in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the route has no layer that attaches `{0}`: add `Server::token_layer`")]
pub struct Unauthenticated(&'static str);

impl IntoResponse for Unauthenticated {
    fn into_response(self) -> Response {
        tracing::error!(error = %self, "cannot extract");
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    }
}

fn attached<T: Clone + Send + Sync + 'static>(
    parts: &Parts,
    name: &'static str,
) -> Result<T, Unauthenticated> {
    let value = parts.extensions.get::<T>().cloned();
    value.ok_or(Unauthenticated(name))
}

/// The user or client that [`TokenLayer`](crate::TokenLayer), or another layer, authenticated.
impl<S: Sync> FromRequestParts<S> for Principal {
    type Rejection = Unauthenticated;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Unauthenticated> {
        attached(parts, "Principal")
    }
}

/// The token that [`TokenLayer`](crate::TokenLayer) verified.
impl<S: Sync> FromRequestParts<S> for AccessToken {
    type Rejection = Unauthenticated;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Unauthenticated> {
        attached(parts, "AccessToken")
    }
}

/// The scopes that the layer of a route requires.
#[derive(Clone, Debug, Default)]
pub(crate) struct RouteScopes(pub(crate) Arc<[String]>);

/// What the access token of a request for a route of the application permits, as an extractor of
/// axum. For scopes that depend on the request; [`TokenLayer::scopes`](crate::TokenLayer::scopes)
/// requires those that do not.
///
/// ```
/// use mcp_server::{InsufficientScope, TokenScopes};
///
/// async fn delete(scopes: TokenScopes, path: String) -> Result<&'static str, InsufficientScope> {
///     if path.starts_with("/shared/") {
///         scopes.require(["files:shared"])?;
///     }
///     Ok("deleted")
/// }
/// # let _ = delete;
/// ```
#[derive(Clone)]
pub struct TokenScopes {
    token: AccessToken,
    policy: Arc<dyn ScopePolicy>,
    route: RouteScopes,
}

impl TokenScopes {
    /// Returns `true` if the token permits what a scope permits.
    #[must_use]
    pub fn has(&self, scope: &str) -> bool {
        self.policy.permits(&self.token, scope)
    }

    /// Checks that the token has scopes.
    ///
    /// # Errors
    ///
    /// If the token lacks one of them. The response is that of the endpoint: 403, with a challenge
    /// that names these scopes and those that the layer requires, so that the client can ask the
    /// user for all of them at once.
    pub fn require<T: Into<String>>(
        &self,
        scopes: impl IntoIterator<Item = T>,
    ) -> Result<(), InsufficientScope> {
        let required: Vec<String> = scopes.into_iter().map(Into::into).collect();
        if required.iter().all(|scope| self.has(scope)) {
            return Ok(());
        }
        let operation: Vec<String> = self.route.0.iter().cloned().chain(required).collect();
        let refusal = insufficient_scope(&*self.policy, &self.token, &operation);
        Err(InsufficientScope(Refusal::Auth(refusal)))
    }
}

impl fmt::Debug for TokenScopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenScopes")
            .field("token", &self.token)
            .field("route", &self.route)
            .finish_non_exhaustive()
    }
}

impl<S: Sync> FromRequestParts<S> for TokenScopes {
    type Rejection = Unauthenticated;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Unauthenticated> {
        const NAME: &str = "TokenScopes";
        Ok(Self {
            token: attached(parts, NAME)?,
            policy: attached(parts, NAME)?,
            route: attached(parts, NAME)?,
        })
    }
}

/// An access token lacks a scope that [`TokenScopes::require`] requires. As a response, it is the
/// one that the endpoint sends: 403 with the header `WWW-Authenticate`.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct InsufficientScope(Refusal);

impl IntoResponse for InsufficientScope {
    fn into_response(self) -> Response {
        answer::refusal(&self.0).map(axum::body::Body::new)
    }
}
