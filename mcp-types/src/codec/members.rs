//! The members of an object, of which the first may have been looked at.

use super::Key;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use std::borrow::Cow;
use std::marker::PhantomData;

/// The members of an object: what was looked at already, then the rest.
///
/// Whatever is read from members is read from these, whether it stands alone or is a variant of a
/// union: so that it is compiled once.
#[derive(Debug)]
pub struct Members<'de, A> {
    ahead: Ahead<'de>,
    rest: A,
}

#[derive(Debug)]
enum Ahead<'de> {
    Nothing,
    Name(Key<'de>),
    Tag(&'static str, Cow<'de, str>),
    TagValue(Cow<'de, str>),
}

impl<'de, A> Members<'de, A> {
    /// Members of which none was looked at.
    #[inline]
    pub const fn new(members: A) -> Self {
        Self {
            ahead: Ahead::Nothing,
            rest: members,
        }
    }

    /// Members of which the first name was read.
    pub(crate) fn after(first: Option<Key<'de>>, members: A) -> Self {
        Self {
            ahead: first.map_or(Ahead::Nothing, Ahead::Name),
            rest: members,
        }
    }

    /// The same members with the tag, which was read, in front once more.
    pub(super) fn again(self, name: &'static str, tag: Cow<'de, str>) -> Self {
        Self {
            ahead: Ahead::Tag(name, tag),
            rest: self.rest,
        }
    }

    #[cold]
    fn name_ahead<K: DeserializeSeed<'de>, E: Error>(&mut self, seed: K) -> Result<K::Value, E> {
        match std::mem::replace(&mut self.ahead, Ahead::Nothing) {
            Ahead::Name(Key::Borrowed(name)) => {
                seed.deserialize(BorrowedStrDeserializer::new(name))
            }
            Ahead::Name(Key::Owned(name)) => seed.deserialize(name.into_deserializer()),
            Ahead::Tag(name, tag) => {
                self.ahead = Ahead::TagValue(tag);
                seed.deserialize(BorrowedStrDeserializer::new(name))
            }
            Ahead::Nothing | Ahead::TagValue(_) => {
                Err(E::custom("a name was asked for before the value"))
            }
        }
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<'de, A> {
    type Error = A::Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.ahead {
            Ahead::Nothing => self.rest.next_key_seed(seed),
            _ => self.name_ahead(seed).map(Some),
        }
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        match &mut self.ahead {
            Ahead::TagValue(tag) => {
                let tag = std::mem::take(tag);
                self.ahead = Ahead::Nothing;
                seed.deserialize(Tag(tag, PhantomData))
            }
            _ => self.rest.next_value_seed(seed),
        }
    }
}

/// The tag's value, for a variant that checks it or, where it is optional, stores it.
struct Tag<'de, E>(Cow<'de, str>, PhantomData<E>);

impl<'de, E: Error> Deserializer<'de> for Tag<'de, E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.0 {
            Cow::Borrowed(tag) => visitor.visit_borrowed_str(tag),
            Cow::Owned(tag) => visitor.visit_string(tag),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_some(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
