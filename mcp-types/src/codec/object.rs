//! Objects: from members to a struct.

use super::super::error::excerpt;
use super::members::Members;
use super::{Reader, Vacant};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor,
};
use std::borrow::Cow;
use std::fmt;

/// A struct that is read from the members of an object.
pub trait FromMembers<'de>: Vacant + Sized {
    /// Name of the type in the schema, for messages.
    const NAME: &'static str;
    /// Members that must be there: their numbers and names.
    const REQUIRED: &'static [(u8, &'static str)] = &[];

    /// Reads the member at hand into its place; behind the last one, where the reader has no name
    /// at hand, what a member without a place is taken for says whether all is well.
    fn read_member<A: MapAccess<'de>>(
        &mut self,
        reader: &mut Reader<'de, A>,
    ) -> Result<(), A::Error>;

    /// Reads all members.
    fn from_members<A: MapAccess<'de>>(members: Members<'de, A>) -> Result<Self, A::Error> {
        // Through a pointer, as `from_str` does it, and for the same reason.
        let read: fn(&mut dyn Target<'de, A>, _, _) -> _ = read_members;
        let mut value = Self::VACANT;
        read(&mut value, Self::REQUIRED, members)?;
        Ok(value)
    }
}

/// [`FromMembers`] for one form of members.
trait Target<'de, A: MapAccess<'de>> {
    fn read_member(&mut self, reader: &mut Reader<'de, A>) -> Result<(), A::Error>;
}

impl<'de, T: FromMembers<'de>, A: MapAccess<'de>> Target<'de, A> for T {
    fn read_member(&mut self, reader: &mut Reader<'de, A>) -> Result<(), A::Error> {
        FromMembers::read_member(self, reader)
    }
}

/// Reads all members, whatever the type: so this is compiled once for each form of members.
fn read_members<'de, A: MapAccess<'de>>(
    target: &mut dyn Target<'de, A>,
    required: &[(u8, &'static str)],
    members: Members<'de, A>,
) -> Result<(), A::Error> {
    let mut reader = Reader::new(members);
    while reader.advance()? {
        target.read_member(&mut reader)?;
    }
    reader.demand(required)?;
    target.read_member(&mut reader)
}

/// Reads an object. Arrays, which derived decoders take for structs, are refused.
#[inline]
pub fn read_object<'de, T: FromMembers<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    // The value is read in its place: handed up through the layers of a format, a large struct
    // would be copied in each of them.
    struct ObjectVisitor<'a, T>(&'a mut T);

    impl<'de, T: FromMembers<'de>> Visitor<'de> for ObjectVisitor<'_, T> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            expect_object(f, T::NAME)
        }

        #[inline]
        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
            read_members(self.0, T::REQUIRED, Members::new(members))
        }
    }

    let mut value = T::VACANT;
    deserializer.deserialize_map(ObjectVisitor(&mut value))?;
    Ok(value)
}

/// What is expected in place of something else.
fn expect_object(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(f, "an object (`{name}`)")
}

/// Refuses a member of an object that allows no others.
#[must_use]
pub fn unknown_member<E: Error>(key: &Key<'_>) -> E {
    E::custom(format_args!("unknown member `{}`", excerpt(key.as_str())))
}

/// The name of a member, borrowed from the input where it stands there as it is: serde's own `Cow`
/// always copies.
#[derive(Debug, Default)]
pub struct Key<'de>(pub Cow<'de, str>);

impl<'de> Key<'de> {
    /// The name.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Hands the name to a seed, borrowed where it can be.
    #[inline]
    pub(crate) fn give<K: DeserializeSeed<'de>, E: Error>(&self, seed: K) -> Result<K::Value, E> {
        match &self.0 {
            Cow::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)),
            Cow::Owned(name) => seed.deserialize(name.as_str().into_deserializer()),
        }
    }

    /// The name, copied only if it is borrowed.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0.into_owned()
    }
}

impl<'de> Deserialize<'de> for Key<'de> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a member")
            }

            #[inline]
            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(name.to_owned())))
            }

            fn visit_string<E>(self, name: String) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(name)))
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}
