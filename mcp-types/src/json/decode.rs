//! Functions that decode any type and report the path of an error.

use serde::de::{Deserialize, DeserializeOwned, IgnoredAny};
use serde::ser::Serialize;
use serde_json::de::StrRead;

use super::super::error::{DecodeError, ErrorKind, Path};
use super::located::{Located, Trail};
use super::{Members, Object, Value, to_string};

/// Decodes JSON text.
///
/// # Errors
///
/// Returns an error if the text is not valid JSON, has further text after the value, nests deeper
/// than [`NESTING_LIMIT`](super::NESTING_LIMIT), or is not a valid `T`. In the last case the error
/// has the path of the invalid value.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    let mut source = Source::new(text);
    // Called through function pointers to reduce compile time. For a direct call the compiler
    // would, for each caller, search everything reachable from the callee for a cycle.
    let read: fn(_) -> _ = T::deserialize;
    match read(source.value()) {
        Ok(value) => source.end().map(|()| value),
        Err(error) => Err(source.fault(error)),
    }
}

/// The only deserializer that is used for text.
type Text<'a, 'de> = Located<'a, 'de, &'a mut serde_json::Deserializer<StrRead<'de>>>;

/// A text that is being decoded. The functions that do not depend on the decoded type are not
/// generic, so that they are compiled once.
pub(crate) struct Source<'a> {
    text: &'a str,
    deserializer: serde_json::Deserializer<StrRead<'a>>,
    trail: Trail<'a>,
}

impl<'a> Source<'a> {
    #[inline(never)]
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            deserializer: serde_json::Deserializer::from_str(text),
            trail: Trail::new(text),
        }
    }

    /// Returns the deserializer of the value.
    pub(crate) fn value(&mut self) -> Text<'_, 'a> {
        Located::new(&mut self.deserializer, &mut self.trail)
    }

    /// Checks that no text follows the value.
    #[inline(never)]
    fn end(&mut self) -> Result<(), DecodeError> {
        let ended = self.deserializer.end();
        ended.map_err(|error| self.fault(error))
    }

    /// Adds the path to an error.
    #[cold]
    #[inline(never)]
    fn fault(&mut self, error: serde_json::Error) -> DecodeError {
        if !error.is_data() {
            return error.into();
        }
        // A syntax error further on in the text takes precedence over an error of the data.
        if let Err(syntax) = serde_json::from_str::<IgnoredAny>(self.text) {
            return syntax.into();
        }
        let trail = std::mem::replace(&mut self.trail, Trail::new(""));
        DecodeError::from(error).with_path(trail.inward().collect())
    }
}

/// Decodes JSON text in UTF-8.
///
/// # Errors
///
/// Returns the same errors as [`from_str`]. Bytes that are not UTF-8 are a syntax error.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    // The whole input is checked, because `serde_json` does not check bytes that it skips.
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let sound = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line_start = sound
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let line = sound.split(|byte| *byte == b'\n').count();
        let column = sound.len() - line_start + 1;
        let kind = ErrorKind::Syntax { line, column };
        DecodeError::new(kind, Path::root(), "text is not UTF-8".to_owned())
    })?;
    from_str(text)
}

/// Decodes a value and consumes it. Its strings are moved into the result.
///
/// # Errors
///
/// Returns an error with the path if the value is not a valid `T`.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, DecodeError> {
    T::deserialize(value)
}

/// Decodes an object and consumes it. Its strings are moved into the result.
///
/// # Errors
///
/// Returns an error with the path if the members are not a valid `T`.
pub fn from_object<T: DeserializeOwned>(object: Object) -> Result<T, DecodeError> {
    let read: fn(_) -> _ = T::deserialize;
    read(Members::from(object))
}

/// Decodes a value without consuming it. The result may borrow its strings.
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
