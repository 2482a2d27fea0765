//! Decodes the members of an object as the content of a variant.

use super::{FromAny, FromMembers, Members, from_map};
use serde::de::{Deserialize, MapAccess};

impl<'de, A: MapAccess<'de>> Members<'de, A> {
    /// Decodes a struct.
    #[inline]
    pub fn object<T: FromMembers<'de>>(self) -> Result<T, A::Error> {
        T::from_members(self)
    }

    /// Decodes a union.
    #[inline]
    pub fn union<T: FromAny<'de>>(self) -> Result<T, A::Error> {
        T::from_object(self)
    }

    /// Decodes any other type.
    #[inline]
    pub fn map<T: Deserialize<'de>>(self) -> Result<T, A::Error> {
        from_map(self)
    }
}
