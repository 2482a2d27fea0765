//! Decoding of structs from the members of an object.

use super::super::error::excerpt;
use super::declared::{Declared, demanded};
use super::members::Members;
use super::reader::UNDECLARED;
use super::{Reader, Vacant};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor,
};
use std::borrow::Cow;
use std::fmt;

/// A struct that is decoded from the members of an object.
pub trait FromMembers<'de>: Vacant + Sized {
    /// The name of the type in the schema, for error messages.
    const NAME: &'static str;
    /// The declared members, in the order of the schema.
    const MEMBERS: &'static [Declared];
    /// One bit for the number of each member that an object must have.
    const DEMANDED: u128 = demanded(Self::MEMBERS);

    /// Decodes the current member, which has this number, into its field. The number
    /// `u8::MAX` stands for a member that the type does not declare. After the last member, when
    /// the reader has no current member, the arm for it runs its final checks.
    fn read_member<A: MapAccess<'de>>(
        &mut self,
        at: u8,
        reader: &mut Reader<'de, A>,
    ) -> Result<(), A::Error>;

    /// Decodes all members.
    fn from_members<A: MapAccess<'de>>(members: Members<'de, A>) -> Result<Self, A::Error> {
        // Called through a function pointer to reduce compile time; see `json::from_str`.
        let read: fn(&mut dyn Target<'de, A>, _, _, _) -> _ = read_members;
        let mut value = Self::VACANT;
        read(&mut value, Self::MEMBERS, Self::DEMANDED, members)?;
        Ok(value)
    }
}

/// An object-safe form of [`FromMembers`] for one source of members.
trait Target<'de, A: MapAccess<'de>> {
    fn read_member(&mut self, at: u8, reader: &mut Reader<'de, A>) -> Result<(), A::Error>;
}

impl<'de, T: FromMembers<'de>, A: MapAccess<'de>> Target<'de, A> for T {
    fn read_member(&mut self, at: u8, reader: &mut Reader<'de, A>) -> Result<(), A::Error> {
        FromMembers::read_member(self, at, reader)
    }
}

/// Decodes all members of any type. Takes a trait object so that it is compiled once for each
/// source of members and not once for each type.
fn read_members<'de, A: MapAccess<'de>>(
    target: &mut dyn Target<'de, A>,
    declared: &'static [Declared],
    demanded: u128,
    members: Members<'de, A>,
) -> Result<(), A::Error> {
    let mut reader = Reader::new(members, declared);
    while let Some(at) = reader.advance()? {
        target.read_member(at, &mut reader)?;
    }
    reader.demand(demanded)?;
    target.read_member(UNDECLARED, &mut reader)
}

/// Decodes an object. Rejects arrays, which derived decoders accept for structs.
#[inline]
pub fn read_object<'de, T: FromMembers<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    // The value is decoded in place. If it were returned through the layers of a format, a large
    // struct would be copied in each of them.
    struct ObjectVisitor<'a, T>(&'a mut T);

    impl<'de, T: FromMembers<'de>> Visitor<'de> for ObjectVisitor<'_, T> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            expect_object(f, T::NAME)
        }

        #[inline]
        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
            read_members(self.0, T::MEMBERS, T::DEMANDED, Members::new(members))
        }
    }

    let mut value = T::VACANT;
    deserializer.deserialize_map(ObjectVisitor(&mut value))?;
    Ok(value)
}

/// Writes what was expected, for serde's type errors.
fn expect_object(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(f, "an object (`{name}`)")
}

/// Returns the error for an undeclared member of an object that allows none.
#[must_use]
pub fn unknown_member<E: Error>(key: &Key<'_>) -> E {
    E::custom(format_args!("unknown member `{}`", excerpt(key.as_str())))
}

/// The name of a member, borrowed from the input if it has no escapes. serde's implementation for
/// `Cow` always copies.
#[derive(Debug, Default)]
pub struct Key<'de>(pub Cow<'de, str>);

impl<'de> Key<'de> {
    /// Returns the name.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Passes the name to a seed, borrowed from the input if possible.
    #[inline]
    pub(crate) fn give<K: DeserializeSeed<'de>, E: Error>(&self, seed: K) -> Result<K::Value, E> {
        match &self.0 {
            Cow::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)),
            Cow::Owned(name) => seed.deserialize(name.as_str().into_deserializer()),
        }
    }

    /// Returns the name as a `String`. Copies it only if it is borrowed.
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
