//! Skips values, and checks that they are JSON.

use super::super::format::NESTING_LIMIT;
use super::{Result, Text, scan};

/// The arrays and objects around a position, innermost first. One bit for each: set for objects.
#[derive(Default)]
struct Open {
    bits: u128,
    count: usize,
}

impl Text<'_> {
    /// Checks that a text is one JSON value.
    pub(crate) fn expect_value(text: &str) -> Result<()> {
        let mut whole = Text::new(text);
        whole.skip()?;
        whole.end()
    }

    /// Skips a value.
    pub(crate) fn skip(&mut self) -> Result<()> {
        let mut open = Open::default();
        loop {
            match self.peek() {
                Some(b'"') => self.skip_string()?,
                Some(b'-' | b'0'..=b'9') => self.numeral().map(|_| ())?,
                Some(b'n') => self.literal(b"null")?,
                Some(b't') => self.literal(b"true")?,
                Some(b'f') => self.literal(b"false")?,
                Some(first @ (b'[' | b'{')) => {
                    if self.depth + open.count >= NESTING_LIMIT {
                        return Err(self.syntax("recursion limit exceeded"));
                    }
                    self.at += 1;
                    let is_object = first == b'{';
                    open.bits = open.bits << 1 | u128::from(is_object);
                    open.count += 1;
                    if self.peek() != Some(if is_object { b'}' } else { b']' }) {
                        if is_object {
                            self.skip_name()?;
                        }
                        continue;
                    }
                }
                _ => return Err(self.syntax("expected value")),
            }
            // After a value: the next one, or the ends of what is around it.
            loop {
                if open.count == 0 {
                    return Ok(());
                }
                let is_object = open.bits & 1 == 1;
                if self.next_in(if is_object { b'}' } else { b']' }, false)? {
                    if is_object {
                        self.skip_name()?;
                    }
                    break;
                }
                self.at += 1;
                open.bits >>= 1;
                open.count -= 1;
            }
        }
    }

    /// Skips the name of a member and the colon after it.
    pub(super) fn skip_name(&mut self) -> Result<()> {
        if self.peek() != Some(b'"') {
            return Err(self.syntax("key must be a string"));
        }
        self.skip_string()?;
        self.colon()
    }

    /// Skips a string, whose opening quote was seen.
    #[inline]
    fn skip_string(&mut self) -> Result<()> {
        self.at += 1;
        loop {
            let rest = self.bytes().get(self.at..).unwrap_or_default();
            self.at += scan::plain(rest);
            match self.bytes().get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.skip_escape()?,
                Some(_) => {
                    return Err(self.syntax(
                        "control character (\\u0000-\\u001F) found while parsing a string",
                    ));
                }
                None => return Err(self.syntax("EOF while parsing a string")),
            }
        }
    }

    fn skip_escape(&mut self) -> Result<()> {
        let kind = self.bytes().get(self.at + 1).copied();
        self.at += 2;
        match kind {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => self.hex().map(drop),
            _ => Err(self.syntax("invalid escape")),
        }
    }
}
