//! Numbers.

use super::{Result, Text};

/// A number as it is written.
pub(super) enum Numeral<'de> {
    /// An integer that is not negative.
    Unsigned(u64),
    /// A negative integer.
    Signed(i64),
    /// Any other number: with a fraction or an exponent, out of the range of 64 bits, or `-0`.
    Other(&'de str),
}

impl<'de> Text<'de> {
    /// Reads a number, whose first byte was seen.
    #[inline]
    pub(super) fn numeral(&mut self) -> Result<Numeral<'de>> {
        let start = self.at;
        let bytes = self.bytes();
        let is_negative = bytes.get(start) == Some(&b'-');
        let first = start + usize::from(is_negative);
        let mut at = first;
        let mut value: Option<u64> = Some(0);
        while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
            let digit = u64::from(*digit - b'0');
            value = value
                .and_then(|value| value.checked_mul(10))
                .and_then(|value| value.checked_add(digit));
            at += 1;
        }
        self.at = at;
        let has_leading_zero = at > first + 1 && bytes.get(first) == Some(&b'0');
        if at == first || has_leading_zero {
            return Err(self.syntax("invalid number"));
        }
        if matches!(bytes.get(at), Some(b'.' | b'e' | b'E')) {
            self.fraction()?;
        } else {
            match value {
                Some(value) if !is_negative => return Ok(Numeral::Unsigned(value)),
                Some(value @ 1..) => {
                    if let Some(value) = 0_i64.checked_sub_unsigned(value) {
                        return Ok(Numeral::Signed(value));
                    }
                }
                _ => {}
            }
        }
        Ok(Numeral::Other(
            self.whole.get(start..self.at).unwrap_or_default(),
        ))
    }

    /// Returns `true` if a text is a number, with nothing before or after it.
    pub(in super::super) fn is_number(text: &str) -> bool {
        let mut whole = Text::new(text);
        whole.numeral().is_ok() && whole.at == text.len()
    }

    /// Reads a fraction and an exponent.
    fn fraction(&mut self) -> Result<()> {
        let bytes = self.bytes();
        if bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// Reads at least one digit.
    fn digits(&mut self) -> Result<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.bytes().get(self.at) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.syntax("invalid number"));
        }
        Ok(())
    }
}
