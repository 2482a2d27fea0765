//! [`Lookahead`]: looks at the members of an object before they are decoded.

use std::borrow::Cow;

use super::super::super::error::DecodeError;
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
}

impl<'de> Lookahead<'de> {
    /// Looks into a text that begins with an object. More may follow the object.
    pub(crate) fn new(text: &'de str) -> Self {
        Self {
            text,
            at: 1,
            is_first: true,
            unescaped: String::new(),
        }
    }

    /// Looks into a text from the value of a member on.
    pub(super) fn starting_at(text: &'de str, at: usize) -> Self {
        Self {
            text,
            at,
            is_first: false,
            unescaped: String::new(),
        }
    }

    /// Returns the position of the next byte.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Returns the next name, or `None` after the last one.
    #[inline]
    pub(crate) fn name(&mut self) -> Result<Option<&str>> {
        let mut next = self.peek();
        if next == Some(b'}') {
            self.at += 1;
            self.is_first = false;
            return Ok(None);
        }
        if !self.is_first {
            if next != Some(b',') {
                return Err(self.not_json());
            }
            self.at += 1;
            next = self.peek();
        }
        self.is_first = false;
        if next != Some(b'"') {
            return Err(self.not_json());
        }
        let plain = scan::plain_string(self.text, self.at).ok();
        match plain {
            Some(name) => self.at += name.len() + 2,
            None => self.unescaped = self.read_escaped_string()?,
        }
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

    /// Enters the value that follows a name, if it is an object. The next names are those of this object,
    /// until [`name`](Self::name) returns `None`; then those of the object around it follow. Otherwise
    /// returns `false`, and reads nothing.
    pub(crate) fn enter(&mut self) -> bool {
        let is_object = self.peek() == Some(b'{');
        if is_object {
            self.at += 1;
            self.is_first = true;
        }
        is_object
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
        let mut depth = 0_usize;
        while let Some(byte) = self.bytes().get(self.at) {
            match byte {
                b'"' => {
                    self.skip_string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
            self.at += 1;
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

/// Returns the text of the value at the start of a text. Returns the whole text if that is not JSON.
pub(crate) fn first_value(text: &str) -> &str {
    Lookahead::starting_at(text, 0).value().unwrap_or(text)
}

/// Returns the string that is the value of the first member of an object, if the member has the given
/// name, and if neither white space nor an escape is in between. Anything else is `None`, too.
#[inline]
pub(crate) fn first_member<'de>(text: &'de str, name: &str) -> Option<&'de str> {
    let rest = text.strip_prefix("{\"")?.strip_prefix(name)?;
    let rest = rest.strip_prefix("\":\"")?;
    let end = scan::plain(rest.as_bytes());
    let (value, rest) = rest.split_at_checked(end)?;
    rest.starts_with('"').then_some(value)
}

/// Returns the string at the start of a text. A string with escapes, and anything else, is `None`.
#[inline]
pub(crate) fn first_string(text: &str) -> Option<&str> {
    if !text.starts_with('"') {
        return None;
    }
    scan::plain_string(text, 0).ok()
}
