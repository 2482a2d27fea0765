//! [`Raw`]: the text of any value, borrowed from the input if possible.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::super::codec::{Key, Members};
use super::Value;
use super::de::RAW;
use super::read::Reader;

/// The JSON text of a value: borrowed from the input if that is JSON text, encoded again from any
/// other format.
#[derive(Debug)]
pub(crate) struct Raw<'de>(Cow<'de, str>);

impl<'de> Raw<'de> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text if it is borrowed from the input.
    pub(crate) fn lent(&self) -> Option<&'de str> {
        match self.0 {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        }
    }
}

impl From<Value> for Raw<'_> {
    fn from(value: Value) -> Self {
        Self(Cow::Owned(value.to_string()))
    }
}

impl<'de> Deserialize<'de> for Raw<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, RawVisitor)
    }
}

struct RawVisitor;

/// Methods for scalars, which formats other than JSON text pass unchanged.
macro_rules! scalars {
    ($($method:ident($kind:ty))*) => {$(
        fn $method<E: Error>(self, value: $kind) -> Result<Raw<'de>, E> {
            Reader::<true>.$method(value).map(Raw::from)
        }
    )*};
}

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    scalars! {
        visit_bool(bool)
        visit_i64(i64) visit_u64(u64) visit_i128(i128) visit_u128(u128) visit_f64(f64)
        visit_str(&str) visit_string(String)
    }

    fn visit_unit<E: Error>(self) -> Result<Raw<'de>, E> {
        Ok(Value::Null.into())
    }

    fn visit_none<E: Error>(self) -> Result<Raw<'de>, E> {
        Ok(Value::Null.into())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw<'de>, D::Error> {
        Value::deserialize(deserializer).map(Raw::from)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Raw<'de>, D::Error> {
        Value::deserialize(deserializer).map(Raw::from)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<Raw<'de>, A::Error> {
        Reader::<true>.visit_seq(access).map(Raw::from)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw<'de>, A::Error> {
        let first = access.next_key::<Key<'de>>()?;
        if first.as_ref().is_some_and(|name| name.as_str() == RAW) {
            let text = access.next_value::<Key<'de>>()?;
            return Ok(Raw(text.0));
        }
        let members = MapAccessDeserializer::new(Members::after(first, access));
        Value::deserialize(members).map(Raw::from)
    }
}
