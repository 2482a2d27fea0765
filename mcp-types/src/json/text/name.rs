//! [`Name`]: decodes the name of a member.

use std::borrow::Cow;

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer};
use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::super::super::error::DecodeError;
use super::{MEMBER, Result, Text};

/// The name of a member, which was not read yet.
pub(super) struct Name<'a, 'de> {
    pub(super) text: &'a mut Text<'de>,
    /// The index of the declared member that is expected next.
    pub(super) expected: &'a mut usize,
}

impl<'de> Name<'_, 'de> {
    /// Passes the index of a declared name to the visitor, or a name that is not declared.
    #[inline]
    fn visit_member<V: Visitor<'de>>(
        self,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        if let Some(expected) = names.get(*self.expected)
            && self.text.reads_name(expected)
            && let Ok(index) = u8::try_from(*self.expected)
        {
            *self.expected += 1;
            return visitor.visit_u8(index);
        }
        self.search(names, visitor)
    }

    /// Compares the name with all declared ones.
    fn search<V: Visitor<'de>>(
        self,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        // Peers leave out optional members, but keep the order of the others.
        let (before, after) = names
            .split_at_checked(*self.expected)
            .unwrap_or((names, &[]));
        let found = |name: &&str| self.text.starts_with_name(name);
        let mut index = match after.iter().position(found) {
            Some(index) => Some(index + before.len()),
            None => before.iter().position(found),
        };
        if let Some(name) = index.and_then(|index| names.get(index)) {
            self.text.at += name.len() + 2;
        } else {
            let name = self.text.name()?;
            index = match &name {
                // It was compared already.
                Cow::Borrowed(_) => None,
                Cow::Owned(name) => names.iter().position(|known| known == name),
            };
            if index.is_none() {
                return match name {
                    Cow::Borrowed(name) => visitor.visit_borrowed_str(name),
                    Cow::Owned(name) => visitor.visit_string(name),
                };
            }
        }
        let index = index.unwrap_or_default();
        *self.expected = index + 1;
        match u8::try_from(index) {
            Ok(index) => visitor.visit_u8(index),
            Err(_) => Err(DecodeError::data("too many declared members")),
        }
    }
}

impl Text<'_> {
    /// Reads the name of a member if it is the given one, which has no escapes. Otherwise returns `false`
    /// and reads nothing.
    #[inline]
    fn reads_name(&mut self, name: &str) -> bool {
        let is_same = self.starts_with_name(name);
        if is_same {
            self.at += name.len() + 2;
        }
        is_same
    }

    /// Returns `true` if a name in quotes follows.
    #[inline]
    fn starts_with_name(&self, name: &str) -> bool {
        let bytes = self.bytes().get(self.at..).unwrap_or_default();
        // The closing quote is compared first: most names differ in their lengths.
        bytes.get(name.len() + 1) == Some(&b'"')
            && bytes.first() == Some(&b'"')
            && bytes.get(1..=name.len()) == Some(name.as_bytes())
    }
}

impl<'de> Deserializer<'de> for Name<'_, 'de> {
    type Error = DecodeError;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.text.name()? {
            Cow::Borrowed(name) => visitor.visit_borrowed_str(name),
            Cow::Owned(name) => visitor.visit_string(name),
        }
    }

    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        // Both are the same constant, so that no bytes are compared.
        if std::ptr::eq(name, MEMBER) || name == MEMBER {
            return self.visit_member(variants, visitor);
        }
        match self.text.name()? {
            Cow::Borrowed(name) => visitor.visit_enum(BorrowedStrDeserializer::new(name)),
            Cow::Owned(name) => visitor.visit_enum(StringDeserializer::new(name)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
