//! [`TokenEndpoint`]: token requests, with the authentication of the client.

use std::fmt::Write as _;

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue, Method};
use mcp_oauth::jwt::SigningKey;
use mcp_oauth::{Secret, random};
use serde::Deserialize;
use serde_json::json;
use zeroize::Zeroizing;

use super::dpop::{DPOP, Nonces, proof};
use crate::client::{ClientAuthMethod, ClientRecord, PrivateKey};
use crate::error::{OAuthError, OAuthFault, OAuthStep};
use crate::net::{Net, NetResponse, refusal};
use crate::tokens::now;

const FORM: &str = "application/x-www-form-urlencoded";
/// How long a signature of the client is valid, in seconds.
const ASSERTION_SECONDS: u64 = 60;
/// How often a request is sent again with a new nonce.
const NONCE_RETRIES: usize = 2;
/// The maximum number of bytes of a token.
const TOKEN_BYTES: usize = 64 << 10;

/// A token endpoint, as one client uses it.
pub(crate) struct TokenEndpoint<'a> {
    pub(crate) net: &'a Net,
    pub(crate) url: &'a str,
    pub(crate) issuer: &'a str,
    /// The client, and the key for `private_key_jwt`.
    pub(crate) client: &'a ClientRecord,
    pub(crate) key: Option<&'a PrivateKey>,
    /// The key of proofs of possession, if the token is to be bound to it.
    pub(crate) dpop: Option<&'a SigningKey>,
    pub(crate) nonces: &'a Nonces,
}

/// The parameters of a request.
pub(crate) type Form<'a> = Vec<(&'static str, &'a str)>;

/// A successful response (RFC 6749, section 5.1).
#[derive(Deserialize)]
pub(crate) struct TokenResponse {
    pub(crate) access_token: Secret,
    pub(crate) token_type: String,
    /// Some servers send the number as text.
    #[serde(default, deserialize_with = "seconds")]
    pub(crate) expires_in: Option<u64>,
    #[serde(default)]
    pub(crate) refresh_token: Option<Secret>,
    #[serde(default)]
    pub(crate) scope: Option<String>,
    #[serde(default)]
    pub(crate) issued_token_type: Option<String>,
}

impl TokenEndpoint<'_> {
    /// Requests a token.
    pub(crate) async fn request(
        &self,
        step: OAuthStep,
        form: Form<'_>,
    ) -> Result<TokenResponse, OAuthError> {
        let response = self.send(step, self.url, form).await?;
        let failed = |fault: OAuthFault| OAuthError::new(step, fault).at(self.url);
        let token: TokenResponse = response.json().map_err(failed)?;
        let access = token.access_token.expose();
        let is_legal = |byte: u8| byte.is_ascii_graphic();
        if access.is_empty() || access.len() > TOKEN_BYTES || !access.bytes().all(is_legal) {
            let text =
                "`access_token` is empty, too long, or has characters other than visible ASCII";
            return Err(failed(OAuthFault::Document(text.to_owned())));
        }
        Ok(token)
    }

    /// Sends a form to an endpoint of the authorization server, with the authentication of the
    /// client, and again if the server demands a nonce. Returns a successful response.
    pub(crate) async fn send(
        &self,
        step: OAuthStep,
        url: &str,
        form: Form<'_>,
    ) -> Result<NetResponse, OAuthError> {
        let failed = |fault: OAuthFault| OAuthError::new(step, fault).at(url);
        let mut retries = 0;
        loop {
            let mut headers = HeaderMap::new();
            let assertion = self.authenticate(&mut headers).map_err(failed)?;
            let mut body = Zeroizing::new(String::new());
            for (name, value) in form
                .iter()
                .copied()
                .chain(self.credentials(assertion.as_ref()))
            {
                let before = if body.is_empty() { "" } else { "&" };
                let value = Zeroizing::new(encode(value));
                // Writing to a string cannot fail.
                let _ = write!(body, "{before}{name}={}", value.as_str());
            }
            if let Some(key) = self.dpop {
                let proof = proof(key, self.nonces, &Method::POST, url, None)?;
                headers.insert(DPOP, proof);
            }
            let body = Bytes::copy_from_slice(body.as_bytes());
            let sent = self
                .net
                .send(Method::POST, url, headers, Some((FORM, body)));
            let response = sent.await.map_err(|error| failed(error.into()))?;
            let has_new_nonce = self.nonces.learn(url, &response.headers);
            if response.status.is_success() {
                return Ok(response);
            }
            let fault = refusal(&response);
            if fault.is_refusal("use_dpop_nonce")
                && self.dpop.is_some()
                && has_new_nonce
                && retries < NONCE_RETRIES
            {
                retries += 1;
                continue;
            }
            return Err(failed(fault));
        }
    }

    /// Adds the header that authenticates the client, or returns the signature for the body.
    fn authenticate(&self, headers: &mut HeaderMap) -> Result<Option<Secret>, OAuthFault> {
        match self.client.method {
            ClientAuthMethod::None | ClientAuthMethod::SecretPost => Ok(None),
            ClientAuthMethod::SecretBasic => {
                let secret = self.client.secret.as_ref().map_or("", Secret::expose);
                let value = mcp_oauth::basic(&self.client.id, secret);
                let mut value = HeaderValue::try_from(value.as_str())
                    .map_err(|error| OAuthFault::Configuration(error.to_string()))?;
                value.set_sensitive(true);
                headers.insert(AUTHORIZATION, value);
                Ok(None)
            }
            ClientAuthMethod::PrivateKeyJwt => self.assertion().map(Some),
        }
    }

    /// Signs the assertion of `private_key_jwt` (RFC 7523). Its audience is the issuer.
    fn assertion(&self) -> Result<Secret, OAuthFault> {
        let key = self.key.ok_or_else(|| {
            OAuthFault::Configuration("`private_key_jwt` needs a private key".to_owned())
        })?;
        let now = now();
        let claims = json!({
            "iss": self.client.id,
            "sub": self.client.id,
            "aud": self.issuer,
            "jti": random()?,
            "iat": now,
            "exp": now + ASSERTION_SECONDS,
        });
        let mut header = key.key.header("JWT");
        header.kid.clone_from(&key.id);
        Ok(Secret::new(key.key.sign(header, &claims)?))
    }

    /// Returns the parameters that identify and authenticate the client.
    fn credentials<'a>(&'a self, assertion: Option<&'a Secret>) -> Form<'a> {
        let id = ("client_id", self.client.id.as_str());
        match self.client.method {
            // With Basic, the id is repeated for servers that look for it in the form only, such as
            // those of the Python SDK.
            ClientAuthMethod::None | ClientAuthMethod::SecretBasic => vec![id],
            ClientAuthMethod::SecretPost => {
                let secret = self.client.secret.as_ref().map_or("", Secret::expose);
                vec![id, ("client_secret", secret)]
            }
            ClientAuthMethod::PrivateKeyJwt => {
                let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
                let assertion = assertion.map_or("", Secret::expose);
                vec![
                    ("client_assertion_type", kind),
                    ("client_assertion", assertion),
                ]
            }
        }
    }
}

/// Encodes a value of a form.
pub(crate) fn encode(value: &str) -> String {
    form_urlencoded::byte_serialize(value.as_bytes()).collect()
}

fn seconds<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Seconds {
        Integer(u64),
        Float(f64),
        Text(String),
        Other(serde::de::IgnoredAny),
    }
    Ok(match Option::<Seconds>::deserialize(deserializer)? {
        Some(Seconds::Integer(seconds)) => Some(seconds),
        Some(Seconds::Float(seconds)) => format!("{seconds:.0}").parse().ok(),
        Some(Seconds::Text(text)) => text.trim().parse().ok(),
        // Without a usable lifetime, the token is used until it is rejected.
        Some(Seconds::Other(_)) | None => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_fetch::FetchPolicy;

    #[test]
    fn credentials_in_headers_are_marked_as_secret() {
        let net = Net::around(&FetchPolicy::new(), "http://127.0.0.1/mcp");
        let client = ClientRecord {
            issuer: "http://127.0.0.1".to_owned(),
            id: "id".to_owned(),
            secret: Some(Secret::new("secret")),
            method: ClientAuthMethod::SecretBasic,
            redirect_uri: None,
            secret_expires_at: None,
        };
        let endpoint = TokenEndpoint {
            net: &net.expect("a URL"),
            url: "http://127.0.0.1/token",
            issuer: &client.issuer,
            client: &client,
            key: None,
            dpop: None,
            nonces: &Nonces::default(),
        };
        let mut headers = HeaderMap::new();
        let assertion = endpoint.authenticate(&mut headers).expect("a header");
        assert!(assertion.is_none());
        // The base64 of `id:secret`.
        assert_eq!(headers[AUTHORIZATION], "Basic aWQ6c2VjcmV0");
        assert!(headers[AUTHORIZATION].is_sensitive());
    }
}
