//! Errors of texts.

use serde::de::{Error as _, Expected, Unexpected};

use super::super::super::error::{DecodeError, ErrorKind, Path};
use super::super::syntax::syntax_fault;
use super::numeral::Numeral;
use super::{Result, Text};

impl Text<'_> {
    /// Returns an error for a text that is not JSON. `serde_json` describes it, unless the text is
    /// valid for it.
    #[cold]
    #[inline(never)]
    pub(super) fn syntax(&self, message: &str) -> DecodeError {
        if let Some(error) = syntax_fault(self.whole) {
            return error;
        }
        let read = self.bytes().get(..self.at).unwrap_or(self.bytes());
        let lines = read.split(|byte| *byte == b'\n');
        let (line, column) = lines.fold((0, 0), |(line, _), last| (line + 1, last.len()));
        let kind = ErrorKind::Syntax { line, column };
        DecodeError::new(kind, Path::root(), message.to_owned())
    }

    /// Returns the error for a value of an unexpected type.
    #[cold]
    #[inline(never)]
    pub(crate) fn unfit(&mut self, expected: &dyn Expected) -> DecodeError {
        self.unexpected(expected).unwrap_or_else(|error| error)
    }

    fn unexpected(&mut self, expected: &dyn Expected) -> Result<DecodeError> {
        let wrong = |found| Ok(DecodeError::invalid_type(found, expected));
        match self.peek() {
            Some(b'n') => {
                self.literal(b"null")?;
                wrong(Unexpected::Unit)
            }
            Some(b't') => {
                self.literal(b"true")?;
                wrong(Unexpected::Bool(true))
            }
            Some(b'f') => {
                self.literal(b"false")?;
                wrong(Unexpected::Bool(false))
            }
            Some(b'"') => wrong(Unexpected::Str(&self.string()?)),
            Some(b'[') => wrong(Unexpected::Seq),
            Some(b'{') => wrong(Unexpected::Map),
            Some(b'-' | b'0'..=b'9') => match self.numeral()? {
                Numeral::Unsigned(value) => wrong(Unexpected::Unsigned(value)),
                Numeral::Signed(value) => wrong(Unexpected::Signed(value)),
                Numeral::Other(digits) => match digits.parse::<f64>() {
                    Ok(value) if value.is_finite() => wrong(Unexpected::Float(value)),
                    _ => wrong(Unexpected::Other("number")),
                },
            },
            _ => Err(self.syntax("expected value")),
        }
    }
}
