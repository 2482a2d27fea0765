//! [`Client`]: a program to which a user gives access.
//!
//! A client is known by its `registration`, or by a `document` at the URL that is its id. Nothing of
//! it is stored before a user has logged in.

pub(crate) mod authentication;
pub(crate) mod document;
mod metadata;
pub(crate) mod redirect_uri;
pub(crate) mod registration;

use mcp_fetch::Origin;
use mcp_types::peer_text::is_unsafe;
use serde::{Deserialize, Serialize};

/// The maximum length of the id of a client, in bytes.
pub(crate) const ID_BYTES: usize = 3 << 10;
/// The maximum number of characters of a name that is shown.
const NAME_CHARS: usize = 80;
/// The maximum number of marks on one character of a name.
const MARKS: usize = 3;

/// A client whose metadata are known.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) about: ClientSummary,
    pub(crate) redirect_uris: Vec<String>,
    /// The digest of its secret, if it has one.
    pub(crate) secret_digest: Option<String>,
}

/// What is kept of a client with a login and a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ClientSummary {
    /// Identifies the client: the URL of its document, or the digest of the id that was issued to it.
    pub(crate) key: String,
    /// The name that it gave itself. Empty if it has none.
    pub(crate) name: String,
    /// The host of the URL of its document, which proves who published it.
    pub(crate) publisher: Option<String>,
}

impl ClientSummary {
    /// Creates the summary of a client that has registered.
    pub(crate) fn registered(id: &str, name: &str) -> Self {
        Self {
            key: format!("registered:{}", mcp_oauth::sha256(id.as_bytes())),
            name: shown_name(name),
            publisher: None,
        }
    }

    /// Creates the summary of a client with a document.
    pub(crate) fn documented(url: &str, name: &str) -> Self {
        Self {
            key: url.to_owned(),
            name: shown_name(name),
            publisher: Origin::parse(url).ok().map(|origin| origin.host),
        }
    }

    /// Returns the name for users.
    pub(crate) fn shown(&self) -> &str {
        match self.name.as_str() {
            "" => "A client without a name",
            name => name,
        }
    }
}

/// Returns `true` for characters that are invisible or change how text around them is displayed.
fn is_hidden(character: char) -> bool {
    is_unsafe(character)
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{206f}'
                | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Returns `true` for marks that are drawn above or below the character in front of them, of which any
/// number can follow each other.
fn is_mark(character: char) -> bool {
    matches!(
        character,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}'
            | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{6d6}'..='\u{6ed}'
            | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}'
    )
}

/// Returns a name as it is shown: on one line, without characters that change how text around it is
/// displayed, and not too long.
fn shown_name(name: &str) -> String {
    let mut marks = 0;
    let is_shown = |character: &char| {
        if is_hidden(*character) {
            return false;
        }
        marks = if is_mark(*character) { marks + 1 } else { 0 };
        marks <= MARKS
    };
    let spaced = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = spaced.chars().filter(is_shown).take(NAME_CHARS).collect();
    shown.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_shown_on_one_line_and_cut_off() {
        assert_eq!(shown_name(" a\u{202e}b\n\tc\u{200b} "), "ab c");
        assert_eq!(shown_name(&"é".repeat(200)), "é".repeat(NAME_CHARS));
        let hidden = "\u{ad}\u{61c}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{e0041}\u{e007f}\u{e0100}";
        assert_eq!(shown_name(&format!("a{hidden}b")), "ab");
        // Marks cannot cover the text around a name, also if something hidden is between them.
        for mark in ["\u{301}", "\u{20dd}", "\u{e47}", "\u{64e}"] {
            let piled = format!("a{}\u{200d}{}b", mark.repeat(9), mark.repeat(9));
            assert_eq!(shown_name(&piled), format!("a{}b", mark.repeat(MARKS)));
        }
        for name in ["Vie\u{302}\u{323}t", "ที่นี่", "日本語 👋", "é"] {
            assert_eq!(shown_name(name), name);
        }
        let nameless = ClientSummary::registered("id", "\u{7}");
        assert_eq!(nameless.shown(), "A client without a name");
    }
}
