//! [`AuthChallenge`]: the challenges of the header `WWW-Authenticate` (RFC 9110, section 11.6.1).

mod parse;

use std::error::Error;
use std::fmt::{self, Display, Formatter, Write as _};

use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, HeaderValue};

/// The maximum number of bytes of all `WWW-Authenticate` fields of a response.
pub const CHALLENGE_BYTES: usize = 16 << 10;
/// The maximum number of challenges of a response.
pub const CHALLENGES: usize = 32;
/// The maximum number of parameters of a challenge.
pub const CHALLENGE_PARAMS: usize = 64;

/// A challenge: a scheme, and either parameters or the text that some schemes have instead of them.
///
/// ```
/// use mcp_wire::challenge::AuthChallenge;
///
/// let challenges = AuthChallenge::parse(br#"Negotiate, Bearer scope="a b", realm="say \"hi\"""#)?;
/// let bearer = challenges.iter().find(|challenge| challenge.is("bearer")).expect("offered");
/// assert_eq!(bearer.param("scope"), Some("a b"));
/// assert_eq!(bearer.param("Realm"), Some("say \"hi\""));
///
/// let written = AuthChallenge::new("Bearer").with("scope", "a b").with("realm", "say \"hi\"");
/// assert_eq!(written.to_string(), r#"Bearer scope="a b", realm="say \"hi\"""#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthChallenge {
    scheme: String,
    token68: Option<String>,
    /// Names in lower case, each at most once if parsed.
    params: Vec<(String, String)>,
}

impl AuthChallenge {
    /// Creates a challenge without parameters.
    #[must_use]
    pub fn new(scheme: impl Into<String>) -> Self {
        Self {
            scheme: scheme.into(),
            ..Self::default()
        }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.params.push((name.to_ascii_lowercase(), value.into()));
        self
    }

    /// Parses one field. It may contain several challenges.
    ///
    /// # Errors
    ///
    /// Fails if the field does not follow the grammar or exceeds a limit. [`challenges`] keeps the
    /// challenges before the fault.
    pub fn parse(field: &[u8]) -> Result<Vec<Self>, ChallengeError> {
        let mut found = Vec::new();
        parse::field(field, &mut found)?;
        Ok(found)
    }

    /// Returns the scheme as it was written.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Returns `true` if the challenge has this scheme. Case does not matter.
    #[must_use]
    pub fn is(&self, scheme: &str) -> bool {
        self.scheme.eq_ignore_ascii_case(scheme)
    }

    /// Returns the text after the scheme, if it is not a list of parameters.
    #[must_use]
    pub fn token68(&self) -> Option<&str> {
        self.token68.as_deref()
    }

    /// Returns the value of a parameter, without quotes and escapes. Case of the name does not
    /// matter.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&str> {
        let found = self
            .params
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the challenge as the value of a field.
    ///
    /// # Errors
    ///
    /// Fails if the scheme or a name is not a token, or if a value contains other characters than
    /// printable ASCII.
    pub fn to_header_value(&self) -> Result<HeaderValue, ChallengeError> {
        if !is_token(&self.scheme) {
            return Err(ChallengeError::Unwritable("scheme".to_owned()));
        }
        let printable = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        for (name, value) in &self.params {
            if !is_token(name) || !value.bytes().all(printable) {
                return Err(ChallengeError::Unwritable(name.clone()));
            }
        }
        let text = self.to_string();
        HeaderValue::try_from(text).map_err(|_| ChallengeError::Unwritable("scheme".to_owned()))
    }
}

/// All values are quoted, as RFC 6750 requires for `scope` and `error`.
impl Display for AuthChallenge {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.scheme)?;
        if let Some(text) = &self.token68 {
            return write!(f, " {text}");
        }
        for (at, (name, value)) in self.params.iter().enumerate() {
            let before = if at == 0 { " " } else { ", " };
            write!(f, "{before}{name}=\"")?;
            for character in value.chars() {
                if matches!(character, '"' | '\\') {
                    f.write_char('\\')?;
                }
                f.write_char(character)?;
            }
            f.write_char('"')?;
        }
        Ok(())
    }
}

/// The challenges of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenges {
    /// In the order of the header.
    pub found: Vec<AuthChallenge>,
    /// The first fault. The challenges before it in the same field, and those of other fields, are
    /// usable.
    pub fault: Option<ChallengeError>,
}

/// Parses all `WWW-Authenticate` fields of a response. A malformed field does not affect the
/// others.
#[must_use]
pub fn challenges(headers: &HeaderMap) -> Challenges {
    let mut all = Challenges::default();
    let mut left = CHALLENGE_BYTES;
    for field in headers.get_all(WWW_AUTHENTICATE) {
        let parsed = match left.checked_sub(field.len()) {
            Some(rest) => {
                left = rest;
                parse::field(field.as_bytes(), &mut all.found)
            }
            None => Err(ChallengeError::TooLarge),
        };
        if let Err(fault) = parsed {
            all.fault.get_or_insert(fault);
        }
    }
    all
}

/// Why a challenge cannot be parsed or written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChallengeError {
    /// The field does not follow the grammar.
    Syntax {
        /// The offset in the field, in bytes.
        at: usize,
        /// What the grammar requires there.
        expected: &'static str,
    },
    /// A challenge has a parameter twice.
    Repeated {
        /// The offset in the field, in bytes.
        at: usize,
    },
    /// There are more bytes, challenges or parameters than are accepted.
    TooLarge,
    /// A part of a challenge contains characters that the header cannot represent.
    Unwritable(String),
}

impl Display for ChallengeError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { at, expected } => write!(
                f,
                "invalid WWW-Authenticate at byte {at}: expected {expected}"
            ),
            Self::Repeated { at } => write!(
                f,
                "invalid WWW-Authenticate at byte {at}: a parameter is repeated"
            ),
            Self::TooLarge => write!(
                f,
                "WWW-Authenticate is too large: at most {CHALLENGE_BYTES} bytes, {CHALLENGES} \
                 challenges, and {CHALLENGE_PARAMS} parameters in each"
            ),
            Self::Unwritable(part) => write!(
                f,
                "`{part}` of the challenge contains characters that WWW-Authenticate cannot represent"
            ),
        }
    }
}

impl Error for ChallengeError {}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(parse::is_token_char)
}
