//! Decodes the members of an object as the content of a variant, in place.

use super::{FromAny, FromMembers, Members, from_map};
use serde::de::{Deserialize, MapAccess};

impl<'de, A: MapAccess<'de>> Members<'de, A> {
    /// Decodes a struct.
    #[inline]
    pub fn object<T: FromMembers<'de>>(&mut self, place: &mut T) -> Result<(), A::Error> {
        T::decode_members(place, self)
    }

    /// Decodes a union.
    #[inline]
    pub fn union<T: FromAny<'de>>(&mut self, place: &mut T) -> Result<(), A::Error> {
        T::decode_members(place, self)
    }

    /// Decodes any other type.
    #[inline]
    pub fn map<T: Deserialize<'de>>(&mut self, place: &mut T) -> Result<(), A::Error> {
        *place = from_map(self)?;
        Ok(())
    }
}
