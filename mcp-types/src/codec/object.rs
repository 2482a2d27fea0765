//! Decoding of structs from the members of an object.

use super::super::error::excerpt;
use super::declared::Table;
use super::members::Members;
use super::name::UNDECLARED;
use super::{Reader, Vacant};
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use std::fmt;

/// A struct that is decoded from the members of an object.
pub trait FromMembers<'de>: Vacant + Sized {
    /// What the type declares.
    const TABLE: Table;

    /// Decodes the current member, which has this number, into its field. The number
    /// `u8::MAX` stands for a member that the type does not declare. After the last member, when
    /// the reader has no current member, the arm for it runs its final checks.
    fn read_member<A: MapAccess<'de>>(
        &mut self,
        at: u8,
        reader: &mut Reader<'_, 'de, A>,
    ) -> Result<(), A::Error>;

    /// Decodes all members in the place of [`Vacant::VACANT`].
    #[inline]
    fn decode_members<A: MapAccess<'de>>(
        place: &mut Self,
        members: &mut Members<'de, A>,
    ) -> Result<(), A::Error> {
        // Called through a function pointer to reduce compile time; see `json::from_str`.
        let read: fn(&mut dyn Target<'de, A>, _, _) -> _ = read_members;
        read(place, &Self::TABLE, members)
    }
}

/// An object-safe form of [`FromMembers`] for one source of members.
trait Target<'de, A: MapAccess<'de>> {
    fn read_member(&mut self, at: u8, reader: &mut Reader<'_, 'de, A>) -> Result<(), A::Error>;
}

impl<'de, T: FromMembers<'de>, A: MapAccess<'de>> Target<'de, A> for T {
    #[inline]
    fn read_member(&mut self, at: u8, reader: &mut Reader<'_, 'de, A>) -> Result<(), A::Error> {
        FromMembers::read_member(self, at, reader)
    }
}

/// Decodes all members of any type. Takes a trait object so that it is compiled once for each
/// source of members and not once for each type.
fn read_members<'de, A: MapAccess<'de>>(
    target: &mut dyn Target<'de, A>,
    table: &'static Table,
    members: &mut Members<'de, A>,
) -> Result<(), A::Error> {
    let mut reader = Reader::new(members, table);
    while let Some(at) = reader.advance()? {
        target.read_member(at, &mut reader)?;
    }
    reader.demand()?;
    if reader.has_undeclared() {
        target.read_member(UNDECLARED, &mut reader)?;
    }
    Ok(())
}

/// Decodes an object. Rejects arrays, which derived decoders accept for structs.
#[inline]
pub fn read_object<'de, T: FromMembers<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    super::vacant::fill(|place| read_object_into(place, deserializer))
}

/// Decodes an object in the place of [`Vacant::VACANT`]. If it were returned through the layers of a
/// format, a large struct would be copied in each of them.
#[inline]
pub fn read_object_into<'de, T: FromMembers<'de>, D: Deserializer<'de>>(
    place: &mut T,
    deserializer: D,
) -> Result<(), D::Error> {
    struct ObjectVisitor<'a, T>(&'a mut T);

    impl<'de, T: FromMembers<'de>> Visitor<'de> for ObjectVisitor<'_, T> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            expect_object(f, T::TABLE.type_name)
        }

        #[inline]
        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
            read_members(self.0, &T::TABLE, &mut Members::new(members))
        }
    }

    deserializer.deserialize_map(ObjectVisitor(place))
}

/// Writes what was expected, for serde's type errors.
fn expect_object(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(f, "an object (`{name}`)")
}

/// Returns the error for an undeclared member of an object that allows none.
#[must_use]
pub fn unknown_member<E: Error>(name: &str) -> E {
    E::custom(format_args!("unknown member `{}`", excerpt(name)))
}
