//! [`Text`]: decodes JSON text in one pass, with the path of an error.
//!
//! The text is known to be UTF-8, so that strings without escapes are borrowed and compared without
//! further checks. Each error gets its path while it is returned through members and elements.
//!
//! The data model of serde has no exact numbers, and no way to look ahead. So a visitor asks for these
//! with `deserialize_newtype_struct` and one of two names, [`EXACT`] and [`UNION`]. Other deserializers do
//! not know these names, and call `visit_newtype_struct`.

mod access;
mod deserializer;
mod escape;
mod fault;
mod later;
mod lookahead;
mod name;
mod numeral;
mod scan;
mod sizes;
mod skip;

use std::borrow::Cow;

use serde::de::{DeserializeOwned, Visitor};

use super::super::error::DecodeError;
use super::de::{NESTING_LIMIT, RAW};
use super::read::NUMBER;

use access::{Elements, Entries, Lent, Named};
pub use later::Later;
pub(crate) use lookahead::{Lookahead, early_string, first_string, first_value};
use numeral::Numeral;
pub(super) use scan::{is_plain, plain, string_end};
use sizes::Sizes;

/// A visitor that asks for this newtype struct gets exact numbers: an integer of 64 bits as such, and any
/// other number as an enum, with the digits as the name of its variant.
pub(crate) const EXACT: &str = "$mcp_types::Exact";

/// A visitor that asks for this newtype struct gets exact numbers, too. It gets an object as an enum: the
/// name of the variant is the text from the object on, and the content are the members.
pub(crate) const UNION: &str = "$mcp_types::Union";

/// A visitor that asks for this newtype struct as the value of a member gets the text from the value on, and
/// reads nothing: the value can be decoded afterwards.
pub(crate) const AHEAD: &str = "$mcp_types::Ahead";

/// A visitor that asks for this enum as the name of a member, with the declared names as variants, gets
/// the index of a declared name as `u8`, and other names as strings.
pub(crate) const MEMBER: &str = "$mcp_types::Member";

/// The index of a unit variant that is the name of a declared member. The name of its enum is the text of
/// the member's name in JSON, after a comma and before a colon.
pub(crate) const DECLARED: u32 = u32::MAX;

type Result<T> = std::result::Result<T, DecodeError>;

/// A JSON text that is being decoded.
pub(crate) struct Text<'de> {
    whole: &'de str,
    /// The position of the next byte.
    at: usize,
    /// The number of arrays and objects around the current position.
    depth: usize,
    sizes: Sizes,
}

impl<'de> Text<'de> {
    /// Creates the deserializer of a text.
    pub(crate) fn new(text: &'de str) -> Self {
        Self {
            whole: text,
            at: 0,
            depth: 0,
            sizes: Sizes::default(),
        }
    }

    fn bytes(&self) -> &'de [u8] {
        self.whole.as_bytes()
    }

    /// Checks that nothing but white space follows.
    pub(crate) fn end(&mut self) -> Result<()> {
        match self.peek() {
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

    /// Leaves an array or an object. A visitor may have left something of it.
    #[inline]
    fn leave(&mut self, close: u8) -> Result<()> {
        self.depth -= 1;
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        Err(Self::left_over(close))
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

    /// Passes the members of an object to the visitor of a union.
    ///
    /// The visitor may decode the members as one variant, fail, and then decode the text of the object
    /// as another one. Then the position is somewhere in the object, which is skipped.
    #[inline]
    fn visit_union_members<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let (start, depth) = (self.at, self.depth);
        self.enter()?;
        let value = visitor.visit_map(Entries::new(self))?;
        // The text is valid if another variant accepts it. So a closing brace at this depth, after a
        // value that a visitor rejected, is the end of the object.
        if self.depth == depth + 1 && self.peek() == Some(b'}') {
            return self.leave(b'}').map(|()| value);
        }
        (self.at, self.depth) = (start, depth);
        self.skip()?;
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
                _ => Err(DecodeError::data("number out of range")),
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
                Numeral::Other(digits) => visitor.visit_map(Lent::new(NUMBER, digits)),
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

    /// Passes any value to a visitor that asked for exact numbers.
    #[inline]
    fn visit_exact<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            Some(b'"') => self.visit_string(visitor),
            Some(b'{') => self.visit_object(visitor),
            Some(b'-' | b'0'..=b'9') => self.visit_digits(visitor),
            Some(b'[') => self.visit_array(visitor),
            Some(other) => self.visit_literal(other, visitor),
            None => Err(self.syntax("expected value")),
        }
    }

    fn visit_digits<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.numeral()? {
            Numeral::Unsigned(value) => visitor.visit_u64(value),
            Numeral::Signed(value) => visitor.visit_i64(value),
            Numeral::Other(digits) => visitor.visit_enum(Named::number(digits)),
        }
    }

    /// Passes any value to a visitor of a union.
    fn visit_union<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        if self.peek() != Some(b'{') {
            return self.visit_exact(visitor);
        }
        let text = self.whole.get(self.at..).unwrap_or_default();
        visitor.visit_enum(Named::object(text, self))
    }

    /// Passes the text from the value of a member on to a visitor, and returns to the colon before it.
    fn visit_ahead<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.peek();
        let (before, after) = self.whole.split_at_checked(self.at).unwrap_or_default();
        let value = visitor.visit_borrowed_str::<DecodeError>(after)?;
        let before = before.trim_ascii_end();
        self.at = before.strip_suffix(':').map_or(self.at, str::len);
        Ok(value)
    }

    /// Passes the text of the next value to a visitor.
    fn visit_raw<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        let text = self.raw()?;
        visitor.visit_map(Lent::new(RAW, text))
    }

    /// Skips a value and returns its text.
    fn raw(&mut self) -> Result<&'de str> {
        self.peek();
        let start = self.at;
        self.skip()?;
        Ok(self.whole.get(start..self.at).unwrap_or_default())
    }
}

/// Decodes the value at the start of a text. More may follow it.
pub(crate) fn read_first<T: DeserializeOwned>(text: &str) -> Result<T> {
    T::deserialize(&mut Text::new(text))
}
