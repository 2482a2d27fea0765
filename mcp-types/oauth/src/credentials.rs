//! Reads the access token from the head of a request (RFC 6750, section 2.1).

use super::jwt::TOKEN_BYTES;

/// How an access token is presented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenScheme {
    /// Every holder of the token can use it (RFC 6750).
    Bearer,
    /// With a proof that the client has the key to which the token is bound (RFC 9449).
    Dpop,
}

impl TokenScheme {
    /// Returns the name in headers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bearer => "Bearer",
            Self::Dpop => "DPoP",
        }
    }
}

/// An access token in a request.
#[derive(Clone, Copy)]
pub struct Credentials<'a> {
    /// How it is presented.
    pub scheme: TokenScheme,
    /// The token.
    pub token: &'a str,
}

/// Why the credentials of a request are malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedCredentials {
    /// The query has a token.
    #[error("an access token must not be sent in the query of the URL")]
    InQuery,
    /// The header is repeated.
    #[error("the header `Authorization` is present more than once")]
    Repeated,
    /// There is no token after the scheme, or more than one.
    #[error("the header `Authorization` does not contain one access token after its scheme")]
    Syntax,
    /// The token is longer than [`TOKEN_BYTES`].
    #[error("the access token is longer than {TOKEN_BYTES} bytes")]
    TooLong,
}

/// Returns the access token of a request, by the query of its URL and its headers `Authorization`.
/// `None` if the request has none, or has credentials of another scheme.
///
/// # Errors
///
/// Fails if the query has a token, or the header is malformed or repeated.
pub fn credentials<'a>(
    query: Option<&str>,
    headers: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Option<Credentials<'a>>, MalformedCredentials> {
    let is_token = |member: &str| member.split('=').next() == Some("access_token");
    if query.unwrap_or_default().split('&').any(is_token) {
        return Err(MalformedCredentials::InQuery);
    }
    let mut values = headers.into_iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(MalformedCredentials::Repeated);
    }
    let end = value.iter().position(|byte| *byte == b' ');
    let (scheme, rest) = value.split_at(end.unwrap_or(value.len()));
    let scheme = if scheme.eq_ignore_ascii_case(b"Bearer") {
        TokenScheme::Bearer
    } else if scheme.eq_ignore_ascii_case(b"DPoP") {
        TokenScheme::Dpop
    } else {
        return Ok(None);
    };
    let token = std::str::from_utf8(rest).map_err(|_| MalformedCredentials::Syntax)?;
    let token = token.trim_start_matches(' ');
    if token.len() > TOKEN_BYTES {
        return Err(MalformedCredentials::TooLong);
    }
    if !is_token68(token) {
        return Err(MalformedCredentials::Syntax);
    }
    Ok(Some(Credentials { scheme, token }))
}

/// Returns `true` for the texts that can follow a scheme (`token68` in RFC 9110, section 11.2).
fn is_token68(text: &str) -> bool {
    let text = text.trim_end_matches('=');
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
    !text.is_empty() && text.bytes().all(is_legal)
}
