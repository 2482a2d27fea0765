//! Decoding of a value in its place, so that it is not moved through the layers of a format.

use std::fmt;

use serde::de::{Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor};

use super::Value;
use super::read::Reader;
use super::text::EXACT;

/// Decodes any value and stores it.
#[inline]
pub(crate) fn read_into<'de, D: Deserializer<'de>>(
    place: &mut Value,
    deserializer: D,
) -> Result<(), D::Error> {
    deserializer.deserialize_newtype_struct(EXACT, Place(place))
}

/// Stores what [`Reader`] returns.
struct Place<'a>(&'a mut Value);

impl Place<'_> {
    const READER: Reader<true> = Reader;

    #[inline]
    fn store<E>(self, value: Result<Value, E>) -> Result<(), E> {
        *self.0 = value?;
        Ok(())
    }
}

/// Methods for values without parts.
macro_rules! visit {
    ($($method:ident($($value:ident: $kind:ty)?);)*) => {$(
        #[inline]
        fn $method<E: Error>(self $(, $value: $kind)?) -> Result<(), E> {
            self.store(Self::READER.$method($($value)?))
        }
    )*};
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::READER.expecting(f)
    }

    visit! {
        visit_unit();
        visit_none();
        visit_bool(value: bool);
        visit_i64(value: i64);
        visit_u64(value: u64);
        visit_i128(value: i128);
        visit_u128(value: u128);
        visit_f64(value: f64);
        visit_str(value: &str);
        visit_string(value: String);
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        read_into(self.0, deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        inner.deserialize_any(self)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        self.store(Self::READER.visit_enum(access))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        self.store(Self::READER.visit_seq(access))
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        self.store(Self::READER.visit_map(access))
    }
}
