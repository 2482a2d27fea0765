//! [`LoginRecord`] and [`PendingLogin`]: one login of a user, from the authorization request to the
//! redirect.

use std::fmt;

use mcp_oauth::jwt::SigningKey;
use mcp_oauth::scopes::Scopes;
use mcp_oauth::{Secret, jwk, random, sha256};
use serde::{Deserialize, Serialize};

use super::target::Target;
use crate::client::ClientRecord;
use crate::discovery::token_endpoint;
use crate::error::{OAuthError, OAuthFault, OAuthStep};
use crate::tokens::stored_key;
use crate::user_agent::AuthorizationUrl;
use mcp_fetch::url::shown;

/// What belongs to one authorization request. It is used once.
#[derive(Serialize, Deserialize)]
pub(crate) struct LoginRecord {
    /// The URL of the server.
    pub(crate) server: String,
    pub(crate) issuer: String,
    pub(crate) resource: String,
    pub(crate) token_endpoint: String,
    /// The client without its secret, which is looked up when the code is redeemed.
    pub(crate) client: ClientRecord,
    url: String,
    state: Secret,
    pub(crate) verifier: Secret,
    pub(crate) redirect_uri: String,
    /// The requested scopes, separated by spaces.
    pub(crate) requested: String,
    /// Whether the redirect must name the issuer.
    needs_iss: bool,
    pub(crate) dpop_key: Option<Secret>,
    pub(crate) dpop_required: bool,
}

impl LoginRecord {
    pub(crate) fn new(
        server: &str,
        target: &Target,
        client: ClientRecord,
        redirect_uri: String,
        scopes: &Scopes,
    ) -> Result<Self, OAuthError> {
        let failed = |fault: OAuthFault| OAuthError::new(OAuthStep::Authorization, fault);
        let endpoint = target.server.authorization_endpoint.as_deref();
        let endpoint = endpoint.ok_or_else(|| {
            let name = "authorization_endpoint";
            failed(OAuthFault::Endpoint { name, fault: None }).at(&target.server.issuer)
        })?;
        let random = || random().map_err(|fault| failed(fault.into()));
        let (state, verifier) = (Secret::new(random()?), Secret::new(random()?));
        let key = target.dpop.then(SigningKey::generate).transpose();
        let key = key.map_err(|fault| failed(fault.into()))?;
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        let start = format!("{endpoint}{separator}");
        let end = start.len();
        let mut url = form_urlencoded::Serializer::for_suffix(start, end);
        url.append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", &redirect_uri)
            .append_pair("code_challenge", &sha256(verifier.expose().as_bytes()))
            .append_pair("code_challenge_method", "S256")
            .append_pair("state", state.expose())
            .append_pair("resource", &target.resource);
        if !scopes.is_empty() {
            url.append_pair("scope", &scopes.to_string());
        }
        if scopes.contains("offline_access") {
            // OpenID Connect gives a refresh token only after consent.
            url.append_pair("prompt", "consent");
        }
        if let Some(key) = &key {
            let public = key.public().map_err(|fault| failed(fault.into()))?;
            let thumbprint = jwk::thumbprint(&public).unwrap_or_default();
            url.append_pair("dpop_jkt", &thumbprint);
        }
        let iss = target.server.authorization_response_iss_parameter_supported;
        Ok(Self {
            server: server.to_owned(),
            issuer: target.server.issuer.clone(),
            resource: target.resource.clone(),
            token_endpoint: token_endpoint(&target.server)?.to_owned(),
            client: ClientRecord {
                secret: None,
                ..client
            },
            url: url.finish(),
            state,
            verifier,
            redirect_uri,
            requested: scopes.to_string(),
            needs_iss: iss == Some(true),
            dpop_key: key.as_ref().map(stored_key),
            dpop_required: target.dpop_required,
        })
    }

    /// Returns the URL to which the user is sent.
    pub(crate) fn url(&self) -> AuthorizationUrl {
        AuthorizationUrl {
            url: self.url.clone(),
            server: shown(&self.server),
            state: self.state.clone(),
        }
    }

    /// Checks a redirect, and returns the code. `redirect` is its URL, or its query.
    ///
    /// The state is checked first, then the issuer (RFC 9207), and only then is anything else of
    /// the redirect looked at.
    pub(crate) fn code(&self, redirect: &str) -> Result<Secret, OAuthError> {
        let failed =
            |fault: OAuthFault| OAuthError::new(OAuthStep::Authorization, fault).at(&self.issuer);
        let query = redirect
            .split_once('?')
            .map_or(redirect, |(_, query)| query);
        let query = query.split('#').next().unwrap_or_default();
        let mut found = RedirectParams::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let member = match &*name {
                "state" => &mut found.state,
                "iss" => &mut found.iss,
                "code" => &mut found.code,
                "error" => &mut found.error,
                "error_description" => &mut found.description,
                _ => continue,
            };
            if member.replace(Secret::new(value)).is_some() {
                return Err(failed(OAuthFault::Redirect("a parameter is repeated")));
            }
        }
        if found.state.as_ref() != Some(&self.state) {
            return Err(failed(OAuthFault::State));
        }
        let iss_fits = match &found.iss {
            Some(iss) => iss.expose() == self.issuer,
            None => !self.needs_iss,
        };
        if !iss_fits {
            let expected = self.issuer.clone();
            return Err(failed(OAuthFault::Iss { expected }));
        }
        if let Some(error) = found.error {
            let shown = |text: &Secret| text.expose().chars().take(300).collect();
            return Err(failed(OAuthFault::Refused {
                error: shown(&error),
                description: found.description.as_ref().map(shown),
            }));
        }
        let code = found.code.filter(|code| !code.expose().is_empty());
        code.ok_or_else(|| failed(OAuthFault::Redirect("`code` is missing")))
    }
}

#[derive(Default)]
struct RedirectParams {
    state: Option<Secret>,
    iss: Option<Secret>,
    code: Option<Secret>,
    error: Option<Secret>,
    description: Option<Secret>,
}

/// A login that has begun. It is used once: [`OAuth::finish`](crate::OAuth::finish) consumes it.
///
/// A web program that finishes the login in another process stores it in the session of the user
/// with [`to_secret`](Self::to_secret), and removes it there before it calls `finish`.
pub struct PendingLogin(pub(crate) LoginRecord);

impl PendingLogin {
    /// Returns the URL to which the user is sent.
    #[must_use]
    pub fn url(&self) -> AuthorizationUrl {
        self.0.url()
    }

    /// Returns the login as a secret text. It contains no secret of the client.
    #[must_use]
    pub fn to_secret(&self) -> Secret {
        // Only strings and flags are written, which cannot fail.
        Secret::new(serde_json::to_string(&self.0).unwrap_or_default())
    }

    /// Reads a login from a secret text.
    ///
    /// # Errors
    ///
    /// Fails if the text is not that of a login.
    pub fn from_secret(secret: &Secret) -> Result<Self, OAuthError> {
        let record = serde_json::from_str(secret.expose());
        record.map(Self).map_err(|_| {
            let text = "the text is not that of a login that has begun".to_owned();
            OAuthError::new(OAuthStep::Authorization, OAuthFault::Configuration(text))
        })
    }
}

impl fmt::Debug for PendingLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingLogin")
            .field("server", &shown(&self.0.server))
            .field("issuer", &shown(&self.0.issuer))
            .finish_non_exhaustive()
    }
}
