//! [`Lookahead`]: looks at the members of an object before they are decoded.

use std::borrow::Cow;

use super::super::super::error::DecodeError;
use super::super::format::NESTING_LIMIT;
use super::{Result, Text, scan};

/// The members of an object, each as its name and its value.
///
/// The object is decoded afterwards, so only as much is checked here as is necessary to find the ends
/// of strings, arrays and objects. A text that is not JSON may be read as something else, and is
/// rejected by the decoder.
pub(crate) struct Lookahead<'de> {
    text: &'de str,
    /// The position of the next byte.
    at: usize,
    /// `true` before the first member.
    is_first: bool,
    /// The current name, if it has escapes.
    unescaped: String,
    /// The number of levels that a value may nest.
    levels: usize,
}

impl<'de> Lookahead<'de> {
    /// Looks into a text that begins with an object. More may follow the object.
    pub(crate) fn new(text: &'de str) -> Self {
        Self {
            text,
            at: 1,
            is_first: true,
            unescaped: String::new(),
            levels: NESTING_LIMIT,
        }
    }

    /// Returns the next name, or `None` after the last one.
    #[inline]
    pub(crate) fn name(&mut self) -> Result<Option<&str>> {
        let bytes = self.bytes();
        let mut at = self.at;
        let mut next = scan::peek(bytes, &mut at);
        let is_first = std::mem::replace(&mut self.is_first, false);
        if next == Some(b'}') {
            self.at = at + 1;
            return Ok(None);
        }
        if !is_first {
            if next != Some(b',') {
                return Err(self.not_json());
            }
            at += 1;
            next = scan::peek(bytes, &mut at);
        }
        if next != Some(b'"') {
            return Err(self.not_json());
        }
        let plain = scan::plain_string(self.text, at).ok();
        self.at = match plain {
            Some(name) => at + name.len() + 2,
            None => self.read_escaped_name(at)?,
        };
        if self.peek() != Some(b':') {
            return Err(self.not_json());
        }
        self.at += 1;
        Ok(Some(plain.unwrap_or(&self.unescaped)))
    }

    /// Returns the text of the value that follows a name.
    #[inline]
    pub(crate) fn value(&mut self) -> Result<&'de str> {
        let first = self.peek();
        let start = self.at;
        match first {
            Some(b'"') => self.skip_string()?,
            Some(b'{' | b'[') => self.skip_container()?,
            _ => self.skip_word()?,
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    /// Returns the string that follows a name. Returns `None`, and reads nothing, if the value is not
    /// a string.
    pub(crate) fn string(&mut self) -> Result<Option<Cow<'de, str>>> {
        if self.peek() != Some(b'"') {
            return Ok(None);
        }
        Ok(Some(match scan::plain_string(self.text, self.at) {
            Ok(text) => {
                self.at += text.len() + 2;
                Cow::Borrowed(text)
            }
            Err(_) => Cow::Owned(self.read_escaped_string()?),
        }))
    }

    fn bytes(&self) -> &'de [u8] {
        self.text.as_bytes()
    }

    /// Skips white space, and returns the next byte without reading it.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        scan::peek(self.bytes(), &mut self.at)
    }

    /// Reads a name with escapes, and returns the position behind it.
    #[cold]
    fn read_escaped_name(&mut self, at: usize) -> Result<usize> {
        self.at = at;
        self.unescaped = self.read_escaped_string()?;
        Ok(self.at)
    }

    /// Reads a string, whose opening quote was seen.
    #[cold]
    fn read_escaped_string(&mut self) -> Result<String> {
        let mut text = Text::new(self.text);
        text.at = self.at;
        let string = text.string()?.into_owned();
        self.at = text.at;
        Ok(string)
    }

    /// Skips a string, whose opening quote was seen.
    #[inline]
    fn skip_string(&mut self) -> Result<()> {
        self.at += 1;
        let rest = self.bytes().get(self.at..).unwrap_or_default();
        self.at += scan::string_end(rest) + 1;
        if self.at > self.text.len() {
            return Err(self.not_json());
        }
        Ok(())
    }

    /// Skips an array or an object by the number of brackets.
    fn skip_container(&mut self) -> Result<()> {
        let bytes = self.bytes();
        let (mut at, mut depth) = (self.at, 0_usize);
        while let Some(byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'"' => at += scan::string_end(bytes.get(at..).unwrap_or_default()) + 1,
                b'{' | b'[' if depth < self.levels => depth += 1,
                b'{' | b'[' => break,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at = at;
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        Err(self.not_json())
    }

    /// Skips a number, `null`, `true` or `false`.
    fn skip_word(&mut self) -> Result<()> {
        let rest = self.bytes().get(self.at..).unwrap_or_default();
        let is_end = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r');
        match rest.iter().position(is_end) {
            Some(length @ 1..) => {
                self.at += length;
                Ok(())
            }
            _ => Err(self.not_json()),
        }
    }

    /// Returns the error for a text that is not JSON.
    #[cold]
    fn not_json(&self) -> DecodeError {
        let mut text = Text::new(self.text);
        match text.skip() {
            Err(error) => error,
            Ok(()) => text.syntax("expected value"),
        }
    }
}

/// Returns the text of the value at the start of a text. Returns `None` if that is not JSON, or nests more
/// levels than given. Types that decode the text are thereby limited together with those around them.
pub(crate) fn first_value(text: &str, levels: usize) -> Option<&str> {
    let mut ahead = Lookahead {
        at: 0,
        levels,
        ..Lookahead::new(text)
    };
    ahead.value().ok()
}

/// Returns the string that is the value of a member of an object, if only members with plain strings and
/// integers come before it, and if neither white space nor an escape is in between. Anything else is `None`,
/// too.
#[inline]
pub(crate) fn early_string<'de>(text: &'de str, name: &str) -> Option<&'de str> {
    let mut rest = text.strip_prefix("{\"")?;
    loop {
        let (this, value) = split_plain(rest)?;
        let value = value.strip_prefix("\":")?;
        let is_found = this == name;
        let after = if let Some(string) = value.strip_prefix('"') {
            let (string, after) = split_plain(string)?;
            let after = after.strip_prefix('"')?;
            if is_found {
                return Some(string);
            }
            after
        } else {
            let after = value.trim_start_matches(|char: char| char.is_ascii_digit());
            if is_found || after.len() == value.len() {
                return None;
            }
            after
        };
        rest = after.strip_prefix(",\"")?;
    }
}

/// Splits a text before the first quote, backslash or control character.
#[inline]
fn split_plain(text: &str) -> Option<(&str, &str)> {
    text.split_at_checked(scan::plain(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Searches all members.
    fn searched(text: &str) -> Option<Cow<'_, str>> {
        let mut members = Lookahead::new(text);
        while let Ok(Some(name)) = members.name() {
            if name == "tag" {
                return members.string().ok()?;
            }
            members.value().ok()?;
        }
        None
    }

    #[test]
    fn early_string_is_found_behind_strings_and_integers() {
        for (text, found) in [
            (r#"{"tag":"x","a":{}}"#, Some("x")),
            (
                r#"{"a":"tag","b":12,"c":"","tag":"a longer one"}"#,
                Some("a longer one"),
            ),
            (r#"{"tags":"a","ta":"b","tag":"c"}"#, Some("c")),
            (r#"{"tag":"x","tag":"y"}"#, Some("x")),
            // Left to the search.
            (r#"{ "tag":"x"}"#, None),
            (r#"{"a":1 ,"tag":"x"}"#, None),
            (r#"{"a":-1,"tag":"x"}"#, None),
            (r#"{"a":[],"tag":"x"}"#, None),
            (r#"{"a":"\"","tag":"x"}"#, None),
            (r#"{"tag":"\u0078"}"#, None),
            (r#"{"\u0074ag":"y","tag":"x"}"#, None),
            // Not a string, whatever follows.
            (r#"{"tag":1,"tag":"x"}"#, None),
            (r#"{"tag":null,"tag":"x"}"#, None),
        ] {
            assert_eq!(early_string(text, "tag"), found, "{text}");
            // A part of the text never has another value.
            for end in 0..text.len() {
                if let Some(early) = early_string(&text[..end], "tag") {
                    assert_eq!(searched(text).as_deref(), Some(early), "{text} {end}");
                }
            }
        }
    }
}
