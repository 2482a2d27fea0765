//! [`ProviderUrls`]: where a provider with OAuth 2.0 is.

/// The URLs of a provider with plain OAuth 2.0, see [`Provider::custom`](crate::Provider::custom).
#[derive(Clone, Debug)]
#[must_use = "the URLs do nothing until they are passed to `Provider::custom`"]
pub struct ProviderUrls {
    pub(crate) authorization: String,
    pub(crate) token: String,
    /// The URLs of the documents about the user, and the scopes that they need.
    pub(crate) user: Vec<(String, Option<String>)>,
    pub(crate) secret_in_header: bool,
}

impl ProviderUrls {
    /// Creates the table with the URL to which users are sent, and that of the token endpoint.
    pub fn new(authorization: impl Into<String>, token: impl Into<String>) -> Self {
        Self {
            authorization: authorization.into(),
            token: token.into(),
            user: Vec::new(),
            secret_in_header: false,
        }
    }

    /// Adds the URL of a document about the user. The first one must be readable; others may be
    /// missing or forbidden.
    pub fn user(mut self, url: impl Into<String>) -> Self {
        self.user.push((url.into(), None));
        self
    }

    /// Adds the URL of a document that is loaded only if the provider is asked for this
    /// [scope](crate::Provider::scope).
    pub fn user_with_scope(mut self, url: impl Into<String>, scope: impl Into<String>) -> Self {
        self.user.push((url.into(), Some(scope.into())));
        self
    }

    /// Sends the secret in the header `Authorization`, instead of in the form.
    pub fn secret_in_header(mut self) -> Self {
        self.secret_in_header = true;
        self
    }
}
