//! [`Rejection`]: why a request was not served at all.

use std::fmt;
use std::time::Duration;

use mcp_types::{HEADER_MISMATCH, rpc};

/// The time after which a request may be sent again, where nothing says more.
pub(crate) const RETRY_SOON: Duration = Duration::from_secs(1);

/// Why a request was not served at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// The request is malformed, or its revision or capabilities do not fit: 400.
    Malformed,
    /// The headers contradict the body, or the protocol version is not supported. Always answered
    /// with 400.
    Mismatch,
    /// There is no such method: 404.
    NoMethod,
    /// The caller must not do this: 403, with a challenge if another access token would help.
    Forbidden(Option<Box<Challenge>>),
    /// The caller has used up its share: 429, with the time after which it may try again.
    Busy(Duration),
}

impl Rejection {
    /// Returns how a request is rejected whose params were not accepted.
    pub(crate) fn of_code(code: i64) -> Self {
        match code {
            rpc::METHOD_NOT_FOUND => Self::NoMethod,
            HEADER_MISMATCH => Self::Mismatch,
            _ => Self::Malformed,
        }
    }
}

/// Which credentials a request needs: a value of the header `WWW-Authenticate` (RFC 9110, section
/// 11.6.1), as its `Display` writes it.
///
/// ```
/// use mcp_server::Challenge;
///
/// let challenge = Challenge::new("Bearer").param("error", "invalid_token").scope("files:read");
/// let expected = r#"Bearer error="invalid_token", scope="files:read""#;
/// assert_eq!(challenge.to_string(), expected);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    scheme: &'static str,
    params: Vec<(&'static str, String)>,
}

impl Challenge {
    /// Creates a challenge for a scheme, such as `Bearer`.
    #[must_use]
    pub fn new(scheme: &'static str) -> Self {
        Self {
            scheme,
            params: Vec::new(),
        }
    }

    /// Asks for an access token with these scopes, separated by spaces.
    pub(crate) fn insufficient_scope(scopes: &str) -> Self {
        let challenge = Self::new("Bearer").param("error", "insufficient_scope");
        challenge.scope(scopes)
    }

    /// Asks for an access token that is bound to a key instead.
    pub(crate) fn with_proof_of_possession(mut self) -> Self {
        self.scheme = "DPoP";
        self
    }

    /// Adds a parameter. Characters that the header cannot represent become `?`.
    #[must_use]
    pub fn param(mut self, name: &'static str, value: &str) -> Self {
        let is_legal =
            |character: &char| matches!(character, ' '..='~') && !matches!(character, '"' | '\\');
        let legal = |character: char| Some(character).filter(is_legal).unwrap_or('?');
        self.params.push((name, value.chars().map(legal).collect()));
        self
    }

    /// Adds the parameter `scope`: scopes that are separated by spaces. If one of them has characters
    /// that RFC 6749 does not allow, the parameter is left out.
    #[must_use]
    pub fn scope(self, scopes: &str) -> Self {
        let is_scope = |byte: u8| matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
        if scopes.bytes().all(is_scope) {
            return self.param("scope", scopes);
        }
        self
    }
}

impl fmt::Display for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scheme)?;
        for (at, (name, value)) in self.params.iter().enumerate() {
            let before = if at == 0 { " " } else { ", " };
            write!(f, "{before}{name}=\"{value}\"")?;
        }
        Ok(())
    }
}
