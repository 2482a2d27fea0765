//! [`Base64Text`]: binary data as base64 text, decoded on demand.

use std::fmt;

use ::base64::Engine as _;
use ::base64::alphabet::STANDARD;
use ::base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::ser::{Serialize, Serializer};

use super::error::DecodeError;
use super::json::{self, Decode, Text};

// Peers differ in whether they write padding. Base64 is unambiguous without it.
const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Base64 text as it was received.
///
/// The schema's `format: byte` is an annotation, not a constraint: decoding a message accepts any
/// string, and encoding writes it unchanged. Call [`decode`](Self::decode) to get the bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Base64Text(String);

impl Base64Text {
    /// The empty text.
    pub(super) const EMPTY: Self = Self(String::new());

    /// Encodes bytes as base64 with the standard alphabet and padding.
    #[must_use]
    pub fn encode(bytes: impl AsRef<[u8]>) -> Self {
        Self(ENGINE.encode(bytes))
    }

    /// Decodes the text as base64 with the standard alphabet, with or without padding. White space
    /// is ignored: some peers break lines after 76 characters, as MIME does.
    ///
    /// # Errors
    ///
    /// Returns a [`Base64Error`] if the text is not valid base64.
    #[inline]
    pub fn decode(&self) -> Result<Vec<u8>, Base64Error> {
        let strict = ENGINE.decode(&self.0);
        let lenient = strict.or_else(|_| {
            let mut text = self.0.clone();
            text.retain(|character| !character.is_ascii_whitespace());
            ENGINE.decode(text)
        });
        lenient.map_err(Base64Error)
    }

    /// Returns the text.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text without a copy.
    #[inline]
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<String> for Base64Text {
    #[inline]
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Base64Text {
    #[inline]
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<Base64Text> for String {
    #[inline]
    fn from(text: Base64Text) -> Self {
        text.0
    }
}

impl AsRef<str> for Base64Text {
    #[inline]
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Base64Text {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Base64Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl Decode for Base64Text {
    fn vacant() -> Self {
        Self::EMPTY
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        self.0 = text.expect_string(&"base64 text")?.into_owned();
        Ok(())
    }
}

json::deserialize_from_text! { Base64Text }

/// The error for text that is not valid base64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base64Error(::base64::DecodeError);

impl fmt::Display for Base64Error {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not a source: without its `std` feature, the error type of that crate does not implement
        // `std::error::Error`.
        write!(f, "invalid base64: {}", self.0)
    }
}

impl std::error::Error for Base64Error {}
