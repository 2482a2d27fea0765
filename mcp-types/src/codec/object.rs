//! Objects: from members to a struct.

use super::members::Members;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;

/// A struct that is read from the members of an object.
pub trait FromMembers<'de>: Sized {
    /// Name of the type in the schema, for messages.
    const NAME: &'static str;

    /// Reads all members.
    fn from_members<A: MapAccess<'de>>(members: Members<'de, A>) -> Result<Self, A::Error>;
}

/// Reads an object. Arrays, which derived decoders take for structs, are refused.
#[inline]
pub fn read_object<'de, T: FromMembers<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    // The value is put in its place from inside: handed up through the layers of a format, a large
    // struct would be copied in each of them.
    struct ObjectVisitor<'a, T>(&'a mut Option<T>);

    impl<'de, T: FromMembers<'de>> Visitor<'de> for ObjectVisitor<'_, T> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            expect_object(f, T::NAME)
        }

        #[inline]
        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
            *self.0 = Some(T::from_members(Members::new(members))?);
            Ok(())
        }
    }

    let mut value = None;
    deserializer.deserialize_map(ObjectVisitor(&mut value))?;
    match value {
        Some(value) => Ok(value),
        None => Err(D::Error::custom("an object without members or end")),
    }
}

/// What is expected in place of something else.
fn expect_object(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(f, "an object (`{name}`)")
}

/// Refuses a member of an object that allows no others.
#[must_use]
pub fn unknown_member<E: Error>(key: &Key<'_>) -> E {
    E::custom(format_args!("unknown member `{}`", key.as_str()))
}

/// The name of a member, borrowed from the input where it stands there as it is.
#[derive(Debug)]
pub enum Key<'de> {
    /// A part of the input.
    Borrowed(&'de str),
    /// A name that was written with escapes, or that another format owns.
    Owned(String),
}

impl Key<'_> {
    /// The name.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Borrowed(name) => name,
            Self::Owned(name) => name,
        }
    }

    /// The name, copied only if it is borrowed.
    #[must_use]
    pub fn into_string(self) -> String {
        match self {
            Self::Borrowed(name) => name.to_owned(),
            Self::Owned(name) => name,
        }
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
                Ok(Key::Borrowed(name))
            }

            fn visit_str<E>(self, name: &str) -> Result<Key<'de>, E> {
                Ok(Key::Owned(name.to_owned()))
            }

            fn visit_string<E>(self, name: String) -> Result<Key<'de>, E> {
                Ok(Key::Owned(name))
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}
