//! Access tokens for the own routes of an application in axum: [`TokenLayer`] verifies them, and the
//! extractors return what it attached to the request.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::{ConnectInfo, FromRequestParts, OriginalUri, Request};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;
use tower_layer::Layer;
use tower_service::Service;

use crate::protocol::caller::{PeerAddress, Principal};
use crate::protocol::core::Core;
use crate::protocol::handler::access_token::{AccessToken, ScopePolicy};
use crate::protocol::quota::peer_key::PeerKey;
use crate::transport::http::authenticate::authenticator::{
    Authenticator, Authorized, insufficient_scope,
};
use crate::transport::http::config::HttpConfig;
use crate::transport::http::endpoint::service::hide_credentials;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::response::answer;
use crate::transport::http::{config, proxy};
use crate::util::partial_debug::partial_debug;

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

partial_debug!(TokenScopes, |it| token: it.token, route: it.route);

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

/// A layer for routes of axum that requires an access token, as the endpoint does. Created by
/// [`Server::token_layer`](crate::Server::token_layer).
///
/// A request without a valid token gets the response that the endpoint sends: 401, or 403 if the
/// token lacks a scope, with the header `WWW-Authenticate`. For all others, handlers can extract
/// the [`AccessToken`](crate::AccessToken), the [`Principal`](crate::Principal) and the
/// [`TokenScopes`](crate::TokenScopes).
#[derive(Clone)]
pub struct TokenLayer {
    verifier: Arc<Verifier>,
    scopes: RouteScopes,
}

struct Verifier {
    core: Arc<Core>,
    authenticator: Authenticator,
    config: HttpConfig,
}

impl TokenLayer {
    pub(crate) fn new(core: Arc<Core>, authenticator: Authenticator, config: HttpConfig) -> Self {
        let verifier = Verifier {
            core,
            authenticator,
            config,
        };
        Self {
            verifier: Arc::new(verifier),
            scopes: RouteScopes::default(),
        }
    }

    /// Sets the scopes that the token must have, in addition to
    /// [those of all requests](crate::Authenticate::required_scopes).
    #[must_use]
    pub fn scopes<T: Into<String>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
        self.scopes = RouteScopes(scopes.into_iter().map(Into::into).collect());
        self
    }
}

partial_debug!(TokenLayer, |it| scopes: it.scopes.0);

impl<S> Layer<S> for TokenLayer {
    type Service = RequireToken<S>;

    fn layer(&self, inner: S) -> RequireToken<S> {
        RequireToken {
            inner,
            layer: self.clone(),
        }
    }
}

/// The service of a [`TokenLayer`].
#[derive(Clone, Debug)]
pub struct RequireToken<S> {
    inner: S,
    layer: TokenLayer,
}

impl<S> Service<Request> for RequireToken<S>
where
    S: Service<Request, Response = Response> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, task: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(task)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        // The service that is ready, and not its clone.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let layer = self.layer.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let (parts, authorized) = match layer.verify(parts).await {
                Ok(verified) => verified,
                Err(refusal) => return Ok(layer.refuse(&refusal)),
            };
            let mut response = inner.call(Request::from_parts(parts, body)).await?;
            authorized.add_headers(response.headers_mut());
            Ok(response)
        })
    }
}

impl TokenLayer {
    async fn verify(&self, mut parts: Parts) -> Result<(Parts, Authorized), Refusal> {
        let Verifier {
            core,
            authenticator,
            config,
        } = &*self.verifier;
        let connection = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let connection = connection.map(|ConnectInfo(address)| *address);
        proxy::attach(config, &mut parts, connection);
        hide_credentials(&mut parts);
        let reported = parts.extensions.get::<PeerAddress>();
        let address: Option<IpAddr> = reported
            .map(|reported| reported.0)
            .or(connection.map(|connection| connection.ip()));
        let peer = core
            .peers
            .usage(PeerKey::of_http(config::principal(&parts), address));
        let verifying = peer.verification()?;
        // A proof of possession names the URL that the client requested, also in a nested router.
        let original = parts.extensions.get::<OriginalUri>();
        let own = original
            .cloned()
            .map(|OriginalUri(original)| std::mem::replace(&mut parts.uri, original));
        let mut parts = Arc::new(parts);
        let authorized = authenticator
            .authorize(core, &mut parts, address, &self.scopes.0)
            .await
            .map_err(Refusal::Auth)?;
        drop(verifying);
        let mut parts = Arc::unwrap_or_clone(parts);
        if let Some(own) = own {
            parts.uri = own;
        }
        parts.extensions.insert(self.scopes.clone());
        Ok((parts, authorized))
    }

    fn refuse(&self, refusal: &Refusal) -> Response {
        if let Some(cause) = refusal.cause() {
            self.verifier.core.counters.refused(cause);
        }
        answer::refusal(refusal).map(Body::new)
    }
}
