//! Functions that decode any type and report the path of an error.

use serde::de::{Deserialize, DeserializeOwned};
use serde::ser::Serialize;

use super::super::error::{DecodeError, ErrorKind, Path};
use super::syntax::syntax_fault;
use super::text::Text;
use super::{Members, Object, Value, to_string};

/// Decodes JSON text.
///
/// # Errors
///
/// Returns an error if the text is not valid JSON, has further text after the value, nests deeper
/// than [`NESTING_LIMIT`](super::NESTING_LIMIT), or is not a valid `T`. In the last case the error
/// has the path of the invalid value.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    let mut source = Text::new(text);
    // Called through function pointers to reduce compile time. For a direct call the compiler
    // would, for each caller, search everything reachable from the callee for a cycle.
    let read: fn(_) -> _ = T::deserialize;
    // Changed in place: a large value is not moved.
    let mut result = read(&mut source);
    if let Err(error) = result {
        result = Err(first_fault(text, error));
    } else if let Err(error) = source.end() {
        result = Err(error);
    }
    result
}

/// Returns the error of a text: one of its syntax takes precedence over one of the data, even if it is
/// further on.
#[cold]
#[inline(never)]
fn first_fault(text: &str, error: DecodeError) -> DecodeError {
    syntax_fault(text).unwrap_or(error)
}

/// Decodes JSON text in UTF-8.
///
/// # Errors
///
/// Returns the same errors as [`from_str`]. Bytes that are not UTF-8 are a syntax error.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    // The whole input is checked, because `serde_json` does not check bytes that it skips.
    from_str(utf8(bytes)?)
}

/// Returns bytes as text.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, DecodeError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let sound = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line_start = sound
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let line = sound.split(|byte| *byte == b'\n').count();
        let column = sound.len() - line_start + 1;
        let kind = ErrorKind::Syntax { line, column };
        DecodeError::new(kind, Path::root(), "text is not UTF-8".to_owned())
    })
}

/// Decodes a value and consumes it. Types of other crates get its strings without a copy; types of this
/// crate are decoded from its JSON text.
///
/// # Errors
///
/// Returns an error with the path if the value is not a valid `T`.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, DecodeError> {
    T::deserialize(value)
}

/// Decodes an object and consumes it, as [`from_value`] does.
///
/// # Errors
///
/// Returns an error with the path if the members are not a valid `T`.
pub fn from_object<T: DeserializeOwned>(object: Object) -> Result<T, DecodeError> {
    let read: fn(_) -> _ = T::deserialize;
    read(Members::from(object))
}

/// Decodes a value without consuming it. The result may borrow its strings, unless it is a type of this
/// crate, which is decoded from the JSON text of the value.
///
/// # Errors
///
/// Returns an error with the path if the value is not a valid `T`.
pub fn from_value_ref<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T, DecodeError> {
    T::deserialize(value)
}

/// Encodes any type as a value. It goes through JSON text, which is lossless.
///
/// # Errors
///
/// Returns an error if `Serialize` fails, or if its output cannot be decoded: duplicate members,
/// map keys that are not strings, or nesting beyond the limit.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, DecodeError> {
    from_str(&to_string(value)?)
}
