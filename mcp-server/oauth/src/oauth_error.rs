//! [`OAuthError`]: why the settings of an [`OAuth`](crate::OAuth) are invalid.

/// Why the settings of an [`OAuth`](crate::OAuth) are invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    /// A URL cannot be used.
    #[error("invalid {what} `{url}`: {reason}")]
    Url {
        /// Which URL.
        what: &'static str,
        /// Its text.
        url: String,
        /// What was expected.
        reason: String,
    },
    /// No issuer is trusted, so no request could be accepted.
    #[error("no issuer is set: add one with `issuer` or `verifier`")]
    NoIssuer,
    /// An algorithm is unknown, or is not one that verifies signatures with a public key.
    #[error(
        "the algorithm `{0}` is not supported: expected one with a public key, such as `ES256`"
    )]
    Algorithm(String),
    /// The keys that were set for an issuer are not a key set.
    #[error("invalid keys of the issuer `{issuer}`: {reason}")]
    Keys {
        /// The issuer.
        issuer: String,
        /// What was expected, and where.
        reason: String,
    },
    /// A scope has characters that RFC 6749 does not allow.
    #[error("invalid scope: {0}")]
    Scope(String),
    /// `offline_access` is not a permission of a resource: clients request it by themselves.
    #[error("the scope `offline_access` must not be required or advertised")]
    OfflineAccess,
    /// The credentials for introspection cannot be sent in a header.
    #[error("the credentials for introspection at `{0}` cannot be sent in a header")]
    Credentials(String),
    /// A token that is not a JWT could be sent to both of these issuers.
    #[error(
        "opaque tokens could be sent to both `{0}` and `{1}` for introspection: set \
         `introspection_prefix` of each, so that no prefix begins with another"
    )]
    AmbiguousIntrospection(String, String),
    /// The client for requests to issuers cannot be created.
    #[error("cannot create a client for requests to issuers")]
    Client(#[source] rustls::Error),
}
