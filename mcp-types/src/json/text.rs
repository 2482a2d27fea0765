//! [`Text`]: decodes JSON text in one pass, with the path of an error.
//!
//! The text is known to be UTF-8, so that strings without escapes are borrowed and compared without
//! further checks. Each error gets its path while it is returned through members and elements.
//!
//! Types of this crate are decoded through [`Decode`]. For all other types, [`Text`] is a
//! deserializer of serde. It knows two names of newtype structs, and passes the text of a value to their
//! visitors: that of `serde_json::value::RawValue`, and [`TEXT`](super::format::TEXT), by which types of this crate ask for a text
//! that was not validated, because they validate it.

mod access;
mod collect;
mod decode;
mod deserializer;
mod escape;
mod fault;
mod lookahead;
mod memory;
mod name;
mod numeral;
mod scan;
mod sizes;
mod skip;

use std::borrow::Cow;

use serde::de::{Expected, Visitor};

use super::super::error::{DecodeError, Rule};
use super::format::{NESTING_LIMIT, NUMBER, RAW};
use super::number::Number;

use access::SingleMember;
pub(crate) use access::{Elements, Entries};
use collect::Faults;
pub use collect::all_faults;
pub use decode::{Decode, read};
pub(crate) use lookahead::{Lookahead, early_string, first_value};
use memory::Memory;
pub(crate) use name::Name;
use numeral::Numeral;
pub(super) use scan::string_end;
use sizes::Sizes;

type Result<T> = std::result::Result<T, DecodeError>;

/// The kinds of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// A position in a text, to which it can return.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    at: usize,
    depth: usize,
    sizes: usize,
}

/// A JSON text that is being decoded.
pub struct Text<'de> {
    whole: &'de str,
    /// The position of the next byte.
    at: usize,
    /// The number of arrays and objects around the current position.
    depth: usize,
    sizes: Sizes,
    /// How many more bytes may be decoded again.
    retries: usize,
    /// Whether a part was found not to be JSON. The caller may have ignored the error.
    has_invalid_part: bool,
    /// The errors so far, if they are collected.
    faults: Option<Faults>,
    /// Whether types refuse what they accept beyond their schema.
    is_exact: bool,
    memory: Memory,
}

/// How many bytes may be decoded again for each byte of a text.
///
/// A union may have several variants that fit an object. If one of them does not accept it, the object is
/// decoded again as the next one. In a schema that refers to itself, so are the objects in it, and the cost
/// could double with each level.
const RETRIES: usize = 32;

impl<'de> Text<'de> {
    /// Creates the decoder of a text.
    pub(crate) fn new(text: &'de str) -> Self {
        Self {
            whole: text,
            at: 0,
            depth: 0,
            sizes: Sizes::default(),
            retries: text.len().saturating_mul(RETRIES),
            has_invalid_part: false,
            faults: None,
            is_exact: false,
            memory: None,
        }
    }

    fn bytes(&self) -> &'de [u8] {
        self.whole.as_bytes()
    }

    /// Returns the kind of the next value, or `None` if no value follows.
    #[inline]
    #[must_use]
    pub fn kind(&mut self) -> Option<Kind> {
        Some(match self.peek()? {
            b'n' => Kind::Null,
            b't' | b'f' => Kind::Bool,
            b'-' | b'0'..=b'9' => Kind::Number,
            b'"' => Kind::String,
            b'[' => Kind::Array,
            b'{' => Kind::Object,
            _ => return None,
        })
    }

    /// Returns the text from the next value on.
    pub(crate) fn rest(&mut self) -> &'de str {
        self.peek();
        self.whole.get(self.at..).unwrap_or_default()
    }

    /// Returns the current position.
    #[inline]
    pub(crate) fn position(&self) -> Position {
        Position {
            at: self.at,
            depth: self.depth,
            sizes: self.sizes.position(),
        }
    }

    /// Returns to a position.
    pub(crate) fn rewind(&mut self, position: Position) {
        self.at = position.at;
        self.depth = position.depth;
        self.sizes.return_to(position.sizes);
    }

    /// Returns to a position, to decode the same value again. Returns an error if too much was decoded again
    /// before.
    pub(crate) fn return_to(&mut self, position: Position) -> Result<()> {
        self.rewind(position);
        self.charge_next()
    }

    /// Notes that the next value is decoded again. Returns an error if too much was decoded again before.
    pub(crate) fn charge_next(&mut self) -> Result<()> {
        let rest = self.rest();
        let bytes = first_value(rest, self.levels()).unwrap_or(rest).len();
        match self.retries.checked_sub(bytes) {
            Some(retries) => {
                self.retries = retries;
                Ok(())
            }
            None => Err(DecodeError::data(
                "too many values had to be decoded again to find out of which type they are",
            )
            .with_rule(Rule::Limit, [RETRIES.to_string()])),
        }
    }

    /// Returns `true` if `null` follows, and reads nothing.
    #[inline]
    pub(crate) fn is_null(&mut self) -> bool {
        self.peek() == Some(b'n')
    }

    /// Reads `null`.
    pub(crate) fn null(&mut self) -> Result<()> {
        if self.is_null() {
            return self.literal(b"null");
        }
        Err(self.unfit(&"null"))
    }

    /// Reads `true` or `false`.
    pub(crate) fn boolean(&mut self) -> Result<bool> {
        match self.peek() {
            Some(b't') => self.literal(b"true").map(|()| true),
            Some(b'f') => self.literal(b"false").map(|()| false),
            _ => Err(self.unfit(&"a boolean")),
        }
    }

    /// Reads a number.
    #[inline]
    pub(crate) fn number(&mut self) -> Result<Number> {
        if !matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
            return Err(self.unfit(&"a JSON number"));
        }
        match self.numeral()? {
            Numeral::Unsigned(value) => Ok(value.into()),
            Numeral::Signed(value) => Ok(value.into()),
            Numeral::Other(digits) => Number::from_digits(digits),
        }
    }

    /// Reads a string. `expected` says in an error what the string is.
    #[inline]
    pub(crate) fn expect_string(&mut self, expected: &dyn Expected) -> Result<Cow<'de, str>> {
        if self.peek() == Some(b'"') {
            return self.string();
        }
        Err(self.unfit(expected))
    }

    /// Checks that nothing but white space follows.
    pub(crate) fn end(&mut self) -> Result<()> {
        match self.peek() {
            _ if self.has_invalid_part => Err(self.syntax("expected value")),
            None => Ok(()),
            Some(_) => Err(self.syntax("trailing characters")),
        }
    }

    /// Skips white space, and returns the next byte without reading it.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        scan::peek(self.bytes(), &mut self.at)
    }

    /// Reads `null`, `true` or `false`, of which the first byte was seen.
    #[inline]
    fn literal<const LENGTH: usize>(&mut self, word: &[u8; LENGTH]) -> Result<()> {
        let rest = self.bytes().get(self.at..).unwrap_or_default();
        // Of a known length, so that the bytes are compared in place.
        if rest.first_chunk() == Some(word) {
            self.at += LENGTH;
            return Ok(());
        }
        Err(self.syntax("expected value"))
    }

    /// Reads a string, whose opening quote was seen.
    #[inline]
    fn string(&mut self) -> Result<Cow<'de, str>> {
        match scan::plain_string(self.whole, self.at) {
            Ok(text) => {
                self.at += text.len() + 2;
                Ok(Cow::Borrowed(text))
            }
            Err(end) => self.escaped(self.at + 1, end).map(Cow::Owned),
        }
    }

    /// Passes a string to a visitor.
    #[inline]
    fn visit_string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.string()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    /// Enters an array or an object, whose opening bracket was seen.
    #[inline]
    fn enter(&mut self) -> Result<()> {
        if self.depth >= NESTING_LIMIT {
            return Err(self.syntax("recursion limit exceeded"));
        }
        self.at += 1;
        self.depth += 1;
        Ok(())
    }

    /// Returns how many more levels of arrays and objects may be entered.
    fn levels(&self) -> usize {
        NESTING_LIMIT.saturating_sub(self.depth)
    }

    /// Leaves an array or an object. A visitor may have left something of it.
    #[inline]
    fn leave(&mut self, close: u8) -> Result<()> {
        self.depth -= 1;
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        Err(match close {
            b']' => DecodeError::left_over("array", "elements"),
            _ => DecodeError::left_over("object", "members"),
        })
    }

    #[inline]
    fn visit_array<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.enter()?;
        let value = visitor.visit_seq(Elements::new(self))?;
        self.leave(b']')?;
        Ok(value)
    }

    #[inline]
    fn visit_object<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.enter()?;
        let value = visitor.visit_map(Entries::new(self))?;
        self.leave(b'}')?;
        Ok(value)
    }

    /// Passes a number to a visitor that does not ask for the digits.
    #[inline]
    fn visit_number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.numeral()? {
            Numeral::Unsigned(value) => visitor.visit_u64(value),
            Numeral::Signed(value) => visitor.visit_i64(value),
            Numeral::Other(digits) => match digits.parse::<f64>() {
                Ok(value) if value.is_finite() => visitor.visit_f64(value),
                _ => Err(DecodeError::out_of_range()),
            },
        }
    }

    /// Passes any value to a visitor, numbers as `serde_json` does.
    fn visit_any<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            Some(b'"') => self.visit_string(visitor),
            Some(b'{') => self.visit_object(visitor),
            Some(b'[') => self.visit_array(visitor),
            Some(b'-' | b'0'..=b'9') if super::hides_numbers() => match self.numeral()? {
                Numeral::Unsigned(value) => visitor.visit_u64(value),
                Numeral::Signed(value) => visitor.visit_i64(value),
                Numeral::Other(digits) => visitor.visit_map(SingleMember::new(NUMBER, digits)),
            },
            Some(b'-' | b'0'..=b'9') => self.visit_number(visitor),
            Some(other) => self.visit_literal(other, visitor),
            None => Err(self.syntax("expected value")),
        }
    }

    fn visit_literal<V: Visitor<'de>>(&mut self, first: u8, visitor: V) -> Result<V::Value> {
        match first {
            b'n' => {
                self.literal(b"null")?;
                visitor.visit_unit()
            }
            b't' => {
                self.literal(b"true")?;
                visitor.visit_bool(true)
            }
            b'f' => {
                self.literal(b"false")?;
                visitor.visit_bool(false)
            }
            _ => Err(self.syntax("expected value")),
        }
    }

    /// Passes the text of the next value to a visitor.
    fn visit_raw<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let text = self.raw()?;
        visitor.visit_map(SingleMember::new(RAW, text))
    }

    /// Passes the text of the next value, which may not be JSON, to a visitor.
    fn visit_text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let rest = self.rest();
        let text = if self.depth == 0 {
            // The outermost value ends where the text ends.
            rest
        } else if let Some(text) = first_value(rest, self.levels()) {
            text
        } else {
            // Returns the error: the value nests too deeply, or is not JSON.
            self.raw()?;
            return Err(self.syntax("expected value"));
        };
        let value = visitor.visit_map(SingleMember::new(RAW, text));
        if value.is_ok() {
            self.at += text.len();
        } else {
            self.has_invalid_part |= self.skip().is_err();
        }
        value
    }

    /// Skips a value and returns its text.
    fn raw(&mut self) -> Result<&'de str> {
        self.peek();
        let start = self.at;
        self.skip()?;
        Ok(self.whole.get(start..self.at).unwrap_or_default())
    }
}
