//! [`Names`]: which upstream has a tool, a prompt or a resource.

use std::borrow::Cow;

use crate::error::GatewayError;
use crate::upstream::Kind;
use crate::uris::UriPrefix;

/// Between the prefix and the name of a tool or prompt.
const SEPARATOR: char = '_';

/// The maximum length of a prefix, so that prefixed names stay within what hosts accept.
const PREFIX_LENGTH: usize = 24;

/// The prefix of an upstream.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    prefix: Option<String>,
    pub(crate) uris: UriPrefix,
}

impl Names {
    /// Checks a prefix. An empty one means none.
    pub(crate) fn new(upstream: &str, prefix: &str) -> Result<Self, GatewayError> {
        let prefix = (!prefix.is_empty()).then(|| prefix.to_owned());
        if let Some(prefix) = &prefix {
            let mut letters = prefix.chars();
            let is_valid = letters
                .next()
                .is_some_and(|first| first.is_ascii_lowercase())
                && letters.all(|letter| matches!(letter, 'a'..='z' | '0'..='9' | '-'))
                && prefix.len() <= PREFIX_LENGTH;
            if !is_valid {
                return Err(GatewayError::Prefix {
                    upstream: upstream.to_owned(),
                    prefix: prefix.clone(),
                });
            }
        }
        let uris = UriPrefix::new(prefix.as_deref());
        Ok(Self { prefix, uris })
    }

    /// Turns the name of an upstream into a prefix.
    pub(crate) fn prefix_of(name: &str) -> String {
        let name = name.to_ascii_lowercase();
        let letters = name.chars().map(|letter| match letter {
            'a'..='z' | '0'..='9' => letter,
            _ => '-',
        });
        let prefix: String = letters
            .skip_while(|letter| !letter.is_ascii_lowercase())
            .collect();
        let prefix = prefix.get(..PREFIX_LENGTH).unwrap_or(&prefix);
        prefix.trim_end_matches('-').to_owned()
    }

    /// Returns `true` if a name or URI that clients see has the prefix.
    pub(crate) fn claims(&self, kind: Kind, name: &str) -> bool {
        self.prefix.is_some()
            && match kind {
                Kind::Tool | Kind::Prompt => self.original(name).is_some(),
                Kind::Resource | Kind::ResourceTemplate => self.uris.original(name).is_some(),
            }
    }

    pub(crate) fn prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    /// Returns the name of a tool or prompt that clients see.
    pub(crate) fn presented<'a>(&self, name: &'a str) -> Cow<'a, str> {
        match &self.prefix {
            Some(prefix) => format!("{prefix}{SEPARATOR}{name}").into(),
            None => name.into(),
        }
    }

    /// Returns the name without the prefix. `None` if it has another prefix.
    pub(crate) fn original<'a>(&self, name: &'a str) -> Option<&'a str> {
        match &self.prefix {
            // Prefixes do not contain the separator, so no two of them match.
            Some(prefix) => name.strip_prefix(&**prefix)?.strip_prefix(SEPARATOR),
            None => Some(name),
        }
    }
}
