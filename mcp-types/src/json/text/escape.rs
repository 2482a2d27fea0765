//! Strings with escapes.

use super::super::super::error::DecodeError;
use super::{Result, Text, scan};

impl Text<'_> {
    /// Reads a string that is plain up to `end`.
    #[cold]
    pub(super) fn escaped(&mut self, start: usize, end: usize) -> Result<String> {
        let rest = self.bytes().get(end..).unwrap_or_default();
        let mut decoded = String::new();
        // Not more than the closing quote, which is usually found soon.
        decoded.reserve(end - start + scan::string_end(rest));
        let mut plain = start..end;
        loop {
            decoded.push_str(self.whole.get(plain.clone()).unwrap_or_default());
            self.at = plain.end;
            match self.bytes().get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(decoded);
                }
                Some(b'\\') => decoded.push(self.escape()?),
                Some(_) => {
                    return Err(self.syntax(
                        "control character (\\u0000-\\u001F) found while parsing a string",
                    ));
                }
                None => return Err(self.syntax("EOF while parsing a string")),
            }
            let rest = self.bytes().get(self.at..).unwrap_or_default();
            plain = self.at..self.at + scan::plain(rest);
        }
    }

    /// Reads an escape, whose backslash was seen.
    fn escape(&mut self) -> Result<char> {
        let kind = self.bytes().get(self.at + 1).copied();
        self.at += 2;
        Ok(match kind {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.syntax("invalid escape")),
        })
    }

    fn unicode(&mut self) -> Result<char> {
        let first = self.hex()?;
        if let Some(char) = char::from_u32(u32::from(first)) {
            return Ok(char);
        }
        let follows = self.bytes().get(self.at..).unwrap_or_default();
        if first >= 0xDC00 || !follows.starts_with(b"\\u") {
            return Err(lone_surrogate());
        }
        self.at += 2;
        let second = self.hex()?;
        let pair = char::decode_utf16([first, second]).next();
        pair.and_then(std::result::Result::ok)
            .ok_or_else(lone_surrogate)
    }

    /// Reads four hexadecimal digits.
    pub(super) fn hex(&mut self) -> Result<u16> {
        let digits = self.bytes().get(self.at..self.at + 4).unwrap_or_default();
        let value = digits.iter().try_fold(0, |value: u16, byte| {
            let digit = char::from(*byte).to_digit(16)?;
            Some(value << 4 | u16::try_from(digit).ok()?)
        });
        match value {
            Some(value) if digits.len() == 4 => {
                self.at += 4;
                Ok(value)
            }
            _ => Err(self.syntax("invalid escape")),
        }
    }
}

/// Half of a pair is valid in JSON, but is no character.
#[cold]
fn lone_surrogate() -> DecodeError {
    DecodeError::data("invalid Unicode: the string contains half of a surrogate pair")
}
