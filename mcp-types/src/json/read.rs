//! Decoding of [`Map`] through `serde`, with members of any type.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::super::error::DecodeError;
use super::{Key, Map};

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Map<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MapVisitor<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for MapVisitor<V> {
            type Value = Map<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Map<V>, A::Error> {
                let mut map = Map::new();
                while let Some(name) = access.next_key::<Key<'de>>()? {
                    map.push(name.as_str(), access.next_value()?);
                }
                map.settle();
                match map.duplicate() {
                    Some(name) => Err(A::Error::custom(DecodeError::duplicate_member(name))),
                    None => Ok(map),
                }
            }
        }

        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}
