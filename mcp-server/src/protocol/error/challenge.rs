//! [`Challenge`]: which credentials a request needs, for the header `WWW-Authenticate`.

/// Which credentials a request needs (RFC 9110, 11.6.1). The parameters are those of RFC 6750,
/// section 3, RFC 9449, section 7.1, and RFC 9728, section 5.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Challenge {
    scheme: &'static str,
    params: Vec<(&'static str, String)>,
}

impl Challenge {
    /// Asks for an access token that any bearer can use.
    pub(crate) fn bearer() -> Self {
        Self {
            scheme: "Bearer",
            params: Vec::new(),
        }
    }

    /// Asks for an access token with these scopes, separated by spaces.
    pub(crate) fn insufficient_scope(scopes: &str) -> Self {
        Self::bearer()
            .with("error", "insufficient_scope")
            .with_scope(scopes)
    }

    /// Asks for an access token that is bound to a key instead.
    #[cfg(feature = "oauth")]
    pub(crate) fn with_proof_of_possession(mut self) -> Self {
        self.scheme = "DPoP";
        self
    }

    /// Adds a parameter. Characters that the header cannot represent become `?`.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        let is_legal =
            |character: &char| matches!(character, ' '..='~') && !matches!(character, '"' | '\\');
        let legal = |character: char| Some(character).filter(is_legal).unwrap_or('?');
        self.params.push((name, value.chars().map(legal).collect()));
        self
    }

    /// Adds scopes, separated by spaces. Scopes with characters that RFC 6749 does not allow are
    /// omitted, all of them together.
    pub(crate) fn with_scope(self, scopes: &str) -> Self {
        let is_scope = |byte: u8| matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
        if scopes.bytes().all(is_scope) {
            return self.with("scope", scopes);
        }
        self
    }

    /// Returns the value of the header.
    #[cfg(feature = "http")]
    pub(crate) fn header(&self) -> String {
        let mut header = self.scheme.to_owned();
        for (at, (name, value)) in self.params.iter().enumerate() {
            let before = if at == 0 { " " } else { ", " };
            header.push_str(&format!("{before}{name}=\"{value}\""));
        }
        header
    }
}
