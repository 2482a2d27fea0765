//! Encoding of texts as header values: unchanged, or as base64 between two markers.

use std::borrow::Cow;
use std::{fmt, str};

use base64::Engine as _;
// Padding is required: otherwise several encodings of a text would be equivalent, and a comparison
// of the encoded values could fail.
use base64::engine::general_purpose::STANDARD;

const START: &str = "=?base64?";
const END: &str = "?=";

/// Encodes a text as a header value: unchanged if it is safe, else as base64 between `=?base64?`
/// and `?=`.
///
/// A text is safe if it consists of visible ASCII characters with spaces between them. Texts with
/// tabs are encoded, too, although this is not required, because some intermediaries replace tabs
/// with spaces.
#[inline]
#[must_use]
pub fn encode_value(text: &str) -> Cow<'_, str> {
    let edges = text.starts_with(' ') || text.ends_with(' ');
    // This includes texts in which the two markers share a `?`, which a lenient decoder takes as
    // encoded.
    let marked = text.starts_with(START) && text.ends_with(END);
    if !edges && !marked && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut value = String::from(START);
    STANDARD.encode_string(text, &mut value);
    value.push_str(END);
    Cow::Owned(value)
}

/// Decodes a header value. White space around the value is ignored.
///
/// A value that does not have exactly both markers is returned unchanged.
///
/// # Errors
///
/// Returns a [`HeaderValueError`] if the value contains a character that is not allowed in header
/// values, or if it has the markers but not padded base64 of UTF-8 between them.
#[inline]
pub fn decode_value(value: &[u8]) -> Result<Cow<'_, str>, HeaderValueError> {
    let text = plain_value(value)?;
    let Some(encoded) = text
        .strip_prefix(START)
        .and_then(|rest| rest.strip_suffix(END))
    else {
        return Ok(Cow::Borrowed(text));
    };
    let bytes = STANDARD
        .decode(encoded)
        .map_err(|_| HeaderValueError::Base64)?;
    let text = String::from_utf8(bytes).map_err(|_| HeaderValueError::NotUtf8)?;
    Ok(Cow::Owned(text))
}

/// Returns the value of a header that is never encoded.
#[inline]
pub(super) fn plain_value(value: &[u8]) -> Result<&str, HeaderValueError> {
    let fault = |byte: &u8| !matches!(byte, b'\t' | b' '..=b'~');
    if let Some(at) = value.iter().position(fault) {
        return Err(HeaderValueError::Character { at });
    }
    let text = str::from_utf8(value).map_err(|_| HeaderValueError::NotUtf8)?;
    Ok(text.trim_matches([' ', '\t']))
}

/// The error for a header value that cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderValueError {
    /// A byte is not visible ASCII, space or tab.
    Character {
        /// The position of the byte, counted from zero.
        at: usize,
    },
    /// The text between the markers is not base64, or its padding is missing.
    Base64,
    /// The decoded bytes are not UTF-8.
    NotUtf8,
}

impl fmt::Display for HeaderValueError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character { at } => write!(f, "invalid character at byte {at}"),
            Self::Base64 => f.write_str("invalid base64"),
            Self::NotUtf8 => f.write_str("base64 of bytes that are not UTF-8"),
        }
    }
}

impl std::error::Error for HeaderValueError {}
