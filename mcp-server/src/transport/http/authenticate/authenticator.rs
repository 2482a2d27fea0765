//! [`Authenticator`]: the [`Authenticate`] of an endpoint, with its type erased.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Response, StatusCode};
use tokio::time::Instant;

use crate::protocol::core::Core;
use crate::protocol::error::rejection::Challenge;
use crate::protocol::handler::access_token::{AccessToken, ScopePolicy, completed, joined};
use crate::transport::http::authenticate::public_route::{PublicContent, PublicRoute};
use crate::transport::http::authenticate::{AuthRequest, Authenticate, Authenticated};
use crate::transport::http::refusal::AuthRefusal;
use crate::transport::http::response::body::HttpBody;

/// The longest time until a stream ends, so that its timer does not overflow.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
type AuthFuture<'a> = BoxFuture<'a, Result<Authenticated, AuthRefusal>>;

/// An [`Authenticate`] with its type erased.
trait AnyAuthenticate: ScopePolicy {
    fn authenticate<'a>(&'a self, request: AuthRequest<'a>) -> AuthFuture<'a>;

    fn respond<'a>(
        &'a self,
        request: AuthRequest<'a>,
        body: Bytes,
    ) -> BoxFuture<'a, Response<Bytes>>;
}

impl<T: Authenticate> AnyAuthenticate for T {
    fn authenticate<'a>(&'a self, request: AuthRequest<'a>) -> AuthFuture<'a> {
        Box::pin(Authenticate::authenticate(self, request))
    }

    fn respond<'a>(
        &'a self,
        request: AuthRequest<'a>,
        body: Bytes,
    ) -> BoxFuture<'a, Response<Bytes>> {
        Box::pin(Authenticate::respond(self, request, body))
    }
}

impl<T: Authenticate> ScopePolicy for T {
    fn required(&self) -> &[String] {
        self.required_scopes()
    }

    fn permits(&self, token: &AccessToken, scope: &str) -> bool {
        Authenticate::permits(self, token, scope)
    }

    fn complete(&self, challenge: Challenge) -> Challenge {
        self.complete_challenge(challenge)
    }
}

/// Authenticates the requests of an endpoint. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Authenticator {
    authenticate: Arc<dyn AnyAuthenticate>,
    public_routes: Arc<[PublicRoute]>,
}

/// What an accepted request means for its response.
#[derive(Default)]
pub(crate) struct Authorized {
    /// When streams end.
    until: Option<Instant>,
    headers: HeaderMap,
}

impl Authorized {
    /// Ends the response with the credentials of the request, and adds headers to it.
    pub(crate) fn apply(self, mut response: Response<HttpBody>) -> Response<HttpBody> {
        if let Some(until) = self.until {
            response.body_mut().end_at(until);
        }
        self.add_headers(response.headers_mut());
        response
    }

    /// Adds the headers to those of the response.
    pub(crate) fn add_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.headers {
            headers.append(name, value.clone());
        }
    }
}

impl Authenticator {
    pub(crate) fn new(authenticate: impl Authenticate) -> Self {
        Self {
            public_routes: authenticate.public_routes().into(),
            authenticate: Arc::new(authenticate),
        }
    }

    /// Returns the paths of the public routes that belong to this endpoint alone.
    #[cfg(feature = "axum")]
    pub(crate) fn own_paths(&self) -> impl Iterator<Item = String> {
        let routes = self.public_routes.iter();
        routes.filter_map(PublicRoute::own_path).map(str::to_owned)
    }

    /// Returns what the public route for a request serves. `None` for any other request.
    pub(crate) fn public_route(&self, parts: &Parts) -> Option<&PublicContent> {
        let mut routes = self.public_routes.iter();
        routes.find_map(|route| route.content_for(parts))
    }

    /// Computes the response to a request for a public route.
    pub(crate) async fn respond(
        &self,
        core: &Arc<Core>,
        parts: &Parts,
        address: Option<IpAddr>,
        body: Bytes,
    ) -> Response<HttpBody> {
        let request = AuthRequest::new(parts, core, address);
        let response = self.authenticate.respond(request, body).await;
        response.map(HttpBody::whole)
    }

    /// Authenticates a request, and attaches the token, its principal and the policy for scopes to the
    /// head of the request. The token needs the scopes of the operation as well as those of all
    /// requests.
    pub(crate) async fn authorize(
        &self,
        core: &Arc<Core>,
        parts: &mut Arc<Parts>,
        address: Option<IpAddr>,
        operation: &[String],
    ) -> Result<Authorized, AuthRefusal> {
        let request = AuthRequest::new(parts, core, address);
        let mut caller = self.authenticate.authenticate(request).await?;
        let Some(principal) = caller.principal.take() else {
            let reason = "the credentials do not name a user or a client";
            let refusal = AuthRefusal::new(StatusCode::FORBIDDEN, reason);
            return Err(refusal.all_headers(&caller.headers));
        };
        let policy: Arc<dyn ScopePolicy> = Arc::<dyn AnyAuthenticate>::clone(&self.authenticate);
        let mut required = policy.required().iter().chain(operation);
        if !required.all(|scope| policy.permits(&caller.token, scope)) {
            let refusal = insufficient_scope(&*policy, &caller.token, operation);
            return Err(refusal.all_headers(&caller.headers));
        }
        let until = Instant::now() + caller.time_left().min(LONGEST);
        let extensions = &mut Arc::make_mut(parts).extensions;
        extensions.insert(principal);
        extensions.insert(caller.token);
        extensions.insert(policy);
        Ok(Authorized {
            until: Some(until),
            headers: caller.headers,
        })
    }
}

/// Creates the refusal of a request whose token lacks a scope of all requests or of the operation. It
/// names all of them.
pub(crate) fn insufficient_scope(
    policy: &dyn ScopePolicy,
    token: &AccessToken,
    operation: &[String],
) -> AuthRefusal {
    let scopes = joined(policy.required().iter().chain(operation));
    let challenge = Challenge::insufficient_scope(&scopes);
    let challenge = completed(challenge, Some(policy), Some(token));
    let reason = format!("the access token lacks a scope: this needs `{scopes}`");
    AuthRefusal::new(StatusCode::FORBIDDEN, reason).challenge(&challenge)
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn accepted_request_adds_its_headers_to_the_response() {
        let name = HeaderName::from_static("dpop-nonce");
        let authorized = Authorized {
            until: None,
            headers: HeaderMap::from_iter([(name.clone(), HeaderValue::from_static("next"))]),
        };
        let response = authorized.apply(Response::new(HttpBody::none()));
        assert_eq!(response.headers()[name], "next");
        let response = Authorized::default().apply(Response::new(HttpBody::none()));
        assert!(response.headers().is_empty());
    }
}
