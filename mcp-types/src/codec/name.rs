//! The names of members.

use super::super::json::text::MEMBER;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, VariantAccess,
    Visitor,
};
use std::borrow::Cow;
use std::fmt;

/// The name of a member of an object whose declared members are known.
#[derive(Debug)]
pub(super) enum MemberName<'de> {
    /// The index of a declared member.
    Declared(u8),
    /// The name of a member that is not declared.
    Other(Key<'de>),
}

/// Decodes the name of a member, given the names of the declared ones.
///
/// [`Text`](super::super::json::text::Text) compares the name with the declared ones itself, beginning
/// with the one that follows the previous member, and returns an index: peers write the members in the
/// same order nearly always.
#[derive(Clone, Copy)]
pub(super) struct NameIn(pub(super) &'static [&'static str]);

impl NameIn {
    /// Returns the index of a name if it is declared.
    fn find(self, name: Key<'_>) -> MemberName<'_> {
        let index = self.0.iter().position(|known| *known == name.as_str());
        match index.and_then(|index| u8::try_from(index).ok()) {
            Some(index) => MemberName::Declared(index),
            None => MemberName::Other(name),
        }
    }
}

impl<'de> DeserializeSeed<'de> for NameIn {
    type Value = MemberName<'de>;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_enum(MEMBER, self.0, self)
    }
}

impl<'de> Visitor<'de> for NameIn {
    type Value = MemberName<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    #[inline]
    fn visit_u8<E: Error>(self, index: u8) -> Result<MemberName<'de>, E> {
        Ok(MemberName::Declared(index))
    }

    #[inline]
    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<MemberName<'de>, E> {
        Ok(MemberName::Other(Key(Cow::Borrowed(name))))
    }

    fn visit_str<E>(self, name: &str) -> Result<MemberName<'de>, E> {
        Ok(self.find(Key(Cow::Owned(name.to_owned()))))
    }

    fn visit_string<E>(self, name: String) -> Result<MemberName<'de>, E> {
        Ok(self.find(Key(Cow::Owned(name))))
    }

    /// The name as another deserializer passes it.
    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<MemberName<'de>, A::Error> {
        let (name, content) = access.variant::<Key<'de>>()?;
        content.unit_variant()?;
        Ok(self.find(name))
    }
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
