//! Unions of structs that share most of their members: decoded in one pass, whatever the order of the
//! members.

use super::super::json::text::{Later, UNION};
use super::union::KnownObject;
use super::{Extra, FromAny, FromMembers, Key, read_object_into};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, SeqAccess, VariantAccess,
    Visitor,
};
use std::fmt;
use std::marker::PhantomData;

/// A struct with the members of all structs in a union, each of them optional.
///
/// The variant of an object is known when all its members are, and no member need be searched before.
pub trait Merged<'de>: FromMembers<'de> {
    /// The union.
    type Union: FromAny<'de>;

    /// Returns the first variant whose required members are present.
    ///
    /// Returns `None` if no variant has all its required members, or if the variant does not declare every
    /// member that is present.
    fn into_union(self) -> Option<Self::Union>;
}

/// The members that a merged struct does not declare.
#[derive(Debug)]
pub struct Undeclared<'de> {
    /// The members.
    pub members: Extra,
    /// All merged structs have a lifetime, although some of them borrow nothing.
    text: PhantomData<&'de str>,
}

impl Undeclared<'_> {
    /// No members.
    pub const NONE: Self = Self {
        members: Extra::new(),
        text: PhantomData,
    };
}

/// Returns the value of a field as it is.
#[inline]
#[must_use]
pub fn some<T>(value: Option<T>) -> Option<Option<T>> {
    Some(value)
}

/// Decodes the value of a field whose type differs between the variants. Returns `None` if it is not valid.
#[inline]
#[must_use]
pub fn later<T: DeserializeOwned>(value: Option<Later<'_>>) -> Option<Option<T>> {
    match value {
        Some(value) => value.read().map(Some),
        None => Some(None),
    }
}

/// Decodes an object whose text is known in place: first as the merged struct, and if that fails, by way
/// of [`FromAny::decode_members`]. So all errors are those of the latter.
pub fn read_merged<'de, M: Merged<'de>, V: VariantAccess<'de>>(
    place: &mut M::Union,
    text: &'de str,
    content: V,
) -> Result<(), V::Error> {
    content.tuple_variant(2, Attempts::<M> { place, text })
}

/// Decodes one object up to two times.
struct Attempts<'a, 'de, M: Merged<'de>> {
    place: &'a mut M::Union,
    /// The text from the object on.
    text: &'de str,
}

impl<'de, M: Merged<'de>> Visitor<'de> for Attempts<'_, 'de, M> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object, twice")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut objects: A) -> Result<(), A::Error> {
        if let Some(union) = first_attempt::<M, A>(&mut objects) {
            *self.place = union;
            return Ok(());
        }
        let again = Again(self.text, self.place);
        match objects.next_element_seed(again)? {
            Some(()) => Ok(()),
            None => Err(A::Error::custom("expected an object a second time")),
        }
    }
}

/// Decodes an object as the merged struct. What was decoded in vain is dropped before the next attempt.
#[inline]
fn first_attempt<'de, M: Merged<'de>, A: SeqAccess<'de>>(objects: &mut A) -> Option<M::Union> {
    let mut merged = M::VACANT;
    objects.next_element_seed(Members(&mut merged)).ok()??;
    merged.into_union()
}

/// Decodes an object as the merged struct.
struct Members<'a, M>(&'a mut M);

impl<'de, M: FromMembers<'de>> DeserializeSeed<'de> for Members<'_, M> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        read_object_into(self.0, deserializer)
    }
}

/// Decodes an object whose text is known as a union.
struct Again<'a, 'de, T>(&'de str, &'a mut T);

impl<'de, T: FromAny<'de>> DeserializeSeed<'de> for Again<'_, 'de, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_newtype_struct(UNION, self)
    }
}

impl<'de, T: FromAny<'de>> Visitor<'de> for Again<'_, 'de, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        let (_, content) = access.variant::<Key<'de>>()?;
        content.struct_variant(&[], KnownObject(self.0, self.1))
    }
}
