//! [`LoginError`]: why the settings of a [`Login`](crate::Login) are invalid.

/// Why the settings of a [`Login`](crate::Login) are invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoginError {
    /// A URL cannot be used.
    #[error("invalid {what} `{}`: {reason}", mcp_fetch::url::shown(.url))]
    Url {
        /// Which URL.
        what: &'static str,
        /// Its text.
        url: String,
        /// What was expected.
        reason: String,
    },
    /// Nothing says who may log in. Providers such as GitHub and Google have accounts of everybody.
    #[error("nobody may log in: decide with `allow`, or let everybody in with `allow(|_| true)`")]
    NobodyAllowed,
    /// Local users have no passwords, so they are for development only.
    #[error("local users are only for a server at a loopback address, not at `{0}`")]
    LocalUsers(String),
    /// There are no local users, or two of them have the same id.
    #[error("local users need different ids that are not empty, and there must be at least one")]
    LocalUserIds,
    /// A scope has characters that RFC 6749 does not allow, or is `offline_access`, which clients request
    /// by themselves.
    #[error("invalid scope: {0}")]
    Scope(String),
    /// A time is zero or too long.
    #[error("invalid time `{0}`: expected between a second and ten years")]
    Time(&'static str),
    /// The provider has no client id, or a setting of it has no value.
    #[error("the provider `{0}` has no client id or no key")]
    Provider(String),
}

impl LoginError {
    pub(crate) fn url(what: &'static str, url: &str, reason: impl Into<String>) -> Self {
        Self::Url {
            what,
            url: url.to_owned(),
            reason: reason.into(),
        }
    }
}
