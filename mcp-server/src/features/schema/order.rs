//! The order in which a type declares its fields, which its schema does not have: `schemars` sorts
//! members by name, unless its feature `preserve_order` is enabled.

use std::fmt;

use mcp_types::json::Map;
use serde::de::{self, DeserializeOwned, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Puts members that are named as fields of `T` into the order of the fields. Others come last.
pub(crate) fn as_declared<T: DeserializeOwned, V>(members: &mut Map<V>) {
    let mut rest = std::mem::take(members);
    for field in declared_fields::<T>() {
        if let Some(member) = rest.remove(field) {
            members.insert(field, member);
        }
    }
    for (name, member) in rest {
        members.insert(name, member);
    }
}

/// Returns the fields of a struct, in order. None for other types, and for structs with a flattened
/// field: they do not tell a deserializer what they have.
fn declared_fields<T: DeserializeOwned>() -> &'static [&'static str] {
    match T::deserialize(Probe) {
        Err(Probed(fields)) => fields,
        Ok(_) => &[],
    }
}

/// Has no value, and returns the fields of a struct as its error.
struct Probe;

#[derive(Debug)]
struct Probed(&'static [&'static str]);

impl fmt::Display for Probed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no value")
    }
}

impl std::error::Error for Probed {}

impl de::Error for Probed {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl<'de> Deserializer<'de> for Probe {
    type Error = Probed;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Probed> {
        Err(Probed(&[]))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Probed> {
        Err(Probed(fields))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Probed> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
