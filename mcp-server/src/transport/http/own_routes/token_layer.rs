//! [`TokenLayer`]: verifies the access tokens of requests for the own routes of an application.

use std::fmt;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::extract::{ConnectInfo, OriginalUri, Request};
use axum::response::Response;
use http::request::Parts;
use tower_layer::Layer;
use tower_service::Service;

use crate::protocol::caller::extensions::PeerAddress;
use crate::protocol::core::Core;
use crate::protocol::quota::peer_key::PeerKey;
use crate::transport::http::authenticate::authenticator::{Authenticator, Authorized};
use crate::transport::http::config::{self, HttpConfig};
use crate::transport::http::endpoint::service::hide_credentials;
use crate::transport::http::own_routes::extract::RouteScopes;
use crate::transport::http::proxy;
use crate::transport::http::refusal::Refusal;
use crate::transport::http::response::answer;

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

impl fmt::Debug for TokenLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenLayer")
            .field("scopes", &self.scopes.0)
            .finish_non_exhaustive()
    }
}

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
            .authorize(core, &mut parts, &self.scopes.0)
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
