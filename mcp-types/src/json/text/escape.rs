//! Strings with escapes.

use super::super::super::error::{DecodeError, Rule};
use super::{Result, Text, scan};

/// The end of a string is searched within this number of bytes, to know how much it needs. Longer strings
/// grow while they are read.
const SHORT: usize = 1024;

impl Text<'_> {
    /// Reads a string that is plain up to `end`.
    #[inline(never)]
    pub(super) fn escaped(&mut self, start: usize, end: usize) -> Result<String> {
        let rest = self.bytes().get(end..).unwrap_or_default();
        let rest = rest.get(..SHORT).unwrap_or(rest);
        // No escape is shorter than what it stands for, so that a short string is allocated once.
        let most = end - start + scan::string_end(rest);
        // Bytes rather than a `String`, which would check the ends of each plain part.
        let mut decoded: Vec<u8> = Vec::with_capacity(most);
        decoded.extend_from_slice(self.bytes().get(start..end).unwrap_or_default());
        self.at = end;
        loop {
            match self.bytes().get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.escape(&mut decoded)?,
                Some(0..0x20) => {
                    return Err(self.syntax(
                        "control character (\\u0000-\\u001F) found while parsing a string",
                    ));
                }
                Some(_) => {
                    let rest = self.bytes().get(self.at..).unwrap_or_default();
                    let plain = scan::plain(rest);
                    decoded.extend_from_slice(rest.get(..plain).unwrap_or_default());
                    self.at += plain;
                }
                None => return Err(self.syntax("EOF while parsing a string")),
            }
        }
        self.at += 1;
        // It may be kept for long.
        if decoded.len() < decoded.capacity() / 8 * 7 {
            decoded.shrink_to_fit();
        }
        String::from_utf8(decoded).map_err(|_| self.syntax("invalid UTF-8"))
    }

    /// Reads an escape, whose backslash was seen.
    #[inline]
    fn escape(&mut self, decoded: &mut Vec<u8>) -> Result<()> {
        let kind = self.bytes().get(self.at + 1).copied();
        self.at += 2;
        decoded.push(match kind {
            Some(same @ (b'"' | b'\\' | b'/')) => same,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                let char = self.unicode()?;
                decoded.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(self.syntax("invalid escape")),
        });
        Ok(())
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
        .with_rule::<&str>(Rule::Unicode, [])
}
