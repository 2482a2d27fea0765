//! [`Secret`]: text that is neither printed nor left in memory; [`basic`]: credentials of a client.

use std::fmt::{self, Write as _};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

/// A secret text, such as a token or a password. It is overwritten when it is dropped, and `Debug`
/// does not show it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// Returns the text. Do not log it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// Returns the value of the header `Authorization` by which a client proves with its secret who it is
/// (RFC 6749, section 2.3.1).
#[must_use]
pub fn basic(client_id: &str, secret: &str) -> Zeroizing<String> {
    // Both are encoded before they are joined, so that the first colon is the one between them.
    let (id, secret) = (form_encoded(client_id), form_encoded(secret));
    let pair = Zeroizing::new(format!("{}:{}", &*id, &*secret));
    Zeroizing::new(format!("Basic {}", BASE64_STANDARD.encode(&*pair)))
}

/// Encodes a text as the value in a form (RFC 6749, appendix B).
#[must_use]
pub fn form_encoded(text: &str) -> Zeroizing<String> {
    // Large enough, because a text that moves leaves a copy in memory.
    let mut encoded = Zeroizing::new(String::with_capacity(text.len() * 3));
    for byte in text.bytes() {
        if byte == b' ' {
            encoded.push('+');
        } else if byte.is_ascii_alphanumeric() || b"*-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
