//! [`ProviderError`]: why a provider cannot be used, or a user cannot be identified.

use std::time::Duration;

use http::StatusCode;
use mcp_fetch::{FetchError, UrlFault};
use mcp_oauth::jwt::JwtError;

/// Why a provider cannot be used, or a user cannot be identified. The texts are for the log: what they
/// quote of the provider has to be escaped, and contains no tokens.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProviderError {
    #[error("a request to the provider failed")]
    Fetch(#[from] FetchError),
    #[error("the provider answers with HTTP status {1} for {0}")]
    Status(&'static str, StatusCode),
    #[error("the provider does not return JSON for {0}")]
    Json(&'static str),
    #[error("the provider refuses: {error} {description}")]
    Refused { error: String, description: String },
    #[error("the response of the provider has no `{0}`")]
    Missing(&'static str),
    #[error("a URL of the provider cannot be used: {0}")]
    Url(UrlFault),
    #[error("the metadata of the provider is that of another issuer")]
    Issuer,
    #[error("the redirect does not come from the provider where the login began")]
    MixUp,
    #[error("the ID token is not valid: {0}")]
    IdToken(&'static str),
    #[error("the ID token cannot be verified")]
    Jwt(#[from] JwtError),
    #[error("the user cannot be identified: {0}")]
    User(&'static str),
    #[error("the provider did not answer within {} s", .0.as_secs_f64())]
    Timeout(Duration),
}

impl ProviderError {
    /// Creates the error for a response with `error` (RFC 6749, section 5.2).
    pub(crate) fn refused(error: &str, description: Option<&str>) -> Self {
        const SHOWN: usize = 200;
        let cut = |text: &str| text.chars().take(SHOWN).collect();
        Self::Refused {
            error: cut(error),
            description: cut(description.unwrap_or_default()),
        }
    }

    /// Returns `true` if the provider says that a refresh token is not valid any more.
    pub(crate) fn is_invalid_grant(&self) -> bool {
        let codes = ["invalid_grant", "bad_refresh_token"];
        matches!(self, Self::Refused { error, .. } if codes.contains(&error.as_str()))
    }
}
