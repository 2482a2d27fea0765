//! Decoding of values in one pass, with exact numbers and without duplicate members.

use std::fmt;
use std::marker::PhantomData;

use lean_string::LeanString;

use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, Visitor,
};

use super::super::error::excerpt;
use super::grow;
use super::names;
use super::number::arbitrary_precision;
use super::object::{Member, mark};
use super::text::EXACT;
use super::{Map, Number, Object, Value};

/// The member name by which `serde_json` passes a number as its digits to visitors of any type,
/// when `arbitrary_precision` is enabled.
pub(crate) const NUMBER: &str = "$serde_json::private::Number";

/// Decodes any value. `UNIQUE` decides whether a duplicate member is an error or is kept.
#[derive(Clone, Copy)]
pub(super) struct Reader<const UNIQUE: bool>;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(EXACT, Reader::<true>)
    }
}

impl<'de, const UNIQUE: bool> DeserializeSeed<'de> for Reader<UNIQUE> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_newtype_struct(EXACT, self)
    }
}

impl<'de, const UNIQUE: bool> Visitor<'de> for Reader<UNIQUE> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    #[inline]
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    #[inline]
    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_newtype_struct(EXACT, self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Value, D::Error> {
        inner.deserialize_any(self)
    }

    #[inline]
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    #[inline]
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    #[inline]
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Number(Number::from(value)))
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Value, E> {
        Ok(Value::Number(Number::from(value)))
    }

    #[inline]
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("number out of range"))
    }

    #[inline]
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    #[inline]
    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    /// The digits of a number that no other method passes exactly.
    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        Number::from_variant(access).map(Value::Number)
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let Some(first) = access.next_element_seed(Self)? else {
            return Ok(Value::Array(Vec::new()));
        };
        let Some(second) = access.next_element_seed(Self)? else {
            return Ok(Value::Array(vec![first]));
        };
        let mut elements = grow::pair(first, second);
        while let Some(element) = access.next_element_seed(Self)? {
            grow::push(&mut elements, element, access.size_hint());
        }
        grow::settle_elements(&mut elements);
        Ok(Value::Array(elements))
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut names = Names::default();
        let object = Object::read(&mut access, Self, &mut names)?;
        if let Some(number) = private_number(&object) {
            return Ok(Value::Number(number));
        }
        if UNIQUE {
            names.expect_unique(&object)?;
        }
        Ok(Value::Object(object))
    }
}

/// Returns the error for a duplicate member.
#[cold]
fn duplicate<E: de::Error>(name: &str) -> E {
    E::custom(format_args!("duplicate member `{}`", excerpt(name)))
}

/// Returns the number that `serde_json` passes as an object with the private name as its only
/// member.
///
/// A document with exactly such an object cannot be distinguished from the number; the same is true
/// for `serde_json`. Any other object stays an object.
#[inline]
fn private_number(object: &Object) -> Option<Number> {
    if object.len() != 1 || !arbitrary_precision() {
        return None;
    }
    Number::from_digits(object.get(NUMBER)?.as_str()?).ok()
}

impl<V> Map<V> {
    /// Reads all members. Duplicates are left to [`Names::expect_unique`].
    #[inline]
    fn read<'de, A, S>(access: &mut A, seed: S, names: &mut Names<'de>) -> Result<Self, A::Error>
    where
        A: MapAccess<'de>,
        S: DeserializeSeed<'de, Value = V> + Copy,
    {
        let Some(()) = access.next_key_seed(&mut *names)? else {
            return Ok(Self::new());
        };
        let value = access.next_value_seed(seed)?;
        let name = names.take();
        let first = Member { name, value };
        let Some(()) = access.next_key_seed(&mut *names)? else {
            return Ok(Self::from_members(vec![first]));
        };
        // Allocates for several members only if there are at least two.
        let mut members = grow::for_members();
        members.push(first);
        let value = access.next_value_seed(seed)?;
        let name = names.take();
        members.push(Member { name, value });
        while let Some(()) = access.next_key_seed(&mut *names)? {
            let value = access.next_value_seed(seed)?;
            let name = names.take();
            grow::push(&mut members, Member { name, value }, None);
        }
        grow::settle_members(&mut members);
        Ok(Self::from_members(members))
    }
}

/// Decodes the names of an object, and notes whether one may have occurred twice.
///
/// A name is decoded in this place, and stored when its value is known, because both are moved less often
/// in this way.
#[derive(Default)]
struct Names<'de> {
    /// The last name, if it is borrowed from the input.
    borrowed: &'de str,
    /// The last name, if it is not.
    copied: Option<LeanString>,
    /// The marks of the names.
    seen: u64,
    is_suspect: bool,
}

impl Names<'_> {
    /// Returns the last name.
    #[inline]
    fn take(&mut self) -> LeanString {
        match self.copied.take() {
            Some(name) => name,
            None => names::stored(self.borrowed),
        }
    }

    /// Notes the mark of a name.
    #[inline]
    fn note(&mut self, name: &str) {
        let mark = mark(name);
        self.is_suspect |= self.seen & mark != 0;
        self.seen |= mark;
    }

    /// Fails if an object with these names has one of them twice.
    #[inline]
    fn expect_unique<V, E: de::Error>(&self, object: &Map<V>) -> Result<(), E> {
        if self.is_suspect
            && let Some(name) = object.duplicate()
        {
            return Err(duplicate(name));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for &mut Names<'de> {
    type Value = ();

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for &mut Names<'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    #[inline]
    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<(), E> {
        self.note(name);
        self.borrowed = name;
        Ok(())
    }

    fn visit_str<E>(self, name: &str) -> Result<(), E> {
        self.note(name);
        self.copied = Some(names::stored(name));
        Ok(())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Map<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MapVisitor<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for MapVisitor<V> {
            type Value = Map<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Map<V>, A::Error> {
                let mut names = Names::default();
                let map = Map::read(&mut access, PhantomData::<V>, &mut names)?;
                names.expect_unique(&map)?;
                Ok(map)
            }
        }

        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}
