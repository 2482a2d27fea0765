//! [`Authenticate`]: decides which requests an endpoint accepts.
//!
//! An [`AuthRequest`] is accepted as the caller in [`Authenticated`], or refused by an
//! [`AuthRefusal`](crate::AuthRefusal). The `authenticator` of an endpoint calls the trait, checks the
//! scopes, and answers for each [`PublicRoute`].

pub(crate) mod authenticator;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONTENT_TYPE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use mcp_wire::http_headers::JSON;
use sha2::{Digest as _, Sha256};

use crate::protocol::caller::Principal;
use crate::protocol::core::Core;
use crate::protocol::error::rejection::Challenge;
use crate::protocol::handler::access_token::AccessToken;
use crate::protocol::seal::SealError;
use crate::protocol::store::{Condition, Put, PutOutcome, StoreError};
use crate::transport::http::refusal::AuthRefusal;
use crate::transport::http::response::body::HttpBody;
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
    core: &'a Core,
}

impl<'a> AuthRequest<'a> {
    pub(crate) fn new(parts: &'a Parts, core: &'a Core) -> Self {
        Self { parts, core }
    }

    /// Returns the head of the request. The URI is the one that the client used, as far as the server
    /// sees it. The extensions have the [`PeerAddress`](crate::PeerAddress) if a [trusted
    /// proxy](crate::HttpConfig::trusted_proxies) reports it.
    #[must_use]
    pub fn parts(&self) -> &'a Parts {
        self.parts
    }

    /// Seals a text that the client gets and gives back later, such as a nonce. The client cannot read
    /// or change the text. It can be opened for the same purpose only, by all processes with the same
    /// [`Keys`](crate::Keys).
    ///
    /// # Errors
    ///
    /// [`SealError`]: the text is longer than 256 GiB, or the system returns no random numbers.
    pub fn seal(&self, purpose: &str, text: &str) -> Result<String, SealError> {
        let keys = self.core.keys.get();
        keys.seal(&self::purpose(purpose), &[], text.as_bytes())
    }

    /// Opens a text that [`seal`](Self::seal) returned for the same purpose.
    ///
    /// # Errors
    ///
    /// [`SealError`]: `seal` did not return this text, or returned it for another purpose or key.
    pub fn unseal(&self, purpose: &str, sealed: &str) -> Result<String, SealError> {
        let keys = self.core.keys.get();
        let bytes = keys.open(&self::purpose(purpose), &[], sealed)?;
        String::from_utf8(bytes).map_err(|_| SealError::Malformed)
    }

    /// Records in the store of the server that this process has accepted something that must be
    /// accepted only once, so that no other process accepts it within a time. Returns `false` if
    /// another process has recorded it before.
    ///
    /// Without a store that processes share there is no other process: nothing is recorded, and the
    /// result is `true`. So the caller has to remember what this process itself has accepted.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the store fails. `?` turns it into a refusal with the status 503.
    pub async fn record_for_other_processes(
        &self,
        name: &str,
        time: Duration,
    ) -> Result<bool, StoreError> {
        let stores = &self.core.stores;
        if !stores.values_are_shared {
            return Ok(true);
        }
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(name));
        let put = Put {
            key: &format!("accepted:{digest}"),
            value: b"1",
            // The store counts whole milliseconds, and the second of its last one has to be over.
            time_to_live: time.saturating_add(Duration::from_secs(1)),
            condition: Condition::Absent,
            group: None,
        };
        Ok(stores.put(put).await? != PutOutcome::Conflict)
    }
}

partial_debug!(AuthRequest<'_>, |it| method: it.parts.method, path: it.parts.uri.path());

/// Separates the purposes of authentication from those of the server and of handlers.
fn purpose(of_authentication: &str) -> String {
    format!("authentication:{of_authentication}")
}

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");
const ANY: HeaderValue = HeaderValue::from_static("*");
/// Documents rarely change, but a client must learn soon of a new authorization server.
const CACHED: HeaderValue = HeaderValue::from_static("public, max-age=300");
/// Two hours in seconds, the longest that Chromium accepts.
const PREFLIGHT_TIME: HeaderValue = HeaderValue::from_static("7200");

/// A path that an endpoint serves to everybody, without authentication, see
/// [`Authenticate::public_routes`](crate::Authenticate::public_routes).
///
/// The headers `Host` and `Origin` are not checked, and pages of all origins may read the response.
#[derive(Clone, Debug)]
pub struct PublicRoute {
    path: String,
    document: Bytes,
    is_of_host: bool,
}

impl PublicRoute {
    /// Serves a JSON document at exactly this path, to GET and HEAD. Clients may cache it for 5
    /// minutes. It must not contain secrets.
    pub fn json(path: impl Into<String>, document: impl Into<Bytes>) -> Self {
        Self {
            path: path.into(),
            document: document.into(),
            is_of_host: false,
        }
    }

    /// States that the path is the same for all endpoints of a host.
    /// [`Server::serve_http`](crate::Server::serve_http) serves it nevertheless. `Server::into_router`
    /// leaves it out, because an application may have several endpoints.
    #[must_use]
    pub fn of_host(mut self) -> Self {
        self.is_of_host = true;
        self
    }

    /// Returns the path, unless it belongs to the whole host.
    #[cfg(feature = "axum")]
    pub(crate) fn own_path(&self) -> Option<&str> {
        (!self.is_of_host).then_some(&self.path)
    }

    /// Responds to a request for this path. `None` for any other request.
    pub(crate) fn respond(&self, parts: &Parts) -> Option<Response<HttpBody>> {
        if parts.uri.path() != self.path {
            return None;
        }
        let body = match parts.method {
            Method::GET => HttpBody::whole(self.document.clone()),
            _ => HttpBody::none(),
        };
        let mut response = Response::new(body);
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
        match parts.method {
            Method::GET | Method::HEAD => {
                headers.insert(CONTENT_TYPE, JSON);
                headers.insert(CACHE_CONTROL, CACHED);
            }
            Method::OPTIONS => {
                headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
                headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, ANY);
                headers.insert(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_TIME);
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            _ => {
                headers.insert(ALLOW, METHODS);
                *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            }
        }
        Some(response)
    }
}
