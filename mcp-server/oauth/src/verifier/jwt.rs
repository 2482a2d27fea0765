//! [`JwtVerifier`]: verifies access tokens that are JWT (RFC 9068) with the keys of their issuer.

use std::sync::Arc;

use mcp_oauth::jwt::{self, Algorithm};
use mcp_server::AccessToken;
use mcp_types::json::Object;

use crate::verifier::key_cache::{KeyCache, NoKey};
use crate::verifier::{PresentedToken, TokenError, TokenVerifier, claims};

/// The types of tokens that are access tokens, or do not say what they are.
const TYPES: [&str; 3] = ["at+jwt", "application/at+jwt", "JWT"];

/// Verifies the tokens of one issuer.
pub(crate) struct JwtVerifier {
    pub(crate) issuer: String,
    pub(crate) algorithms: Vec<Algorithm>,
    pub(crate) keys: Arc<KeyCache>,
}

impl TokenVerifier for JwtVerifier {
    fn issuer(&self) -> &str {
        &self.issuer
    }

    async fn verify(&self, token: PresentedToken<'_>) -> Result<AccessToken, TokenError> {
        // Nothing is loaded for tokens of other issuers, of which anybody can invent any number.
        if token.unverified_issuer() != Some(&self.issuer) {
            return Err(TokenError::Foreign);
        }
        let token = token.text();
        let header = jwt::header(token).map_err(|error| TokenError::invalid(error.to_string()))?;
        let kind = header.typ.as_deref();
        if kind.is_some_and(|kind| !TYPES.iter().any(|known| known.eq_ignore_ascii_case(kind))) {
            return Err(TokenError::invalid(
                "its type (`typ`) is not that of access tokens",
            ));
        }
        if !self.algorithms.contains(&header.alg) {
            return Err(TokenError::invalid("its algorithm (`alg`) is not allowed"));
        }
        // The header may also name URLs of keys, or contain a key. None of it is used.
        let key = self.keys.key(header.kid.as_deref(), header.alg).await;
        let key = key.map_err(|error| match error {
            NoKey::Unknown => TokenError::invalid("the issuer has no such key (`kid`)"),
            NoKey::Unavailable => TokenError::unavailable("the keys of the issuer are not known"),
        })?;
        let verified = jwt::verify::<Object>(token, &key, &self.algorithms)
            .map_err(|error| TokenError::invalid(error.to_string()))?;
        let token = claims::access_token(&self.issuer, verified.claims);
        let token = token.map_err(TokenError::invalid)?;
        if token.expires_at.is_none() {
            return Err(TokenError::invalid(
                "the time of its expiry (`exp`) is missing",
            ));
        }
        Ok(token)
    }
}
