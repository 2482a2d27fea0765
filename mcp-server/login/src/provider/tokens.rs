//! The tokens of a provider, and the requests for them (RFC 6749, sections 4.1.3 and 6).

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_types::json::Value;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::clock::now;
use crate::provider::LoginAttempt;
use crate::provider::error::ProviderError;
use crate::provider::net::Net;
use crate::secret::Secret;
use crate::web::params::with_query;

/// The maximum length of a token, in bytes.
const TOKEN_BYTES: usize = 16 << 10;

/// The server as a client of a provider.
pub(crate) struct ProviderClient {
    pub(crate) id: String,
    pub(crate) secret: Secret,
    pub(crate) scopes: Vec<String>,
    /// Further parameters of the URL to which users are sent.
    pub(crate) params: Vec<(String, String)>,
}

/// How the server proves at the token endpoint who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretPlace {
    /// In the header `Authorization`.
    Header,
    /// In the form.
    Form,
}

/// The tokens of a user at a provider. They never leave the process in the clear.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ProviderTokens {
    #[serde(rename = "a")]
    pub(crate) access: Secret,
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    pub(crate) refresh: Option<Secret>,
    /// When the access token expires, in seconds since the Unix epoch.
    #[serde(rename = "e", default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires: Option<u64>,
    /// The user to whom they belong, if the provider said it in an ID token.
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub(crate) subject: Option<String>,
}

impl ProviderTokens {
    /// Returns these tokens. A refresh token that the provider did not replace stays valid.
    pub(crate) fn or_keep(mut self, before: &Self) -> Self {
        self.refresh = self.refresh.or_else(|| before.refresh.clone());
        self.subject.clone_from(&before.subject);
        self
    }

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
            scopes: Vec::new(),
            params: Vec::new(),
        }
    }

    pub(crate) fn scopes(mut self, scopes: impl IntoIterator<Item = &'static str>) -> Self {
        self.scopes = scopes.into_iter().map(str::to_owned).collect();
        self
    }

    /// Returns the URL to which a browser is sent. PKCE and `state` bind the code to this login (RFC
    /// 9700, section 2.1.1).
    pub(crate) fn authorization_url(
        &self,
        endpoint: &str,
        attempt: &LoginAttempt<'_>,
        nonce: Option<&str>,
    ) -> String {
        let scopes = self.scopes.join(" ");
        let challenge = mcp_oauth::sha256(attempt.verifier.as_bytes());
        let params = [
            ("response_type", "code"),
            ("client_id", &*self.id),
            ("redirect_uri", attempt.callback),
            ("state", attempt.state),
            ("code_challenge", &*challenge),
            ("code_challenge_method", "S256"),
        ];
        let scope = (!scopes.is_empty()).then_some(("scope", &*scopes));
        let nonce = nonce.map(|nonce| ("nonce", nonce));
        let own = self.params.iter().map(|(name, value)| (&**name, &**value));
        with_query(
            endpoint,
            params.into_iter().chain(scope).chain(nonce).chain(own),
        )
    }

    /// Exchanges a code for tokens.
    pub(crate) async fn exchange(
        &self,
        net: &Net,
        endpoint: &str,
        place: SecretPlace,
        attempt: &LoginAttempt<'_>,
        code: &str,
    ) -> Result<TokenResponse, ProviderError> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", attempt.callback),
            ("code_verifier", attempt.verifier),
        ];
        self.request(net, endpoint, place, &form).await
    }

    /// Exchanges a refresh token for new tokens.
    pub(crate) async fn refresh(
        &self,
        net: &Net,
        endpoint: &str,
        place: SecretPlace,
        tokens: &ProviderTokens,
    ) -> Result<TokenResponse, ProviderError> {
        let refresh = tokens.refresh.as_ref();
        let refresh = refresh.ok_or(ProviderError::Missing("refresh_token"))?;
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.expose()),
        ];
        self.request(net, endpoint, place, &form).await
    }

    /// Returns the form with these parameters, and the credentials of `Basic` unless the form has them.
    fn authenticated_form(
        &self,
        place: SecretPlace,
        params: &[(&str, &str)],
    ) -> (Zeroizing<String>, Option<Zeroizing<String>>) {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(params);
        let basic = match place {
            SecretPlace::Header if !self.secret.expose().is_empty() => {
                let pair = Zeroizing::new(format!(
                    "{}:{}",
                    encoded(&self.id).as_str(),
                    encoded(self.secret.expose()).as_str()
                ));
                Some(Zeroizing::new(format!("Basic {}", STANDARD.encode(&*pair))))
            }
            _ => {
                form.append_pair("client_id", &self.id);
                if !self.secret.expose().is_empty() {
                    form.append_pair("client_secret", self.secret.expose());
                }
                None
            }
        };
        (Zeroizing::new(form.finish()), basic)
    }

    async fn request(
        &self,
        net: &Net,
        endpoint: &str,
        place: SecretPlace,
        params: &[(&str, &str)],
    ) -> Result<TokenResponse, ProviderError> {
        let (form, basic) = self.authenticated_form(place, params);
        let basic = basic.as_ref().map(|basic| basic.as_str());
        let response = net.post("tokens", endpoint, basic, &form).await?;
        let body = &response.body;
        let text = |name: &str| body.get(name).and_then(Value::as_str);
        // Some providers send errors with status 200.
        if let Some(error) = text("error") {
            return Err(ProviderError::refused(error, text("error_description")));
        }
        let secret = |name: &'static str| {
            let token = text(name).filter(|token| !token.is_empty());
            match token {
                Some(token) if token.len() > TOKEN_BYTES => Err(ProviderError::Missing(name)),
                token => Ok(token.map(Secret::new)),
            }
        };
        if !response.status.is_success() {
            let status = response.status;
            return Err(ProviderError::Status {
                what: "tokens",
                status,
            });
        }
        let access = secret("access_token")?;
        let expires_in = body.get("expires_in").and_then(|seconds| {
            // Some providers send a string.
            let text = seconds.as_str().and_then(|text| text.parse().ok());
            seconds.as_u64().or(text)
        });
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
}

/// Encodes a text as the value in a form (RFC 6749, section 2.3.1).
fn encoded(text: &str) -> Zeroizing<String> {
    Zeroizing::new(form_urlencoded::byte_serialize(text.as_bytes()).collect())
}
