//! [`syntax_fault`]: why a text is not JSON.

use serde::de::IgnoredAny;

use super::super::error::{DecodeError, Path};

/// The character that some editors write in front of a text in UTF-8.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the error of a text that is not JSON.
#[cold]
pub(super) fn syntax_fault(text: &str) -> Option<DecodeError> {
    let error = DecodeError::from(serde_json::from_str::<IgnoredAny>(text).err()?);
    let is_space = |byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let message = if text.starts_with(BYTE_ORDER_MARK) {
        "text begins with a byte order mark"
    } else if text.bytes().all(is_space) {
        "text is empty"
    } else {
        return Some(error);
    };
    let message = message.to_owned();
    Some(DecodeError::new(error.kind(), Path::root(), message))
}
