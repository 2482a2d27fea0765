//! [`Limits`]: bounds of a JSON text, checked before it is decoded.

use super::super::error::{DecodeError, Rule};
use super::NESTING_LIMIT;
use super::number::NUMBER_LIMIT;
use super::text::string_end;

/// Bounds of a JSON text from a peer that is not trusted.
///
/// [`check`](Self::check) scans the text once and allocates nothing. It belongs before the first
/// function that decodes or parses the text, because the time and memory that a value takes do not
/// depend on the length of its text alone: `[[],[],[]]` takes up to 24 times the memory.
///
/// `usize::MAX` means that there is no limit. The decoders of this crate have limits of their own
/// for [nesting](NESTING_LIMIT) and [numbers](NUMBER_LIMIT), which hold in any case. How a message
/// is read within [`bytes`](Self::bytes) is the task of the transport.
///
/// ```
/// use mcp_types::error::Rule;
/// use mcp_types::json::Limits;
///
/// let limits = Limits::default().values(4);
/// assert_eq!(limits.check(b"[1,2,3]")?, "[1,2,3]");
/// let error = limits.check(b"[1,2,3,4]").unwrap_err();
/// assert_eq!(error.rule(), Rule::Limit);
/// assert_eq!(error.to_string(), "more than 4 JSON values in one message");
/// # Ok::<(), mcp_types::error::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest length of the text in bytes. Default: 4 MiB.
    pub bytes: usize,
    /// The largest number of values. Members of objects, elements of arrays, and the arrays and
    /// objects themselves count, at any depth. Default: 100,000.
    pub values: usize,
    /// The largest number of arrays and objects around a value. Default: [`NESTING_LIMIT`], 127.
    pub depth: usize,
    /// The largest number of characters of a number. Default: [`NUMBER_LIMIT`], 1,000.
    pub number: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 4 << 20,
            values: 100_000,
            depth: NESTING_LIMIT,
            number: NUMBER_LIMIT,
        }
    }
}

impl Limits {
    /// No limits.
    pub const NONE: Self = Self {
        bytes: usize::MAX,
        values: usize::MAX,
        depth: usize::MAX,
        number: usize::MAX,
    };

    /// Sets the largest length of the text in bytes.
    #[must_use]
    pub const fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the largest number of values.
    #[must_use]
    pub const fn values(mut self, values: usize) -> Self {
        self.values = values;
        self
    }

    /// Sets the largest number of arrays and objects around a value.
    #[must_use]
    pub const fn depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// Sets the largest number of characters of a number.
    #[must_use]
    pub const fn number(mut self, number: usize) -> Self {
        self.number = number;
        self
    }

    /// Checks the bytes of a text, and returns them as text. They need not be valid JSON.
    ///
    /// # Errors
    ///
    /// Returns an error with the rule [`Rule::Limit`] if the text exceeds a limit, and one with
    /// [`Rule::Syntax`] if it is not UTF-8.
    pub fn check<'a>(&self, text: &'a [u8]) -> Result<&'a str, DecodeError> {
        if text.len() > self.bytes {
            return Err(exceeds("bytes", self.bytes));
        }
        let text = super::from::utf8(text)?;
        self.check_text(text)?;
        Ok(text)
    }

    /// Checks a text.
    ///
    /// # Errors
    ///
    /// Returns an error with the rule [`Rule::Limit`] if the text exceeds a limit.
    pub fn check_text(&self, text: &str) -> Result<(), DecodeError> {
        let length = text.len();
        if length > self.bytes {
            return Err(exceeds("bytes", self.bytes));
        }
        // Each value except the last one is followed by at least one byte, as is each bracket.
        if length / 2 < self.values && length / 2 <= self.depth && length <= self.number {
            return Ok(());
        }
        self.scan(text.as_bytes())
    }

    fn scan(&self, bytes: &[u8]) -> Result<(), DecodeError> {
        // Starts with the outermost value.
        let mut values: usize = 1;
        let (mut at, mut depth) = (0, 0_usize);
        // `true` while the array or object that was opened last may still be empty.
        let mut opened = false;
        while let Some(byte) = bytes.get(at) {
            at += 1;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => continue,
                b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    opened = false;
                    continue;
                }
                // The first value in the array or object.
                _ if opened => values += 1,
                _ => {}
            }
            opened = false;
            match byte {
                b',' => values += 1,
                b'[' | b'{' => {
                    opened = true;
                    depth += 1;
                    if depth > self.depth {
                        return Err(exceeds("levels of arrays and objects", self.depth));
                    }
                }
                b'"' => at += string_end(bytes.get(at..).unwrap_or_default()) + 1,
                b'-' | b'0'..=b'9' => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let more = rest.iter().take_while(|byte| is_in_number(**byte)).count();
                    at += more;
                    if more >= self.number {
                        return Err(exceeds("characters in a number", self.number));
                    }
                }
                _ => {}
            }
            if values > self.values {
                return Err(exceeds("JSON values", self.values));
            }
        }
        Ok(())
    }
}

fn is_in_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')
}

#[cold]
fn exceeds(what: &str, limit: usize) -> DecodeError {
    DecodeError::data(format!("more than {limit} {what} in one message"))
        .with_rule(Rule::Limit, [limit.to_string()])
}

#[cfg(test)]
mod tests {
    use super::Limits;

    /// Returns `true` if a text is within limits and not within smaller ones.
    fn fits(text: &str, exact: Limits, smaller: Limits) -> bool {
        exact.check_text(text).is_ok() && smaller.check_text(text).is_err()
    }

    #[test]
    fn values_are_counted_exactly() {
        let limits = |values| Limits::NONE.values(values);
        for (text, values) in [
            ("0", 1),
            ("[]", 1),
            ("[ ]", 1),
            ("{}", 1),
            ("[[]]", 2),
            ("[[],[]]", 3),
            ("[0]", 2),
            ("[-10.5e+2,0,0]", 4),
            (r#"{"a":0}"#, 2),
            (r#"{"a":0,"b":[1,{}],"c":{"d":2}}"#, 7),
            (r#"[",",":[{","\\",",","\",["]"#, 6),
            ("[[[[[[]]]]]]", 6),
        ] {
            // Padded, so that the shortcut for short texts does not apply.
            let text = format!("{text}{}", " ".repeat(100));
            assert!(fits(&text, limits(values), limits(values - 1)), "{text}");
        }
    }

    #[test]
    fn nesting_and_numbers_and_bytes_are_measured_exactly() {
        let depth = |depth| Limits::NONE.depth(depth);
        for (text, most) in [("[]", 1), ("[[],[[]],{}]", 3), (r#"{"[[[[":{}}"#, 2)] {
            assert!(fits(text, depth(most), depth(most - 1)), "{text}");
            let padded = format!("{text}{}", " ".repeat(100));
            assert!(fits(&padded, depth(most), depth(most - 1)), "{text}");
        }
        let number = |number| Limits::NONE.number(number);
        for (text, most) in [("[1,22,333]", 3), ("[-1.5e+10]", 8), (r#"["11111",7]"#, 1)] {
            assert!(fits(text, number(most), number(most - 1)), "{text}");
        }
        let bytes = |bytes| Limits::NONE.bytes(bytes);
        assert!(fits("[1]", bytes(3), bytes(2)));
        assert!(bytes(2).check(b"[1]").is_err() && bytes(3).check(b"[1]").is_ok());
        assert!(Limits::default().check(b"[\xff]").is_err());
    }

    #[test]
    fn text_without_limits_is_accepted() {
        let text = format!("{}{}", "[".repeat(1000), "1".repeat(5000));
        assert!(Limits::NONE.check_text(&text).is_ok());
    }

    #[test]
    fn invalid_json_is_scanned_without_a_panic() {
        for text in ["", "\"", "\"\\", "[[[", "]]]", ",,,", "-", "1e"] {
            let text = format!("{}{text}", " ".repeat(100));
            let limits = Limits::NONE.values(1).depth(1).number(1);
            let _anything = limits.check_text(&text);
        }
    }
}
