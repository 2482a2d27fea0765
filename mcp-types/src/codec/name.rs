//! The names of members.

use super::super::json::text::MEMBER;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, VariantAccess,
    Visitor,
};
use std::borrow::Cow;
use std::fmt;

/// Stands for the name of a member that is not declared.
pub(super) const UNDECLARED: u8 = u8::MAX;

/// Decodes the name of a member, given the names of the declared ones, as an index. Any other name is
/// stored, and [`UNDECLARED`] is returned.
///
/// [`Text`](super::super::json::text::Text) compares the name with the declared ones itself, beginning
/// with the one that follows the previous member, and returns an index: peers write the members in the
/// same order nearly always.
pub(super) struct NameIn<'a, 'de> {
    pub(super) names: &'static [&'static str],
    pub(super) other: &'a mut Key<'de>,
}

impl<'de> NameIn<'_, 'de> {
    /// Returns the index of a name if it is declared, and stores it otherwise.
    fn find(self, name: Key<'de>) -> u8 {
        let index = self.names.iter().position(|known| *known == name.as_str());
        if let Some(index) = index.and_then(|index| u8::try_from(index).ok()) {
            return index;
        }
        *self.other = name;
        UNDECLARED
    }
}

impl<'de> DeserializeSeed<'de> for NameIn<'_, 'de> {
    type Value = u8;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u8, D::Error> {
        deserializer.deserialize_enum(MEMBER, self.names, self)
    }
}

impl<'de> Visitor<'de> for NameIn<'_, 'de> {
    type Value = u8;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    #[inline]
    fn visit_u8<E: Error>(self, index: u8) -> Result<u8, E> {
        Ok(index)
    }

    #[inline]
    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<u8, E> {
        *self.other = Key(Cow::Borrowed(name));
        Ok(UNDECLARED)
    }

    fn visit_str<E>(self, name: &str) -> Result<u8, E> {
        Ok(self.find(Key(Cow::Owned(name.to_owned()))))
    }

    fn visit_string<E>(self, name: String) -> Result<u8, E> {
        Ok(self.find(Key(Cow::Owned(name))))
    }

    /// The name as another deserializer passes it.
    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<u8, A::Error> {
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
