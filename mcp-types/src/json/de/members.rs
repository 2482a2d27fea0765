//! [`Members`]: the members of an object as a deserializer.

use std::borrow::Cow;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::super::super::error::DecodeError;
use super::super::node::{Entries, Node};
use super::super::{Object, Value};
use super::variant::OneMember;
use super::{Decoder, Result, deeper};

/// The members of an object that is being decoded: a deserializer, and a `MapAccess`.
pub struct Members<'de> {
    entries: Entries<'de>,
    /// The name that was returned last, and the value that is read next.
    current: Option<(Cow<'de, str>, Node<'de>)>,
    /// The depth of the object, in containers around it.
    depth: usize,
}

impl<'de> Members<'de> {
    pub(super) fn new(entries: Entries<'de>, depth: usize) -> Self {
        Self {
            entries,
            current: None,
            depth,
        }
    }

    pub(super) fn visit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
        deeper(self.depth)?;
        let value = visitor.visit_map(&mut self)?;
        match self.entries.next() {
            Some(_) => Err(DecodeError::left_over("object", "members")),
            None => Ok(value),
        }
    }
}

impl std::fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Members")
            .field("entries", &self.entries)
            .finish_non_exhaustive()
    }
}

impl From<Object> for Members<'_> {
    fn from(object: Object) -> Self {
        Self::new(object.into(), 0)
    }
}

impl<'de> From<&'de Object> for Members<'de> {
    fn from(object: &'de Object) -> Self {
        Self::new(object.into(), 0)
    }
}

impl From<Vec<(String, Value)>> for Members<'_> {
    /// Duplicate names are passed to the visitor twice, as from text.
    fn from(members: Vec<(String, Value)>) -> Self {
        let mut object = Object::with_capacity(members.len());
        for (name, value) in members {
            object.push(&name, value);
        }
        object.into()
    }
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        self.current = self.entries.next();
        match &self.current {
            None => Ok(None),
            // A borrowed name may outlive this call.
            Some((Cow::Borrowed(name), _)) => seed
                .deserialize(BorrowedStrDeserializer::new(name))
                .map(Some),
            // An owned name is kept, because it is needed for the path if the value fails.
            Some((Cow::Owned(name), _)) => seed
                .deserialize(name.as_str().into_deserializer())
                .map(Some),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        let Some((name, node)) = self.current.take() else {
            return Err(DecodeError::data(
                "`next_value` was called before `next_key`",
            ));
        };
        let depth = deeper(self.depth)?;
        seed.deserialize(Decoder { node, depth })
            .map_err(|error| error.inside_member(name))
    }

    fn size_hint(&self) -> Option<usize> {
        self.entries.size_hint().1
    }
}

impl<'de> Deserializer<'de> for Members<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.visit(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        Decoder {
            node: Node::Object(self.entries),
            depth: self.depth,
        }
        .deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(OneMember {
            entries: self.entries,
            depth: self.depth,
        })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier
    }
}
