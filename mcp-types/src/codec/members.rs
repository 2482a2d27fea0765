//! The members of an object, of which the first may have been looked at.

use super::super::json::Source;
use super::Key;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Error, MapAccess};

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
    /// The tag's name and the text of its value.
    Tag(&'static str, &'de str),
    TagValue(&'de str),
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

    /// The same members with the tag, which was read, in front once more; `tag` is JSON text.
    pub(super) fn again(self, name: &'static str, tag: &'de str) -> Self {
        Self {
            ahead: Ahead::Tag(name, tag),
            rest: self.rest,
        }
    }

    #[cold]
    fn name_ahead<K: DeserializeSeed<'de>, E: Error>(&mut self, seed: K) -> Result<K::Value, E> {
        match std::mem::replace(&mut self.ahead, Ahead::Nothing) {
            Ahead::Name(name) => name.give(seed),
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
        let Ahead::TagValue(tag) = self.ahead else {
            return self.rest.next_value_seed(seed);
        };
        self.ahead = Ahead::Nothing;
        // By the deserializer for which the seed is compiled anyway.
        let mut tag = Source::new(tag);
        // Through a pointer, as `from_str` does it, and for the same reason.
        let read: fn(_, _) -> _ = T::deserialize;
        match read(seed, tag.value()) {
            Ok(value) => Ok(value),
            Err(error) => Err(A::Error::custom(error)),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.rest.size_hint()
    }
}
