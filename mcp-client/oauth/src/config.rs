//! [`Config`]: what the program chose for OAuth.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mcp_oauth::Secret;
use mcp_oauth::scopes::Scopes;

use super::client::OAuthClient;
use super::discovery::is_same_issuer;
use super::store::TokenStore;
use super::tokens::{TokenType, Tokens};
use super::user_agent::UserAgent;
use crate::client::registration::Description;
use mcp_client::AuthorizeError;
use mcp_fetch::FetchPolicy;

/// The configuration of an [`OAuth`](super::OAuth).
pub(super) struct Config {
    pub(super) grant: Grant,
    pub(super) description: Description,
    pub(super) clients: Vec<OAuthClient>,
    /// The URL of the client's metadata document.
    pub(super) metadata_document: Option<String>,
    pub(super) scopes: Scopes,
    pub(super) offline: bool,
    pub(super) store: Arc<dyn TokenStore>,
    pub(super) user: String,
    pub(super) dpop: Dpop,
    pub(super) policy: FetchPolicy,
    pub(super) issuer: Option<String>,
    /// Issuers that support PKCE without announcing it.
    pub(super) assume_pkce: Vec<String>,
    pub(super) legacy: bool,
    /// Asks the program before a login for further scopes.
    pub(super) confirm: Option<Confirm>,
    /// Whether metadata of a resource that contains the server are refused.
    pub(super) strict_resource: bool,
}

impl Config {
    /// Returns `true` if a user takes part.
    pub(super) fn is_interactive(&self) -> bool {
        matches!(self.grant, Grant::Code(_))
    }

    /// Returns `true` if the client may use these tokens of the store, which another configuration
    /// may have got.
    pub(super) fn fits(&self, tokens: &Tokens) -> bool {
        let is_at = |issuer: &Option<String>| {
            let issuer = issuer.as_ref();
            issuer.is_none_or(|issuer| is_same_issuer(issuer, &tokens.issuer))
        };
        let is_own = |client: &OAuthClient| client.id == tokens.client.id && is_at(&client.issuer);
        tokens.machine != self.is_interactive()
            && (self.clients.is_empty() || self.clients.iter().any(is_own))
            && is_at(&self.issuer)
            && (self.dpop != Dpop::Required || tokens.token_type == TokenType::Dpop)
    }
}

/// A function that decides whether the user logs in again.
pub(super) type Confirm =
    Arc<dyn Fn(StepUp) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

/// A login that a server demands because an operation needs further scopes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepUp {
    /// The URL of the server.
    pub server: String,
    /// The scopes that the token lacks. They are printable ASCII without spaces, quotes and
    /// backslashes.
    pub scopes: Vec<String>,
}

/// How the client gets tokens.
pub(super) enum Grant {
    /// A user authorizes the client. Without an agent, only [`OAuth::begin`](super::OAuth::begin)
    /// starts a login.
    Code(Option<Arc<dyn UserAgent>>),
    ClientCredentials,
    Enterprise(Enterprise),
    Workload(AssertionSource),
}

/// When tokens are bound to a key of the client (DPoP, RFC 9449).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dpop {
    /// If the server and its authorization server support it.
    #[default]
    Auto,
    /// Always. Other tokens are an error.
    Required,
    /// Never.
    Never,
}

/// For what an assertion is requested.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AssertionRequest {
    /// The issuer of the authorization server: the audience of the assertion.
    pub issuer: String,
    /// The identifier of the server.
    pub resource: String,
}

type AssertionFuture = Pin<Box<dyn Future<Output = Result<Secret, AuthorizeError>> + Send>>;

/// A function that returns an assertion, such as the identity token of a user or of a workload.
pub(super) type AssertionSource = Arc<dyn Fn(AssertionRequest) -> AssertionFuture + Send + Sync>;

pub(super) fn source<F>(
    assertion: impl Fn(AssertionRequest) -> F + Send + Sync + 'static,
) -> AssertionSource
where
    F: Future<Output = Result<Secret, AuthorizeError>> + Send + 'static,
{
    Arc::new(move |request| Box::pin(assertion(request)))
}

/// The identity provider of an organisation, for
/// [enterprise-managed authorization](super::OAuth::enterprise).
#[derive(Clone)]
#[must_use]
pub struct Enterprise {
    pub(super) token_endpoint: String,
    pub(super) client: OAuthClient,
    pub(super) subject_type: String,
    pub(super) subject: AssertionSource,
}

impl Enterprise {
    /// Creates a provider from the URL of its token endpoint, the client at the provider, and a
    /// function that returns the identity token of the user, which the program got when the user
    /// logged in.
    pub fn new<F>(
        token_endpoint: impl Into<String>,
        client: OAuthClient,
        id_token: impl Fn(AssertionRequest) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Secret, AuthorizeError>> + Send + 'static,
    {
        Self {
            token_endpoint: token_endpoint.into(),
            client,
            subject_type: "urn:ietf:params:oauth:token-type:id_token".to_owned(),
            subject: source(id_token),
        }
    }

    /// Sets the type of what the function returns, such as
    /// `urn:ietf:params:oauth:token-type:saml2`. By default, it is an identity token of OpenID
    /// Connect.
    pub fn subject_type(mut self, kind: impl Into<String>) -> Self {
        self.subject_type = kind.into();
        self
    }
}
