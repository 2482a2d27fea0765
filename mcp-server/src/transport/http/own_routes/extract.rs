//! Extractors of axum for what [`TokenLayer`](crate::TokenLayer) attached to a request.

#[cfg(feature = "oauth")]
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;

use crate::protocol::caller::extensions::Principal;
#[cfg(feature = "oauth")]
use crate::protocol::handler::access_token::AccessToken;
#[cfg(feature = "oauth")]
use crate::protocol::handler::scopes::ScopePolicy;
#[cfg(feature = "oauth")]
use crate::transport::http::oauth::authorize::insufficient_scope;
#[cfg(feature = "oauth")]
use crate::transport::http::refusal::Refusal;
#[cfg(feature = "oauth")]
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
#[cfg(feature = "oauth")]
impl<S: Sync> FromRequestParts<S> for AccessToken {
    type Rejection = Unauthenticated;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Unauthenticated> {
        attached(parts, "AccessToken")
    }
}

/// The scopes that the layer of a route requires.
#[cfg(feature = "oauth")]
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
#[cfg(feature = "oauth")]
#[derive(Clone, Debug)]
pub struct TokenScopes {
    token: AccessToken,
    policy: Arc<ScopePolicy>,
    route: RouteScopes,
}

#[cfg(feature = "oauth")]
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
        let refusal = insufficient_scope(&self.policy, &self.token, &operation);
        Err(InsufficientScope(Refusal::Token(refusal.into())))
    }
}

#[cfg(feature = "oauth")]
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
#[cfg(feature = "oauth")]
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct InsufficientScope(Refusal);

#[cfg(feature = "oauth")]
impl IntoResponse for InsufficientScope {
    fn into_response(self) -> Response {
        answer::refusal(&self.0).map(axum::body::Body::new)
    }
}
