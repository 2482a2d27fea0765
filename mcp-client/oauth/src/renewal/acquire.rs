//! [`Acquire`]: gets tokens from an authorization server, by the grant of the configuration.

use std::sync::Arc;

use mcp_oauth::jwt::SigningKey;
use mcp_oauth::scopes::Scopes;
use mcp_oauth::{Secret, random};

use super::clients::{client_for, configured, key_of, preregistered, record_of, with_secret};
use super::login::LoginRecord;
use super::records::Records;
use super::target::Target;
use crate::client::ClientRecord;
use crate::config::{AssertionRequest, AssertionSource, Config, Enterprise, Grant};
use crate::discovery::token_endpoint;
use crate::error::{OAuthError, OAuthFault, OAuthStep};
use crate::net::Net;
use crate::tokens::dpop::Nonces;
use crate::tokens::token_endpoint::{Form, TokenEndpoint, TokenResponse};
use crate::tokens::{TokenType, Tokens, now, read_key, stored_key, times};
use crate::user_agent::{RedirectRequest, UserAgent, UserAgentError};

const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

/// What every request for tokens needs.
#[derive(Clone, Copy)]
pub(crate) struct Acquire<'a> {
    pub(crate) config: &'a Config,
    pub(crate) nonces: &'a Nonces,
    /// The URL of the server.
    pub(crate) server: &'a str,
}

/// The part of [`Tokens`] that is known before the response.
struct Requested<'a> {
    issuer: &'a str,
    resource: &'a str,
    token_endpoint: &'a str,
    client: ClientRecord,
    scopes: String,
    dpop_key: Option<Secret>,
    dpop_required: bool,
}

impl Acquire<'_> {
    /// Gets tokens with these scopes.
    pub(crate) async fn tokens(
        self,
        target: &Target,
        scopes: &Scopes,
    ) -> Result<Tokens, OAuthError> {
        match &self.config.grant {
            Grant::Code(Some(agent)) => self.by_user(agent, target, scopes).await,
            Grant::Code(None) => Err(OAuthError::new(
                OAuthStep::Authorization,
                OAuthFault::LoginRequired,
            )),
            Grant::ClientCredentials => {
                let form = vec![("grant_type", "client_credentials")];
                self.by_client(target, scopes, form).await
            }
            Grant::Enterprise(enterprise) => {
                let assertion = self.exchange(enterprise, target, scopes).await?;
                self.by_assertion(target, scopes, &assertion).await
            }
            Grant::Workload(source) => {
                let assertion = self.assertion(source, target, OAuthStep::Token).await?;
                self.by_assertion(target, scopes, &assertion).await
            }
        }
    }

    async fn by_user(
        self,
        agent: &Arc<dyn UserAgent>,
        target: &Target,
        scopes: &Scopes,
    ) -> Result<Tokens, OAuthError> {
        let issuer = &target.server.issuer;
        let failed = |error: UserAgentError| {
            let fault = OAuthFault::UserAgent(error.into());
            OAuthError::new(OAuthStep::Authorization, fault).at(issuer)
        };
        let registered = Records(self.config).client(issuer).await?;
        let earlier = registered
            .as_ref()
            .and_then(|client| client.redirect_uri.as_deref());
        let has_document = self.config.metadata_document.is_some()
            && target.server.client_id_metadata_document_supported == Some(true);
        let request = RedirectRequest {
            issuer,
            registered: earlier,
            is_fixed: has_document || !self.config.clients.is_empty(),
        };
        let receiver = agent.prepare(request).await.map_err(failed)?;
        let redirect_uri = receiver.redirect_uri().to_owned();
        let login = self.begin(target, redirect_uri, scopes).await?;
        let redirect = receiver.receive(login.url()).await.map_err(failed)?;
        self.finish(&target.net, login, redirect.expose()).await
    }

    /// Begins a login of a user.
    pub(crate) async fn begin(
        self,
        target: &Target,
        redirect_uri: String,
        scopes: &Scopes,
    ) -> Result<LoginRecord, OAuthError> {
        let client = client_for(self.config, target, &redirect_uri).await?;
        LoginRecord::new(self.server, target, client, redirect_uri, scopes)
    }

    /// Checks the redirect of a login, and redeems its code.
    pub(crate) async fn finish(
        self,
        net: &Net,
        login: LoginRecord,
        redirect: &str,
    ) -> Result<Tokens, OAuthError> {
        let code = login.code(redirect)?;
        let client = with_secret(self.config, login.client).await?;
        let requested = Requested {
            issuer: &login.issuer,
            resource: &login.resource,
            token_endpoint: &login.token_endpoint,
            client: client.clone(),
            scopes: login.requested.clone(),
            dpop_key: login.dpop_key.clone(),
            dpop_required: login.dpop_required,
        };
        let form = vec![
            ("grant_type", "authorization_code"),
            ("code", code.expose()),
            ("redirect_uri", login.redirect_uri.as_str()),
            ("code_verifier", login.verifier.expose()),
            ("resource", login.resource.as_str()),
        ];
        let tokens = self.request(OAuthStep::Token, net, requested, form).await;
        if let Err(error) = &tokens
            && error.fault.is_refusal("invalid_client")
        {
            // The registration is not valid any more; the next login registers again.
            Records(self.config).forget_client(&client).await?;
        }
        tokens
    }

    async fn by_assertion(
        self,
        target: &Target,
        scopes: &Scopes,
        assertion: &Secret,
    ) -> Result<Tokens, OAuthError> {
        let form = vec![
            ("grant_type", JWT_BEARER),
            ("assertion", assertion.expose()),
        ];
        self.by_client(target, scopes, form).await
    }

    /// Requests tokens for a client that was registered in advance.
    async fn by_client(
        self,
        target: &Target,
        scopes: &Scopes,
        mut form: Form<'_>,
    ) -> Result<Tokens, OAuthError> {
        let client = preregistered(self.config, target).await?.ok_or_else(|| {
            let fault = OAuthFault::NoClient(target.server.issuer.clone());
            OAuthError::new(OAuthStep::Registration, fault)
        })?;
        let failed = |fault: OAuthFault| OAuthError::new(OAuthStep::Token, fault);
        let key = target.dpop.then(SigningKey::generate).transpose();
        let key = key.map_err(|fault| failed(fault.into()))?;
        let scope = scopes.to_string();
        form.push(("resource", target.resource.as_str()));
        if !scopes.is_empty() {
            form.push(("scope", scope.as_str()));
        }
        let requested = Requested {
            issuer: &target.server.issuer,
            resource: &target.resource,
            token_endpoint: token_endpoint(&target.server)?,
            client,
            scopes: scope.clone(),
            dpop_key: key.as_ref().map(stored_key),
            dpop_required: target.dpop_required,
        };
        self.request(OAuthStep::Token, &target.net, requested, form)
            .await
    }

    /// Exchanges the identity token of the user for an assertion for the authorization server.
    async fn exchange(
        self,
        enterprise: &Enterprise,
        target: &Target,
        scopes: &Scopes,
    ) -> Result<Secret, OAuthError> {
        let step = OAuthStep::Exchange;
        let subject = self.assertion(&enterprise.subject, target, step).await?;
        let client = &enterprise.client;
        let url = &enterprise.token_endpoint;
        let failed = |fault: OAuthFault| OAuthError::new(step, fault).at(url);
        let record = record_of(client, url.clone(), None);
        // The program named the provider, not the server.
        let net = Net::around(&self.config.policy, url).map_err(|fault| {
            let name = "token_endpoint";
            let fault = Some(fault);
            failed(OAuthFault::Endpoint { name, fault })
        })?;
        let endpoint = TokenEndpoint {
            net: &net,
            url,
            issuer: client.issuer.as_deref().unwrap_or(url),
            client: &record,
            key: client.key.as_deref(),
            dpop: None,
            nonces: self.nonces,
        };
        let scope = scopes.to_string();
        let mut form = vec![
            (
                "grant_type",
                "urn:ietf:params:oauth:grant-type:token-exchange",
            ),
            ("requested_token_type", ID_JAG),
            ("audience", target.server.issuer.as_str()),
            ("resource", target.resource.as_str()),
            ("subject_token", subject.expose()),
            ("subject_token_type", enterprise.subject_type.as_str()),
        ];
        if !scopes.is_empty() {
            form.push(("scope", scope.as_str()));
        }
        let response = endpoint.request(step, form).await?;
        match response.issued_token_type {
            Some(kind) if kind == ID_JAG => Ok(response.access_token),
            kind => Err(failed(OAuthFault::TokenType {
                expected: ID_JAG,
                found: kind.unwrap_or_default().chars().take(200).collect(),
            })),
        }
    }

    async fn assertion(
        self,
        source: &AssertionSource,
        target: &Target,
        step: OAuthStep,
    ) -> Result<Secret, OAuthError> {
        let request = AssertionRequest {
            issuer: target.server.issuer.clone(),
            resource: target.resource.clone(),
        };
        let assertion = source(request).await;
        assertion.map_err(|error| OAuthError::new(step, OAuthFault::UserAgent(error.into())))
    }

    /// Requests new tokens with the refresh token. The old refresh token stays if no new one comes.
    pub(crate) async fn refresh(self, net: &Net, tokens: &Tokens) -> Result<Tokens, OAuthError> {
        let refresh = tokens.refresh.as_ref().map_or("", Secret::expose);
        let form = vec![
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh),
            ("resource", tokens.resource.as_str()),
        ];
        let requested = Requested {
            issuer: &tokens.issuer,
            resource: &tokens.resource,
            token_endpoint: &tokens.token_endpoint,
            client: tokens.client.clone(),
            scopes: tokens.requested.clone(),
            dpop_key: tokens.dpop_key.clone(),
            dpop_required: tokens.token_type == TokenType::Dpop,
        };
        let renewed = self.request(OAuthStep::Refresh, net, requested, form);
        let mut renewed = renewed.await?;
        renewed.refresh = renewed.refresh.or_else(|| tokens.refresh.clone());
        renewed.granted = renewed.granted.or_else(|| tokens.granted.clone());
        Ok(renewed)
    }

    /// Tells the authorization server that a token is not used any more (RFC 7009).
    pub(crate) async fn revoke(
        self,
        net: &Net,
        url: &str,
        tokens: &Tokens,
    ) -> Result<(), OAuthError> {
        let client = with_secret(self.config, tokens.client.clone()).await?;
        let key = key_of(self.config, &client).await?;
        let endpoint = TokenEndpoint {
            net,
            url: &tokens.token_endpoint,
            issuer: &tokens.issuer,
            client: &client,
            key: key.as_deref(),
            dpop: None,
            nonces: self.nonces,
        };
        let (token, hint) = match &tokens.refresh {
            Some(refresh) => (refresh, "refresh_token"),
            None => (&tokens.access, "access_token"),
        };
        let form = vec![("token", token.expose()), ("token_type_hint", hint)];
        let sent = endpoint.send(OAuthStep::Revocation, url, form).await;
        sent.map(drop)
    }

    async fn request(
        self,
        step: OAuthStep,
        net: &Net,
        mut requested: Requested<'_>,
        form: Form<'_>,
    ) -> Result<Tokens, OAuthError> {
        let client = with_secret(self.config, requested.client.clone()).await?;
        if configured(self.config, &client).await?.is_some() {
            // The program has the secret, so it is not stored with the tokens.
            requested.client.secret = None;
        }
        let key = key_of(self.config, &client).await?;
        let dpop = requested.dpop_key.as_ref().and_then(read_key);
        let endpoint = TokenEndpoint {
            net,
            url: requested.token_endpoint,
            issuer: requested.issuer,
            client: &client,
            key: key.as_deref(),
            dpop: dpop.as_ref(),
            nonces: self.nonces,
        };
        let response = endpoint.request(step, form).await?;
        let url = requested.token_endpoint.to_owned();
        let machine = !self.config.is_interactive();
        let tokens = into_tokens(requested, response, machine);
        tokens.map_err(|fault| OAuthError::new(step, fault).at(&url))
    }
}

fn into_tokens(
    requested: Requested<'_>,
    response: TokenResponse,
    machine: bool,
) -> Result<Tokens, OAuthFault> {
    let is_dpop = response.token_type.eq_ignore_ascii_case("DPoP");
    let is_bearer = response.token_type.eq_ignore_ascii_case("Bearer");
    let has_key = requested.dpop_key.is_some();
    let fits = is_dpop && has_key || is_bearer && !requested.dpop_required;
    if !fits {
        let needs_dpop = requested.dpop_required;
        return Err(OAuthFault::TokenType {
            expected: if needs_dpop { "DPoP" } else { "Bearer" },
            found: response.token_type.chars().take(200).collect(),
        });
    }
    let jitter = random()?.bytes().fold(0, u8::wrapping_add);
    let times = response
        .expires_in
        .map(|lifetime| times(now(), lifetime, jitter));
    Ok(Tokens {
        issuer: requested.issuer.to_owned(),
        resource: requested.resource.to_owned(),
        token_endpoint: requested.token_endpoint.to_owned(),
        client: requested.client,
        access: response.access_token,
        token_type: if is_dpop {
            TokenType::Dpop
        } else {
            TokenType::Bearer
        },
        expires_at: times.map(|(expires_at, _)| expires_at),
        refresh_at: times.map(|(_, refresh_at)| refresh_at),
        refresh: response.refresh_token,
        requested: requested.scopes,
        granted: response.scope,
        dpop_key: requested.dpop_key.filter(|_| is_dpop),
        machine,
    })
}
