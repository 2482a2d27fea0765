//! [`Authenticate`]: decides which requests an endpoint accepts.
//!
//! An [`AuthRequest`] is accepted as the caller in [`Authenticated`], or refused by an
//! [`AuthRefusal`](crate::AuthRefusal). The `authenticator` of an endpoint calls the trait, checks the
//! scopes, and responds for each [`PublicRoute`]. [`SharedState`] has what processes share.

pub(crate) mod authenticator;
pub(crate) mod public_route;
pub(crate) mod shared_state;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};

use self::public_route::PublicRoute;
use self::shared_state::SharedState;
use crate::protocol::caller::Principal;
use crate::protocol::core::Core;
use crate::protocol::error::rejection::Challenge;
use crate::protocol::handler::access_token::AccessToken;
use crate::transport::http::refusal::AuthRefusal;
use crate::util::partial_debug::partial_debug;

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

    /// Responds to a request for a public route whose response is
    /// [computed](PublicRoute::computed), such as the token endpoint of an authorization server. Gets
    /// requests of all methods, with the whole body. Default: 404.
    ///
    /// Anybody can send these requests. The endpoint checks `Host`, limits the time, and limits the
    /// number at the same time for each address as for [`authenticate`](Self::authenticate). It does
    /// not check `Origin`, and adds no headers: what pages may do is a matter of the implementation.
    fn respond(
        &self,
        request: AuthRequest<'_>,
        body: Bytes,
    ) -> impl Future<Output = Response<Bytes>> + Send {
        let _ = (request, body);
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = StatusCode::NOT_FOUND;
        std::future::ready(response)
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

    async fn respond(&self, request: AuthRequest<'_>, body: Bytes) -> Response<Bytes> {
        (**self).respond(request, body).await
    }
}

/// The time after which streams end if nothing says when the credentials expire.
const STREAM_TIME: Duration = Duration::from_secs(60 * 60);

/// Who sends a request that an [`Authenticate`](crate::Authenticate) accepts.
#[derive(Clone, Debug)]
pub struct Authenticated {
    pub(crate) principal: Option<Principal>,
    pub(crate) token: AccessToken,
    pub(crate) headers: HeaderMap,
    stream_time: Option<Duration>,
}

impl Authenticated {
    /// Accepts a request. Handlers get the token, or what else is known of the caller in this form,
    /// and its [principal](AccessToken::principal).
    #[must_use]
    pub fn new(token: AccessToken) -> Self {
        Self {
            principal: token.principal(),
            token,
            headers: HeaderMap::new(),
            stream_time: None,
        }
    }

    /// Returns the user or client. `None` if the token names neither: the endpoint then answers with
    /// 403, because what it issues, such as sessions, belongs to a principal.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.principal.as_ref()
    }

    /// Returns the token.
    #[must_use]
    pub fn token(&self) -> &AccessToken {
        &self.token
    }

    /// Ends a stream of the response after this time, also if the token expires before or later. The
    /// client resumes it, or sends its request again, and is authenticated again. Default: when the
    /// [token expires](field@AccessToken::expires_at), or after an hour if it does not say when.
    #[must_use]
    pub fn stream_time(mut self, time: Duration) -> Self {
        self.stream_time = Some(time);
        self
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn header(mut self, name: HeaderName, mut value: HeaderValue) -> Self {
        value.set_sensitive(true);
        self.headers.append(name, value);
        self
    }

    /// Returns the time after which streams end.
    pub(crate) fn time_left(&self) -> Duration {
        let left = |at: SystemTime| at.duration_since(SystemTime::now()).unwrap_or_default();
        let until_expiry = self.token.expires_at.map(left);
        self.stream_time.or(until_expiry).unwrap_or(STREAM_TIME)
    }
}

/// A request that an [`Authenticate`](crate::Authenticate) decides about: its head, and what the
/// processes of the server share.
#[derive(Clone, Copy)]
pub struct AuthRequest<'a> {
    parts: &'a Parts,
    core: &'a Arc<Core>,
    address: Option<IpAddr>,
}

impl<'a> AuthRequest<'a> {
    pub(crate) fn new(parts: &'a Parts, core: &'a Arc<Core>, address: Option<IpAddr>) -> Self {
        Self {
            parts,
            core,
            address,
        }
    }

    /// Returns the head of the request. The URI is the one that the client used, as far as the server
    /// sees it. The extensions have the [`PeerAddress`](crate::PeerAddress) if a [trusted
    /// proxy](crate::HttpConfig::trusted_proxies) reports it.
    #[must_use]
    pub fn parts(&self) -> &'a Parts {
        self.parts
    }

    /// Returns the address of the client: the one that a [trusted
    /// proxy](crate::HttpConfig::trusted_proxies) reports, otherwise that of the connection. `None` if
    /// the HTTP stack of the program does not attach it.
    #[must_use]
    pub fn peer_address(&self) -> Option<IpAddr> {
        self.address
    }

    /// Returns what the processes of the server share.
    #[must_use]
    pub fn shared(&self) -> SharedState {
        SharedState::new(self.core)
    }
}

partial_debug!(AuthRequest<'_>, |it| method: it.parts.method, path: it.parts.uri.path());
