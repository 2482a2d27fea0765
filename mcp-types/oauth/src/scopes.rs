//! [`Scopes`]: an ordered set of scopes (RFC 6749, section 3.3).

use std::collections::HashSet;
use std::fmt::{self, Display, Formatter};

/// The maximum number of bytes of a list of scopes.
pub const SCOPE_BYTES: usize = 16 << 10;

/// Scopes in the order in which they were added, each once.
///
/// ```
/// use mcp_oauth::scopes::Scopes;
///
/// let granted = Scopes::parse("files:read profile")?;
/// let required = Scopes::parse("files:write files:read")?;
/// assert_eq!(granted.union(&required).to_string(), "files:read profile files:write");
/// assert_eq!(granted.missing(&required).to_string(), "files:write");
/// # Ok::<(), mcp_oauth::scopes::ScopeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes(Vec<String>);

impl Scopes {
    /// Parses a list that is separated by spaces.
    ///
    /// # Errors
    ///
    /// Fails if the list is too long, or if a scope has characters that are not allowed.
    pub fn parse(text: &str) -> Result<Self, ScopeError> {
        Self::from_names(text.split(' ').filter(|name| !name.is_empty()))
    }

    /// Collects single scopes.
    ///
    /// # Errors
    ///
    /// Fails if they are too long in total, or if one is empty or has characters that are not
    /// allowed.
    pub fn from_names<N: AsRef<str>>(
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, ScopeError> {
        let mut known = HashSet::new();
        let mut scopes = Vec::new();
        let mut bytes: usize = 0;
        for name in names {
            let name = name.as_ref();
            bytes = bytes.saturating_add(name.len() + 1);
            if bytes > SCOPE_BYTES {
                return Err(ScopeError::TooLong);
            }
            if name.is_empty() || !name.bytes().all(is_scope_char) {
                return Err(ScopeError::Characters);
            }
            if known.insert(name.to_owned()) {
                scopes.push(name.to_owned());
            }
        }
        Ok(Self(scopes))
    }

    /// Returns `true` if there is no scope.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of scopes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if a scope is in the set. Case matters.
    #[must_use]
    pub fn contains(&self, scope: &str) -> bool {
        self.0.iter().any(|known| known == scope)
    }

    /// Returns the scopes in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns these scopes, followed by those of `other` that are new.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut all = self.0.clone();
        all.extend(self.missing(other).0);
        Self(all)
    }

    /// Returns the scopes of `required` that are not in this set.
    #[must_use]
    pub fn missing(&self, required: &Self) -> Self {
        let known: HashSet<&str> = self.iter().collect();
        let missing = required.iter().filter(|scope| !known.contains(scope));
        Self(missing.map(str::to_owned).collect())
    }

    /// Returns the set without a scope.
    #[must_use]
    pub fn without(mut self, scope: &str) -> Self {
        self.0.retain(|known| known != scope);
        self
    }
}

/// Separated by spaces.
impl Display for Scopes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, scope) in self.iter().enumerate() {
            let before = if at == 0 { "" } else { " " };
            write!(f, "{before}{scope}")?;
        }
        Ok(())
    }
}

/// Why a list of scopes is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// The list is too long.
    #[error("the list of scopes is longer than {SCOPE_BYTES} bytes")]
    TooLong,
    /// A scope is empty, or has other characters than visible ASCII without `"` and `\`.
    #[error("a scope is empty or has characters other than visible ASCII without `\"` and `\\`")]
    Characters,
}

fn is_scope_char(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\')
}
