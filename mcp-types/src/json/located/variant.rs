//! Enums in serde's default representation. The path of a variant's content is the name of the
//! variant.

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, EnumAccess, VariantAccess, Visitor};

use super::super::super::codec::Key;
use super::{Located, Trail};

/// The variants, one of which is selected by its name.
pub(super) struct Variants<'a, 't, A> {
    access: A,
    trail: &'a mut Trail<'t>,
}

impl<'a, 't, A> Variants<'a, 't, A> {
    pub(super) fn new(access: A, trail: &'a mut Trail<'t>) -> Self {
        Self { access, trail }
    }
}

impl<'a, 't, 'de, A: EnumAccess<'de>> EnumAccess<'de> for Variants<'a, 't, A> {
    type Error = A::Error;
    type Variant = Content<'a, 't, 'de, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let (name, access) = self.access.variant::<Key<'de>>()?;
        let variant = seed.deserialize(StrDeserializer::new(name.as_str()))?;
        let trail = self.trail;
        Ok((
            variant,
            Content {
                access,
                name,
                trail,
            },
        ))
    }
}

/// The content of a variant.
pub(super) struct Content<'a, 't, 'de, A> {
    access: A,
    name: Key<'de>,
    trail: &'a mut Trail<'t>,
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Content<'_, '_, 'de, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        // There is no content, and a variant without content may be a name alone.
        self.access.unit_variant()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, A::Error> {
        let seed = Located::new(seed, &mut *self.trail);
        let value = self.access.newtype_variant_seed(seed);
        value.inspect_err(|_| self.trail.member(&self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = Located::new(visitor, &mut *self.trail);
        let value = self.access.tuple_variant(len, visitor);
        value.inspect_err(|_| self.trail.member(&self.name))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = Located::new(visitor, &mut *self.trail);
        let value = self.access.struct_variant(fields, visitor);
        value.inspect_err(|_| self.trail.member(&self.name))
    }
}
