//! Decoding any type, with the path of what went wrong.

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
/// Where the text is no JSON, goes on behind the value, nests deeper than
/// [`NESTING_LIMIT`](super::NESTING_LIMIT), or is not what `T` asks for: then with its path.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    let mut source = Source::new(text);
    // Called through pointers: for each function that comes here, the compiler would follow calls
    // that it can name through all that they reach, looking for a way back.
    let read: fn(_) -> _ = T::deserialize;
    match read(source.value()) {
        Ok(value) => source.end().map(|()| value),
        Err(error) => Err(source.fault(error)),
    }
}

/// The one deserializer for text.
type Text<'a, 'de> = Located<'a, 'de, &'a mut serde_json::Deserializer<StrRead<'de>>>;

/// A text that is being decoded. What needs to know no type stays out of the functions of each.
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

    /// The value to be read.
    pub(crate) fn value(&mut self) -> Text<'_, 'a> {
        Located::new(&mut self.deserializer, &mut self.trail)
    }

    /// Checks that nothing stands behind the value.
    #[inline(never)]
    fn end(&mut self) -> Result<(), DecodeError> {
        let ended = self.deserializer.end();
        ended.map_err(|error| self.fault(error))
    }

    /// Says what failed, and where.
    #[cold]
    #[inline(never)]
    fn fault(&mut self, error: serde_json::Error) -> DecodeError {
        if !error.is_data() {
            return error.into();
        }
        // A fault of the text further on weighs more than one of the data.
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
/// As [`from_str`]; bytes that are no UTF-8 are a fault of syntax.
pub fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    // Checked as a whole, because `serde_json` does not look at bytes that it skips.
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

/// Decodes a value and consumes it: its strings move into the result.
///
/// # Errors
///
/// Where the value is not what `T` asks for, with the path.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, DecodeError> {
    T::deserialize(value)
}

/// Decodes an object and consumes it: its strings move into the result.
///
/// # Errors
///
/// Where the members are not what `T` asks for, with the path.
pub fn from_object<T: DeserializeOwned>(object: Object) -> Result<T, DecodeError> {
    let read: fn(_) -> _ = T::deserialize;
    read(Members::from(object))
}

/// Decodes a value that stays; the result may borrow its strings.
///
/// # Errors
///
/// Where the value is not what `T` asks for, with the path.
pub fn from_value_ref<'de, T: Deserialize<'de>>(value: &'de Value) -> Result<T, DecodeError> {
    T::deserialize(value)
}

/// Encodes anything as a value: by way of its text, which is exact.
///
/// # Errors
///
/// Where `Serialize` fails, or what it writes is no JSON that can be read: a member twice, a map
/// with names that are no strings, nesting beyond the limit.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, DecodeError> {
    from_str(&to_string(value)?)
}
