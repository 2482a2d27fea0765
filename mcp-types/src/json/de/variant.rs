//! Enums in serde's default representation: a name alone, or an object with one member.

use std::borrow::Cow;

use serde::de::value::StrDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};

use super::super::super::error::DecodeError;
use super::super::node::Entries;
use super::{Decoder, Result, deeper};

/// The value of the only member, and its name.
pub(super) struct Variant<'de> {
    name: Cow<'de, str>,
    value: Decoder<'de>,
}

/// An object that must have exactly one member.
pub(super) struct OneMember<'de> {
    pub(super) entries: Entries<'de>,
    /// The depth of the object, in containers around it.
    pub(super) depth: usize,
}

impl<'de> EnumAccess<'de> for OneMember<'de> {
    type Error = DecodeError;
    type Variant = Variant<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        mut self,
        seed: V,
    ) -> Result<(V::Value, Variant<'de>)> {
        let depth = deeper(self.depth)?;
        match (self.entries.next(), self.entries.next()) {
            (Some((name, node)), None) => {
                let deserializer = StrDeserializer::<DecodeError>::new(&name);
                let variant = seed.deserialize(deserializer)?;
                Ok((
                    variant,
                    Variant {
                        name,
                        value: Decoder { node, depth },
                    },
                ))
            }
            _ => Err(DecodeError::not_one_member()),
        }
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<()> {
        <()>::deserialize(self.value).map_err(|error| error.inside_member(self.name))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.value)
            .map_err(|error| error.inside_member(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value> {
        self.value
            .deserialize_seq(visitor)
            .map_err(|error| error.inside_member(self.name))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let value = self.value.deserialize_struct("", fields, visitor);
        value.map_err(|error| error.inside_member(self.name))
    }
}
