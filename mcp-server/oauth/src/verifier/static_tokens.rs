//! [`StaticTokens`]: fixed access tokens, for tests.

use std::collections::HashMap;

use mcp_oauth::sha256;
use mcp_server::AccessToken;

use crate::verifier::{PresentedToken, TokenError, TokenVerifier};

/// Fixed access tokens of one issuer, for tests and development.
///
/// ```
/// use mcp_server::AccessToken;
/// use mcp_server_oauth::{OAuth, StaticTokens};
///
/// let issuer = "https://auth.example.com";
/// let resource = "https://mcp.example.com/mcp";
/// let ada = AccessToken::new(issuer).subject("ada").scopes(["files:read"]).audience([resource]);
/// let tokens = StaticTokens::new(issuer).token("secret-of-ada", ada);
/// let oauth = OAuth::builder(resource).verifier(tokens).build()?;
/// # drop(oauth);
/// # Ok::<(), mcp_server_oauth::OAuthError>(())
/// ```
pub struct StaticTokens {
    issuer: String,
    /// By the digest of the token, so that the time of a search tells nothing about the tokens.
    tokens: HashMap<String, AccessToken>,
}

impl StaticTokens {
    /// Creates a verifier without tokens. Clients are told to get tokens from the issuer.
    pub fn new(issuer: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            tokens: HashMap::new(),
        }
    }

    /// Adds a token and what it says.
    #[must_use]
    pub fn token(mut self, text: impl AsRef<str>, token: AccessToken) -> Self {
        let digest = sha256(text.as_ref().as_bytes());
        self.tokens.insert(digest, token);
        self
    }
}

impl std::fmt::Debug for StaticTokens {
    /// Shows no digests, because short tokens could be found by them.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StaticTokens")
            .field("issuer", &self.issuer)
            .field("tokens", &self.tokens.len())
            .finish()
    }
}

impl TokenVerifier for StaticTokens {
    fn issuer(&self) -> &str {
        &self.issuer
    }

    async fn verify(&self, token: PresentedToken<'_>) -> Result<AccessToken, TokenError> {
        let found = self.tokens.get(&sha256(token.text().as_bytes()));
        found.cloned().ok_or(TokenError::Foreign)
    }
}
