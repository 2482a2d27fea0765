//! [`Client`]: a program to which a user gives access.
//!
//! A client is known by its `registration`, or by a `document` at the URL that is its id. Nothing of
//! it is stored before a user has logged in.

pub(crate) mod authentication;
pub(crate) mod document;
pub(crate) mod redirect_uri;
pub(crate) mod registration;

use mcp_fetch::Origin;
use mcp_types::peer_text::is_unsafe;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::clients::redirect_uri::RedirectKind;

/// The maximum length of the id of a client, in bytes.
pub(crate) const ID_BYTES: usize = 3 << 10;
/// The maximum number of redirect URIs of a client.
pub(crate) const REDIRECT_URIS: usize = 16;
/// The maximum number of characters of a name that is shown.
const NAME_CHARS: usize = 80;

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
            key: registered_key(id),
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

/// Returns the key of a client that has registered.
pub(crate) fn registered_key(id: &str) -> String {
    format!("registered:{}", mcp_oauth::sha256(id.as_bytes()))
}

/// Decodes the metadata of a client. `None` if they are not a JSON object with the expected members.
fn metadata<T: DeserializeOwned>(body: &[u8]) -> Option<T> {
    // A struct could also be decoded from an array.
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(body).ok()?;
    serde_json::from_value(object.into()).ok()
}

/// Returns a name as it is shown: on one line, without characters that change how text around it is
/// displayed, and not too long.
fn shown_name(name: &str) -> String {
    let is_shown = |character: &char| {
        !is_unsafe(*character)
            && !matches!(character, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
    };
    let spaced = name.chars().map(|character| {
        if character.is_whitespace() {
            ' '
        } else {
            character
        }
    });
    let shown: String = spaced.filter(is_shown).take(NAME_CHARS).collect();
    shown.trim().to_owned()
}

/// Returns `true` if the redirect of a client proves which client it is: other programs do not get
/// what is sent to an `https` URL, but any program of the device to a loopback address or to a scheme of
/// its own (RFC 8252, section 8.6).
pub(crate) fn is_identified_by(redirect_uri: &str) -> bool {
    redirect_uri::check(redirect_uri) == Ok(RedirectKind::Https)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_shown_on_one_line_and_cut_off() {
        assert_eq!(shown_name(" a\u{202e}b\n\tc\u{200b} "), "ab  c");
        assert_eq!(shown_name(&"é".repeat(200)), "é".repeat(NAME_CHARS));
        let nameless = ClientSummary::registered("id", "\u{7}");
        assert_eq!(nameless.shown(), "A client without a name");
    }
}
