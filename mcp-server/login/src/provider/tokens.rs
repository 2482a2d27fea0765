//! The tokens of a provider, and the requests for them (RFC 6749, sections 4.1.3 and 6).

use std::time::Duration;

use mcp_oauth::Secret;
use mcp_types::json::Value;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::clock::now;
use crate::provider::LoginAttempt;
use crate::provider::error::ProviderError;
use crate::provider::net::Net;
use crate::provider::urls::ProviderUrls;
use crate::web::params::with_query;

/// The maximum length of a token, in bytes.
const TOKEN_BYTES: usize = 16 << 10;

/// The server as a client of a provider.
#[derive(Default)]
pub(crate) struct ProviderClient {
    pub(crate) id: String,
    pub(crate) secret: Secret,
    pub(crate) scopes: Vec<String>,
    /// Further parameters of the URL to which users are sent.
    pub(crate) params: Vec<(String, String)>,
    /// The URL to which the provider redirects users.
    pub(crate) redirect_uri: String,
}

/// The tokens of a user at a provider. They never leave the process in the clear.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ProviderTokens {
    pub(crate) access: Secret,
    pub(crate) refresh: Option<Secret>,
    /// When the access token expires, in seconds since the Unix epoch.
    pub(crate) expires: Option<u64>,
    /// The user to whom they belong, if the provider said it in an ID token.
    pub(crate) subject: Option<String>,
}

impl ProviderTokens {
    /// Returns `true` if the access token is valid for at least this time.
    pub(crate) fn is_valid_for(&self, time: Duration) -> bool {
        let end = now().saturating_add(time.as_secs());
        self.expires.is_none_or(|expires| expires > end)
    }
}

/// The response of a token endpoint.
pub(crate) struct TokenResponse {
    pub(crate) tokens: ProviderTokens,
    pub(crate) id_token: Option<Secret>,
}

impl ProviderClient {
    pub(crate) fn new(id: impl Into<String>, secret: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            secret: Secret::new(secret),
            ..Self::default()
        }
    }

    /// Returns the URL to which a browser is sent. PKCE and `state` bind the code to this login (RFC
    /// 9700, section 2.1.1).
    pub(crate) fn authorization_url(
        &self,
        endpoint: &str,
        attempt: &LoginAttempt,
        has_nonce: bool,
    ) -> String {
        let scopes = self.scopes.join(" ");
        let challenge = mcp_oauth::sha256(attempt.verifier.expose().as_bytes());
        let params = [
            ("response_type", "code"),
            ("client_id", &*self.id),
            ("redirect_uri", &*self.redirect_uri),
            ("state", &*attempt.state),
            ("code_challenge", &*challenge),
            ("code_challenge_method", "S256"),
        ];
        let scope = (!scopes.is_empty()).then_some(("scope", &*scopes));
        let nonce = has_nonce.then_some(("nonce", attempt.nonce.expose()));
        let own = self.params.iter().map(|(name, value)| (&**name, &**value));
        let params = params.into_iter().chain(scope).chain(nonce);
        with_query(endpoint, params.chain(own))
    }

    /// Requests tokens.
    pub(crate) async fn request(
        &self,
        net: &Net,
        urls: &ProviderUrls,
        params: &[(&str, &str)],
    ) -> Result<TokenResponse, ProviderError> {
        let (form, basic) = self.authenticated(urls.secret_in_header, params);
        let (status, body) = net.send(&urls.token, basic, Some(&form)).await?;
        let member = |name: &str| body.as_ref()?.get(name);
        let text = |name: &str| member(name).and_then(Value::as_str);
        // Some providers send errors with status 200.
        if let Some(error) = text("error") {
            return Err(ProviderError::refused(error, text("error_description")));
        }
        if !status.is_success() {
            return Err(ProviderError::Status("tokens", status));
        }
        let secret = |name: &'static str| {
            let token = text(name).filter(|token| !token.is_empty());
            match token {
                Some(token) if token.len() > TOKEN_BYTES => Err(ProviderError::Missing(name)),
                token => Ok(token.map(Secret::new)),
            }
        };
        let expires_in = member("expires_in").and_then(|seconds| {
            // Some providers send a string.
            let text = seconds.as_str().and_then(|text| text.parse().ok());
            seconds.as_u64().or(text)
        });
        let access = secret("access_token")?;
        Ok(TokenResponse {
            tokens: ProviderTokens {
                access: access.ok_or(ProviderError::Missing("access_token"))?,
                refresh: secret("refresh_token")?,
                expires: expires_in.map(|seconds: u64| now().saturating_add(seconds)),
                subject: None,
            },
            id_token: secret("id_token")?,
        })
    }

    /// Returns the form with these parameters, and the credentials of `Basic` unless the form has them.
    fn authenticated(
        &self,
        in_header: bool,
        params: &[(&str, &str)],
    ) -> (Zeroizing<String>, Option<Zeroizing<String>>) {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(params);
        let secret = self.secret.expose();
        if in_header && !secret.is_empty() {
            let basic = mcp_oauth::basic(&self.id, secret);
            return (Zeroizing::new(form.finish()), Some(basic));
        }
        form.append_pair("client_id", &self.id);
        if !secret.is_empty() {
            form.append_pair("client_secret", secret);
        }
        (Zeroizing::new(form.finish()), None)
    }
}
