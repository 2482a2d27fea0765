//! [`OAuthBuilder`]: configures an [`OAuth`].

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use mcp_oauth::Secret;
use mcp_oauth::scopes::Scopes;

use super::client::OAuthClient;
use super::config::{AssertionRequest, Config, Dpop, Enterprise, Grant, StepUp, source};
use super::error::{OAuthError, OAuthFault, OAuthStep};
use super::handle::OAuth;
use super::store::{MemoryStore, TokenStore};
use super::user_agent::UserAgent;
use crate::client::registration::Description;
use mcp_client::AuthorizeError;
use mcp_fetch::FetchPolicy;
use mcp_fetch::Origin;

/// The maximum size of metadata, registrations and tokens in bytes.
const DOCUMENT_BYTES: u64 = 256 << 10;
/// The timeout of each step of a request.
const IDLE: Duration = Duration::from_secs(10);
/// The timeout of a request.
const TIME: Duration = Duration::from_secs(30);

/// Configures an [`OAuth`].
#[must_use = "nothing is authorized until `build` is called"]
pub struct OAuthBuilder {
    config: Config,
    scopes: Vec<String>,
}

impl OAuth {
    /// Lets a user authorize the client, in a browser.
    pub fn authorization_code(agent: impl UserAgent + 'static) -> OAuthBuilder {
        OAuthBuilder::new(Grant::Code(Some(Arc::new(agent))))
    }

    /// Uses tokens of the store, and logs in only with [`begin`](OAuth::begin) and
    /// [`finish`](OAuth::finish). A request that needs a login fails with
    /// [`OAuthFault::LoginRequired`].
    pub fn stored_tokens() -> OAuthBuilder {
        OAuthBuilder::new(Grant::Code(None))
    }

    /// Authorizes the client by itself, without a user (the extension
    /// `io.modelcontextprotocol/oauth-client-credentials`).
    pub fn client_credentials(client: OAuthClient) -> OAuthBuilder {
        OAuthBuilder::new(Grant::ClientCredentials).client(client)
    }

    /// Authorizes the client for a user of an organisation, by an assertion of its identity
    /// provider (the extension `io.modelcontextprotocol/enterprise-managed-authorization`).
    /// `client` is the client at the authorization server of the server.
    pub fn enterprise(provider: Enterprise, client: OAuthClient) -> OAuthBuilder {
        OAuthBuilder::new(Grant::Enterprise(provider)).client(client)
    }

    /// Authorizes a workload by an identity token of its platform (RFC 7523). The function returns
    /// the current token, for example from a file that the platform updates.
    pub fn workload<F>(
        client: OAuthClient,
        identity: impl Fn(AssertionRequest) -> F + Send + Sync + 'static,
    ) -> OAuthBuilder
    where
        F: Future<Output = Result<Secret, AuthorizeError>> + Send + 'static,
    {
        OAuthBuilder::new(Grant::Workload(source(identity))).client(client)
    }
}

impl OAuthBuilder {
    fn new(grant: Grant) -> Self {
        let policy = FetchPolicy::new()
            .size(DOCUMENT_BYTES)
            .idle(IDLE)
            .time(TIME);
        Self {
            config: Config {
                grant,
                description: Description {
                    name: "MCP client".to_owned(),
                    uri: None,
                },
                clients: Vec::new(),
                metadata_document: None,
                scopes: Scopes::default(),
                offline: true,
                store: Arc::new(MemoryStore::new()),
                user: String::new(),
                dpop: Dpop::default(),
                policy,
                issuer: None,
                assume_pkce: Vec::new(),
                legacy: false,
                confirm: None,
                strict_resource: false,
            },
            scopes: Vec::new(),
        }
    }

    /// Adds a client that is registered in advance. With several, each names its
    /// [issuer](OAuthClient::issuer).
    pub fn client(mut self, client: OAuthClient) -> Self {
        self.config.clients.push(client);
        self
    }

    /// Sets the URL of the client's metadata document (CIMD). It is used at authorization servers
    /// that support such documents. The document has to list the redirect URI of the user agent.
    ///
    /// All issuers then share one redirect URI. If an authorization server does not name itself in
    /// the redirect (`iss`, RFC 9207), a hostile issuer that another server names can pretend to be
    /// this one, and receive a code of its users (RFC 9700, section 4.4). [`issuer`](Self::issuer)
    /// prevents that: the client then talks to one authorization server only.
    pub fn client_metadata_document(mut self, url: impl Into<String>) -> Self {
        self.config.metadata_document = Some(url.into());
        self
    }

    /// Sets the name that users see when the client is registered dynamically: `MCP client` by
    /// default.
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.config.description.name = name.into();
        self
    }

    /// Sets the URL of the client's website, for the same purpose.
    pub fn client_uri(mut self, uri: impl Into<String>) -> Self {
        self.config.description.uri = Some(uri.into());
        self
    }

    /// Requests a scope in addition to those that the server names.
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scopes.push(scope.into());
        self
    }

    /// Sets whether the client asks for `offline_access`, where an authorization server has this
    /// scope, so that it gets a refresh token. `true` by default.
    pub fn offline_access(mut self, ask: bool) -> Self {
        self.config.offline = ask;
        self
    }

    /// Sets where tokens and registrations are kept: in [memory](MemoryStore) by default. Tokens of
    /// the store are ignored if they do not belong to this configuration: to its clients, to its
    /// [issuer](Self::issuer), and to a user or to the program itself.
    pub fn store(mut self, store: impl TokenStore + 'static) -> Self {
        self.config.store = Arc::new(store);
        self
    }

    /// Names the user to whom the tokens belong. A program with several users has one `OAuth` for
    /// each of them.
    pub fn user(mut self, name: impl Into<String>) -> Self {
        self.config.user = name.into();
        self
    }

    /// Sets when tokens are bound to a key of the client (DPoP): by default where the server and
    /// its authorization server support it.
    pub fn dpop(mut self, dpop: Dpop) -> Self {
        self.config.dpop = dpop;
        self
    }

    /// Uses this authorization server. If a server does not list it, that is an error. Clients that
    /// name no issuer belong to this one.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.config.issuer = Some(issuer.into());
        self
    }

    /// Uses PKCE with an authorization server that does not announce it. Without this, the client
    /// refuses such servers, as the specification requires. Only for servers that are known to
    /// support it.
    pub fn assume_pkce(mut self, issuer: impl Into<String>) -> Self {
        self.config.assume_pkce.push(issuer.into());
        self
    }

    /// Sets whether servers of revision 2025-03-26 are supported, which have no metadata of their
    /// own: the server is then its own authorization server. `false` by default.
    pub fn legacy_servers(mut self, support: bool) -> Self {
        self.config.legacy = support;
        self
    }

    /// Asks the program before a user has to log in again because an operation needs further
    /// scopes. If the function returns `false`, the request fails with
    /// [`OAuthFault::MissingScopes`]. By default, the user is sent to the authorization server
    /// without a question.
    pub fn confirm_step_up<F>(
        mut self,
        confirm: impl Fn(StepUp) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        self.config.confirm = Some(Arc::new(move |step_up| Box::pin(confirm(step_up))));
        self
    }

    /// Sets whether the metadata have to be those of the server itself. By default, the document at
    /// the root of the origin may describe a resource that contains the server, such as the whole
    /// origin; the token is then valid for each server there. Other documents may never do so.
    /// `false` by default.
    pub fn strict_resource(mut self, strict: bool) -> Self {
        self.config.strict_resource = strict;
        self
    }

    /// Sets the policy for the URLs that a server and its metadata name. By default, a document can
    /// have 256 KiB, and a request can take 30 seconds. Private addresses are allowed only if the
    /// server has one itself.
    pub fn policy(mut self, policy: FetchPolicy) -> Self {
        self.config.policy = policy;
        self
    }

    /// Checks the configuration.
    ///
    /// # Errors
    ///
    /// Fails if a scope or a URL is invalid, if there is more than one client without an issuer, or
    /// if a client with a secret, a key or an assertion has none.
    pub fn build(mut self) -> Result<OAuth, OAuthError> {
        let failed = |fault: OAuthFault| OAuthError::new(OAuthStep::Configuration, fault);
        let invalid = |text: String| failed(OAuthFault::Configuration(text));
        let scopes = Scopes::from_names(&self.scopes);
        self.config.scopes = scopes.map_err(|fault| failed(fault.into()))?;
        if let Some(url) = &self.config.metadata_document {
            let origin = Origin::secure(url).map_err(|fault| {
                invalid(format!(
                    "the URL of the metadata document is invalid: {fault}"
                ))
            })?;
            let path = url
                .split("://")
                .nth(1)
                .and_then(|rest| rest.split_once('/'));
            if path.is_none_or(|(_, path)| path.is_empty()) {
                let text = format!("the URL of the metadata document at {origin} has no path");
                return Err(invalid(text));
            }
        }
        let (grant, clients) = (&self.config.grant, &mut self.config.clients);
        let is_only = clients.len() == 1;
        for client in clients {
            client.issuer = client.issuer.take().or_else(|| self.config.issuer.clone());
            let is_secret =
                client.secret.is_some() || client.key.is_some() || !matches!(grant, Grant::Code(_));
            if client.issuer.is_some() || is_only && (!is_secret || client.trusts_first_issuer) {
                continue;
            }
            let text = if is_only {
                "a client with a secret, a key or an assertion needs its issuer: the server would \
                 choose who receives them"
            } else {
                "with several clients, each needs its issuer"
            };
            return Err(invalid(text.to_owned()));
        }
        Ok(OAuth::new(self.config))
    }
}
