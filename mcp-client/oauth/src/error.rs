//! [`OAuthError`]: which step of the authorization failed, where, why, and what helps.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use mcp_client::types::peer_text::{PeerDisplay, PeerText};
use mcp_oauth::NoRandom;
use mcp_oauth::jwt::JwtError;
use mcp_oauth::scopes::ScopeError;

use mcp_fetch::FetchError;
use mcp_fetch::UrlFault;
use mcp_fetch::url::shown;

/// Why a request could not be authorized. It is the source of
/// [`HttpError::Authorize`](mcp_client::HttpError::Authorize). It contains no secrets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OAuthError {
    /// The step that failed.
    pub step: OAuthStep,
    /// The URL of the step without its query, if it has one.
    pub url: Option<String>,
    /// Why.
    pub fault: OAuthFault,
}

impl OAuthError {
    pub(super) fn new(step: OAuthStep, fault: impl Into<OAuthFault>) -> Self {
        let fault = fault.into();
        Self {
            step,
            url: None,
            fault,
        }
    }

    pub(super) fn at(mut self, url: &str) -> Self {
        self.url = Some(shown(url));
        self
    }
}

impl Display for OAuthError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}", self.step)?;
        if let Some(url) = &self.url {
            write!(f, " at {}", PeerText(url))?;
        }
        write!(f, ": {}", self.fault)?;
        match self.fault.advice() {
            Some(advice) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

impl Error for OAuthError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.fault {
            OAuthFault::Fetch(error) => Some(error.as_ref()),
            OAuthFault::UserAgent(error) | OAuthFault::Store(error) => Some(error.as_ref()),
            _ => None,
        }
    }
}

/// A step of the authorization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OAuthStep {
    /// Checking the configuration.
    Configuration,
    /// Reading the metadata of the protected server (RFC 9728).
    ResourceMetadata,
    /// Reading the metadata of the authorization server (RFC 8414, OpenID Connect Discovery).
    ServerMetadata,
    /// Registering the client (RFC 7591).
    Registration,
    /// Sending the user to the authorization server, and receiving the redirect.
    Authorization,
    /// Exchanging an identity assertion at the identity provider (RFC 8693).
    Exchange,
    /// Requesting a token.
    Token,
    /// Refreshing a token.
    Refresh,
    /// Revoking a token (RFC 7009).
    Revocation,
    /// Using a token for a request.
    Use,
    /// Reading or writing the store of tokens.
    Store,
}

impl Display for OAuthStep {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Configuration => "use the configuration for OAuth",
            Self::ResourceMetadata => "read the metadata of the protected server",
            Self::ServerMetadata => "read the metadata of the authorization server",
            Self::Registration => "register the client",
            Self::Authorization => "get the authorization of the user",
            Self::Exchange => "exchange the identity assertion",
            Self::Token => "get a token",
            Self::Refresh => "refresh the token",
            Self::Revocation => "revoke the token",
            Self::Use => "use the token",
            Self::Store => "access the store of tokens",
        })
    }
}

/// The reason of an [`OAuthError`]. Its fields may contain text of peers as it was received; the
/// text of the error contains at most 200 characters of each, without control characters.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthFault {
    /// The request failed, or the network policy does not allow it.
    #[error("{}", PeerDisplay(.0))]
    Fetch(#[source] Arc<FetchError>),
    /// The response has an unexpected status.
    #[error("the response has the HTTP status {0}")]
    Status(StatusCode),
    /// The response cannot be decoded.
    #[error("the response is invalid: {}", PeerText(.0))]
    Document(String),
    /// No document was found at any of the well-known URLs. For servers of revision 2025-03-26, see
    /// [`OAuthBuilder::legacy_servers`](super::OAuthBuilder::legacy_servers).
    #[error("no usable document was found{}", tried(.0))]
    NotFound(Vec<(String, String)>),
    /// The metadata are those of another server.
    #[error("the metadata are for `{}`, but the server is `{}`", PeerText(.found), PeerText(.expected))]
    Resource {
        /// The URL of the server.
        expected: String,
        /// The `resource` of the metadata.
        found: String,
    },
    /// The metadata name no authorization server.
    #[error("the metadata name no authorization server")]
    NoServers,
    /// The `issuer` of the metadata is not that for which they were requested.
    #[error("the issuer is `{}`, expected `{}`", PeerText(.found), PeerText(.expected))]
    Issuer {
        /// The issuer for which the metadata were requested.
        expected: String,
        /// The issuer in the metadata.
        found: String,
    },
    /// The authorization server does not announce PKCE with S256, see
    /// [`OAuthBuilder::assume_pkce`](super::OAuthBuilder::assume_pkce).
    #[error("the authorization server does not announce PKCE with S256")]
    Pkce,
    /// A URL in the metadata is missing or not allowed.
    #[error("`{name}` of the metadata is not usable{}", and(.fault.as_ref()))]
    Endpoint {
        /// The name of the member.
        name: &'static str,
        /// What is wrong with the URL; `None` if it is missing.
        fault: Option<UrlFault>,
    },
    /// The authorization server refused the request (RFC 6749, section 5.2).
    #[error("the authorization server answered with `{}`{}", PeerText(.error), described(.description.as_deref()))]
    Refused {
        /// The code, such as `invalid_grant`.
        error: String,
        /// The description, for developers.
        description: Option<String>,
    },
    /// The redirect does not belong to the request.
    #[error("the redirect has another `state` than the request")]
    State,
    /// The redirect comes from another authorization server than the one of the request.
    #[error("the redirect has no `iss`, or another one than `{}`", PeerText(.expected))]
    Iss {
        /// The issuer of the request.
        expected: String,
    },
    /// The redirect is malformed.
    #[error("the redirect is malformed: {0}")]
    Redirect(&'static str),
    /// There is no client id for the authorization server `issuer`, and no way to get one.
    #[error("no client is registered at `{}`, which offers no registration", PeerText(.0))]
    NoClient(String),
    /// The configured client belongs to another authorization server.
    #[error("the client is registered at `{}`, but the server uses `{}`", PeerText(.expected), PeerText(.found))]
    ClientOfOther {
        /// The issuer of the client.
        expected: String,
        /// The issuer that the server names.
        found: String,
    },
    /// A token has a type that the client cannot use.
    #[error("the token has the type `{}`, expected `{expected}`", PeerText(.found))]
    TokenType {
        /// The expected type.
        expected: &'static str,
        /// The type in the response.
        found: String,
    },
    /// The server requires a token, which would be sent without encryption to another machine.
    #[error("a token is not sent over plain `http` to another machine")]
    PlainHttp,
    /// The user has to log in, which this client does not do by itself.
    #[error("the server requires a login")]
    LoginRequired,
    /// The server has rejected several new tokens in a row.
    #[error("the server has rejected {0} new tokens in a row")]
    Rounds(u32),
    /// The server demands further scopes, for which the user has to log in again. The client does
    /// not do that by itself, or the program refused it.
    #[error("the server demands a token with the scopes `{}`", PeerText(.0))]
    MissingScopes(String),
    /// The server has caused this many logins within 10 minutes. Further ones have to be started
    /// with [`OAuth::login`](super::OAuth::login).
    #[error("the server has caused {0} logins within 10 minutes")]
    Logins(usize),
    /// The server demands scopes that were requested, but not granted.
    #[error("the server demands the scopes `{}`, which were requested before", PeerText(.0))]
    Scopes(String),
    /// A list of scopes is invalid.
    #[error(transparent)]
    ScopeSyntax(#[from] ScopeError),
    /// Sending the user to the authorization server, or receiving the redirect, failed.
    #[error("{}", PeerDisplay(.0))]
    UserAgent(Arc<dyn Error + Send + Sync>),
    /// The store of tokens failed.
    #[error("{}", PeerDisplay(.0))]
    Store(Arc<dyn Error + Send + Sync>),
    /// Nothing happened in time.
    #[error("nothing happened for {0:?}")]
    Time(Duration),
    /// A value of the configuration is invalid.
    #[error("{}", PeerDisplay(.0))]
    Configuration(String),
    /// A key or a signature cannot be used.
    #[error(transparent)]
    Key(#[from] JwtError),
    /// The system provides no random bytes.
    #[error(transparent)]
    Random(#[from] NoRandom),
    /// The task of the authorization ended early, because the program shut down.
    #[error("the authorization was cancelled")]
    Cancelled,
}

impl OAuthFault {
    /// Returns what the user or the developer can do.
    fn advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::Fetch(error) if matches!(**error, FetchError::Address { .. }) => {
                "if the host is trusted, the program can allow its address"
            }
            Self::PlainHttp => "use `https` in the URL of the server",
            Self::Resource { .. } => "check the URL of the server",
            Self::NotFound(_) => {
                "the server may need no OAuth, or may be older than these metadata (2025-03-26)"
            }
            Self::Pkce => "if it is known to support it, the program can allow the issuer",
            Self::NoClient(_) => "register a client there, and configure its id",
            Self::ClientOfOther { .. } => {
                "if the client is registered there, name that issuer, for example with `mcp --issuer`"
            }
            Self::State | Self::Iss { .. } => "do not continue in the browser, and log in again",
            Self::LoginRequired => "log in first, for example with `mcp login`",
            Self::MissingScopes(_) => {
                "log in again with these scopes, for example with `mcp login --scope`"
            }
            Self::Logins(_) => "to go on, log in, for example with `mcp login`",
            Self::Rounds(_) | Self::Scopes(_) => {
                "the account may lack the permission; log in again, or ask the operator of the server"
            }
            Self::Refused { error, .. } => match error.as_str() {
                "access_denied" => "the login was cancelled or not permitted",
                "invalid_client" | "unauthorized_client" => "check the client id and its secret",
                "invalid_grant" => "log in again",
                "invalid_target" => {
                    "the authorization server does not know the server as a resource"
                }
                "invalid_scope" => "the authorization server does not grant these scopes",
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Returns `true` if the authorization server would refuse the same request again.
    pub(super) fn is_final(&self) -> bool {
        let codes = ["invalid_grant", "invalid_client", "unauthorized_client"];
        codes.iter().any(|code| self.is_refusal(code))
    }

    /// Returns `true` if the authorization server refused with this code.
    pub(super) fn is_refusal(&self, code: &str) -> bool {
        matches!(self, Self::Refused { error, .. } if error == code)
    }
}

impl From<FetchError> for OAuthFault {
    fn from(error: FetchError) -> Self {
        Self::Fetch(Arc::new(error))
    }
}

fn tried(attempts: &[(String, String)]) -> String {
    let attempts = attempts.iter();
    let attempts = attempts.map(|(url, fault)| format!("; {}: {}", PeerText(url), PeerText(fault)));
    attempts.collect()
}

fn and(fault: Option<&UrlFault>) -> String {
    fault.map_or_else(
        || ": it is missing".to_owned(),
        |fault| format!(": {}", PeerDisplay(fault)),
    )
}

fn described(description: Option<&str>) -> String {
    description.map_or_else(String::new, |text| format!(": {}", PeerText(text)))
}
