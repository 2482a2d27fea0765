//! [`Text`] as a deserializer.

use std::borrow::Cow;

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer};
use serde::de::{Deserializer, Visitor};

use super::super::super::error::DecodeError;
use super::super::format::{RAW, TEXT};
use super::access::Chosen;
use super::numeral::Numeral;
use super::{Result, Text};

/// Methods for strings.
macro_rules! strings {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.peek() {
                Some(b'"') => self.visit_string(visitor),
                _ => Err(self.unfit(&visitor)),
            }
        }
    )*};
}

/// Methods for numbers.
macro_rules! numbers {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.peek() {
                Some(b'-' | b'0'..=b'9') => self.visit_number(visitor),
                _ => Err(self.unfit(&visitor)),
            }
        }
    )*};
}

/// Methods for integers of 128 bits.
macro_rules! wide_numbers {
    ($($method:ident $visit:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            if !matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
                return Err(self.unfit(&visitor));
            }
            let start = self.at;
            self.numeral()?;
            let digits = self.whole.get(start..self.at).unwrap_or_default();
            match digits.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => {
                    self.at = start;
                    self.visit_number(visitor)
                }
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Text<'de> {
    type Error = DecodeError;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.visit_any(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            Some(first @ (b't' | b'f')) => self.visit_literal(first, visitor),
            _ => Err(self.unfit(&visitor)),
        }
    }

    strings! { deserialize_char deserialize_str deserialize_string deserialize_identifier }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_f64
    }

    /// Rounds once. By way of `f64` it would be rounded twice.
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if !matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
            return Err(self.unfit(&visitor));
        }
        match self.numeral()? {
            Numeral::Unsigned(value) => visitor.visit_u64(value),
            Numeral::Signed(value) => visitor.visit_i64(value),
            Numeral::Other(digits) => match digits.parse::<f32>() {
                Ok(value) if value.is_finite() => visitor.visit_f32(value),
                _ => Err(DecodeError::out_of_range()),
            },
        }
    }

    wide_numbers! { deserialize_i128 visit_i128 deserialize_u128 visit_u128 }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            Some(b'"') => match self.string()? {
                Cow::Borrowed(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
                Cow::Owned(text) => visitor.visit_byte_buf(text.into_bytes()),
            },
            Some(b'[') => self.visit_array(visitor),
            _ => Err(self.unfit(&visitor)),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.peek() == Some(b'n') {
            self.literal(b"null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            Some(b'n') => self.visit_literal(b'n', visitor),
            _ => Err(self.unfit(&visitor)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        match name {
            RAW => self.visit_raw(visitor),
            TEXT => self.visit_text(visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            Some(b'[') => self.visit_array(visitor),
            _ => Err(self.unfit(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek() {
            Some(b'{') => self.visit_object(visitor),
            _ => Err(self.unfit(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.peek() {
            Some(b'{') => self.visit_object(visitor),
            Some(b'[') => self.visit_array(visitor),
            _ => Err(self.unfit(&visitor)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.peek() {
            Some(b'"') => match self.string()? {
                Cow::Borrowed(name) => visitor.visit_enum(BorrowedStrDeserializer::new(name)),
                Cow::Owned(name) => visitor.visit_enum(StringDeserializer::new(name)),
            },
            Some(b'{') => {
                self.enter()?;
                let value = visitor.visit_enum(Chosen(self))?;
                self.leave(b'}')?;
                Ok(value)
            }
            _ => Err(self.unfit(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }
}
