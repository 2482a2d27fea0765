//! Texts as header values: as they are, or as base64 between two marks.

use std::borrow::Cow;
use std::{fmt, str};

use base64::Engine as _;
// Padding is asked for: text that several encodings stand for could be compared in several ways.
use base64::engine::general_purpose::STANDARD;

const START: &str = "=?base64?";
const END: &str = "?=";

/// The header value for a text: itself if it is safe, else base64 between `=?base64?` and `?=`.
///
/// Safe is visible ASCII with spaces inside. Other than it must be, a text with tabs is encoded,
/// too, since some software on the way turns them into spaces.
#[inline]
#[must_use]
pub fn encode_value(text: &str) -> Cow<'_, str> {
    let edges = text.starts_with(' ') || text.ends_with(' ');
    // Also where the two marks share their `?`, which careless readers take as encoded.
    let marked = text.starts_with(START) && text.ends_with(END);
    if !edges && !marked && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut value = String::from(START);
    STANDARD.encode_string(text, &mut value);
    value.push_str(END);
    Cow::Owned(value)
}

/// The text that a header value stands for; white space around the value is not part of it.
///
/// A value without both marks, written exactly so, stands for itself.
///
/// # Errors
///
/// [`HeaderValueError`] where the value has a character that no header value may have, or has the
/// marks and no padded base64 of UTF-8 between them.
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

/// The value of a header that is never encoded.
#[inline]
pub(super) fn plain_value(value: &[u8]) -> Result<&str, HeaderValueError> {
    let fault = |byte: &u8| !matches!(byte, b'\t' | b' '..=b'~');
    if let Some(at) = value.iter().position(fault) {
        return Err(HeaderValueError::Character { at });
    }
    let text = str::from_utf8(value).map_err(|_| HeaderValueError::NotUtf8)?;
    Ok(text.trim_matches([' ', '\t']))
}

/// A header value that stands for no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderValueError {
    /// A byte is neither visible ASCII nor space nor tab.
    Character {
        /// Which one, counted from zero.
        at: usize,
    },
    /// Between the marks is no base64, or not with its padding.
    Base64,
    /// What was encoded is no UTF-8.
    NotUtf8,
}

impl fmt::Display for HeaderValueError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character { at } => write!(f, "invalid character at byte {at}"),
            Self::Base64 => f.write_str("invalid base64"),
            Self::NotUtf8 => f.write_str("base64 of no UTF-8"),
        }
    }
}

impl std::error::Error for HeaderValueError {}
