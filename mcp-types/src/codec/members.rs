//! The members of an object, with those that were already read to select a union variant.

use super::super::json::text::Text;
use super::Key;
use super::guard::{Guard, TextAhead, guarded, refuse};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Error, MapAccess};

/// The members of an object: first those that were already read, then the rest.
///
/// Both plain objects and variants of a union are decoded from this type, so that their decoders
/// are compiled only once.
#[derive(Debug)]
pub struct Members<'de, A> {
    ahead: Ahead<'de>,
    rest: A,
    /// Undeclared members with which the object may fit another variant.
    unless: &'static [&'static str],
    /// Values of other members with which the object may fit another variant.
    guards: &'static [Guard],
}

#[derive(Debug)]
enum Ahead<'de> {
    Nothing,
    /// The text from the object on. No member was read.
    Object(&'de str),
    Name(Key<'de>),
    /// The name of the tag and the JSON text of its value.
    Tag(&'static str, &'de str),
    TagValue(&'de str),
}

impl<'de, A> Members<'de, A> {
    /// Creates the members of an object of which nothing was read yet.
    #[inline]
    pub const fn new(members: A) -> Self {
        Self {
            ahead: Ahead::Nothing,
            rest: members,
            unless: &[],
            guards: &[],
        }
    }

    /// Creates the members of an object of which nothing was read yet, with the text from the object on.
    pub(super) const fn of(text: &'de str, members: A) -> Self {
        Self {
            ahead: Ahead::Object(text),
            rest: members,
            unless: &[],
            guards: &[],
        }
    }

    /// Returns the text from the object on, if it is known and no member was read.
    pub(super) fn text(&self) -> Option<&'de str> {
        match self.ahead {
            Ahead::Object(text) => Some(text),
            _ => None,
        }
    }

    /// Creates the members of an object of which the first name was already read.
    pub(crate) fn after(first: Option<Key<'de>>, members: A) -> Self {
        Self {
            ahead: first.map_or(Ahead::Nothing, Ahead::Name),
            rest: members,
            unless: &[],
            guards: &[],
        }
    }

    /// Puts the tag, which was already read, back in front of the members. `tag` is JSON text.
    pub(super) fn again(&mut self, name: &'static str, tag: &'de str) {
        self.ahead = Ahead::Tag(name, tag);
    }

    /// Makes the decoder of a struct fail if one of these members follows and the struct does not
    /// declare it, or if a guard refuses the value of a member. The object may fit another variant then.
    #[inline]
    pub(super) fn refuse(&mut self, unless: &'static [&'static str], guards: &'static [Guard]) {
        self.unless = unless;
        self.guards = guards;
    }

    #[inline]
    pub(super) fn has_guards(&self) -> bool {
        !self.guards.is_empty()
    }

    /// Returns `true` for a member with which the object may fit another variant.
    #[inline]
    pub(super) fn is_refused(&self, name: &str) -> bool {
        self.unless.contains(&name)
    }

    #[cold]
    fn name_ahead<K: DeserializeSeed<'de>, E: Error>(&mut self, seed: K) -> Result<K::Value, E> {
        match std::mem::replace(&mut self.ahead, Ahead::Nothing) {
            Ahead::Name(name) => name.give(seed),
            Ahead::Tag(name, tag) => {
                self.ahead = Ahead::TagValue(tag);
                seed.deserialize(BorrowedStrDeserializer::new(name))
            }
            Ahead::Nothing | Ahead::Object(_) | Ahead::TagValue(_) => {
                Err(E::custom("`next_key` was called before `next_value`"))
            }
        }
    }
}

impl<'de, A: MapAccess<'de>> Members<'de, A> {
    /// Lets the guards of a member, if there are any, look at its value. The name of the member was read.
    pub(super) fn guard_value(&mut self, name: &str) -> Result<(), A::Error> {
        let Some(member) = guarded(self.guards, name) else {
            return Ok(());
        };
        let text = self.rest.next_value_seed(TextAhead)?;
        if refuse(self.guards, member, text) {
            return Err(A::Error::custom(format_args!(
                "`{member}` has a value of another variant"
            )));
        }
        Ok(())
    }

    /// Decodes the value of a tag that was already read.
    #[cold]
    fn value_ahead<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        let Ahead::TagValue(tag) = self.ahead else {
            return self.rest.next_value_seed(seed);
        };
        self.ahead = Ahead::Nothing;
        // Uses the deserializer for which the seed is compiled anyway.
        let mut text = Text::new(tag);
        // Called through a function pointer to reduce compile time; see `json::from_str`.
        let read: fn(_, _) -> _ = T::deserialize;
        read(seed, &mut text).map_err(A::Error::custom)
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
            Ahead::Object(_) => {
                self.ahead = Ahead::Nothing;
                self.rest.next_key_seed(seed)
            }
            _ => self.name_ahead(seed).map(Some),
        }
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        match self.ahead {
            Ahead::Nothing => self.rest.next_value_seed(seed),
            _ => self.value_ahead(seed),
        }
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.rest.size_hint()
    }
}
