//! Unions: by kind of value, and objects by their tag.

use super::super::error::DecodeError;
use super::super::json::{NUMBER, hides_numbers};
use super::{Key, Number, Value};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Error, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, Visitor,
};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A union, read by the kind of JSON value that comes; a kind that no variant has is an error.
pub trait FromAny<'de>: Sized {
    /// Name of the type in the schema, for messages.
    const NAME: &'static str;

    /// From `null`.
    fn from_null<E: Error>() -> Result<Self, E> {
        Err(E::invalid_type(
            Unexpected::Other("null"),
            &Union::<Self>::NEW,
        ))
    }

    /// From a truth value.
    fn from_bool<E: Error>(value: bool) -> Result<Self, E> {
        Err(E::invalid_type(
            Unexpected::Bool(value),
            &Union::<Self>::NEW,
        ))
    }

    /// From a number.
    fn from_number<E: Error>(value: Number) -> Result<Self, E> {
        let _ = value;
        Err(E::invalid_type(
            Unexpected::Other("number"),
            &Union::<Self>::NEW,
        ))
    }

    /// From a string.
    fn from_string<E: Error>(value: String) -> Result<Self, E> {
        Err(E::invalid_type(
            Unexpected::Str(&value),
            &Union::<Self>::NEW,
        ))
    }

    /// From the elements of an array.
    fn from_array<A: SeqAccess<'de>>(items: A) -> Result<Self, A::Error> {
        drop(items);
        Err(A::Error::invalid_type(Unexpected::Seq, &Union::<Self>::NEW))
    }

    /// From the members of an object.
    fn from_object<A: MapAccess<'de>>(members: A) -> Result<Self, A::Error> {
        drop(members);
        Err(A::Error::invalid_type(Unexpected::Map, &Union::<Self>::NEW))
    }
}

/// Reads a union.
pub fn read_union<'de, T: FromAny<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(Union::<T>::NEW)
}

struct Union<T>(PhantomData<T>);

impl<T> Union<T> {
    const NEW: Self = Self(PhantomData);
}

impl<'de, T: FromAny<'de>> Visitor<'de> for Union<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of the forms of `{}`", T::NAME)
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        T::from_null()
    }

    fn visit_none<E: Error>(self) -> Result<T, E> {
        T::from_null()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<T, E> {
        T::from_bool(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<T, E> {
        T::from_number(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<T, E> {
        T::from_number(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<T, E> {
        match Number::from_f64(value) {
            Some(number) => T::from_number(number),
            None => Err(E::invalid_value(Unexpected::Float(value), &self)),
        }
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<T, E> {
        T::from_string(value.to_owned())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<T, E> {
        T::from_string(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<T, A::Error> {
        T::from_array(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
        let mut members = members;
        // One form of members for both cases: each form compiles all variants once more.
        if !hides_numbers() {
            let first = None;
            return T::from_object(Peeked { first, members });
        }
        let first = members.next_key::<Key<'de>>()?;
        if first.as_ref().is_some_and(|key| key.as_str() == NUMBER) {
            let digits = members.next_value::<String>()?;
            let number = digits
                .parse::<serde_json::Number>()
                .map_err(A::Error::custom)?;
            return T::from_number(number.into());
        }
        T::from_object(Peeked { first, members })
    }
}

/// Members of which the first name was looked at.
struct Peeked<'de, A> {
    first: Option<Key<'de>>,
    members: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Peeked<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(Key::Borrowed(name)) => seed
                .deserialize(BorrowedStrDeserializer::new(name))
                .map(Some),
            Some(Key::Owned(name)) => seed.deserialize(name.into_deserializer()).map(Some),
            None => self.members.next_key_seed(seed),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.members.next_value_seed(seed)
    }
}

/// A variant from a value that was read already.
pub fn from_part<T: DeserializeOwned, E: Error>(value: Value) -> Result<T, E> {
    super::super::json::from_value(value).map_err(E::custom)
}

/// Decodes a variant.
pub type Attempt<T> = fn(Value) -> Result<T, DecodeError>;

/// The first variant that accepts a value; the error of the first one if none does.
pub fn first_of<T, E: Error>(value: &Value, tries: &[Attempt<T>]) -> Result<T, E> {
    let mut first = None;
    for attempt in tries {
        match attempt(value.clone()) {
            Ok(variant) => return Ok(variant),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.map_or_else(|| E::custom("no form fits"), E::custom))
}

/// The elements of an array as a value.
pub fn array<'de, A: SeqAccess<'de>>(items: A) -> Result<Value, A::Error> {
    Value::deserialize(serde::de::value::SeqAccessDeserializer::new(items))
}

/// The tag, if there is one, and all members.
pub type Found<'de, A> = (Option<Cow<'de, str>>, Replay<'de, A>);

/// Reads members up to the tag.
///
/// Where the tag comes first, as most writers have it, nothing is put aside. Members before it
/// wait as exact values and are replayed to the variant's decoder, the tag with them.
pub fn find_tag<'de, A: MapAccess<'de>>(
    mut members: A,
    name: &'static str,
) -> Result<Found<'de, A>, A::Error> {
    let mut buffer = Vec::new();
    let mut tag = None;
    while let Some(key) = members.next_key::<Key<'de>>()? {
        if key.as_str() == name {
            match members.next_value::<Option<Text<'de>>>()? {
                Some(text) => {
                    tag = Some(text.0);
                    break;
                }
                // `null` is as good as absent, if the variant's decoder agrees.
                None => buffer.push((key, Value::Null)),
            }
            continue;
        }
        let value = members.next_value::<Value>()?;
        buffer.push((key, value));
    }
    let replay = Replay {
        tag: tag.clone().map(|tag| (name, tag)),
        buffer: buffer.into_iter(),
        value: Pending::None,
        rest: Some(members),
    };
    Ok((tag, replay))
}

/// The tag is missing.
#[must_use]
pub fn missing_tag<E: Error>(name: &'static str) -> E {
    E::missing_field(name)
}

/// The tag has a value that no variant has.
#[must_use]
pub fn unknown_tag<E: Error>(union: &'static str, name: &'static str, value: &str) -> E {
    let message = format!("`{value}` is no `{name}` of `{union}`");
    E::custom(DecodeError::data(message).inside_member(name))
}

/// A text, borrowed where it can be.
struct Text<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text)))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

/// The tag, the members that came before it, then the rest.
#[derive(Debug)]
pub struct Replay<'de, A> {
    tag: Option<(&'static str, Cow<'de, str>)>,
    buffer: std::vec::IntoIter<(Key<'de>, Value)>,
    value: Pending<'de>,
    rest: Option<A>,
}

#[derive(Debug)]
enum Pending<'de> {
    None,
    Tag(Cow<'de, str>),
    Value(String, Value),
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Replay<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        if let Some((name, tag)) = self.tag.take() {
            self.value = Pending::Tag(tag);
            return seed
                .deserialize(BorrowedStrDeserializer::new(name))
                .map(Some);
        }
        if let Some((key, value)) = self.buffer.next() {
            let result = match &key {
                Key::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)),
                Key::Owned(name) => seed.deserialize(name.as_str().into_deserializer()),
            };
            self.value = Pending::Value(key.into_string(), value);
            return result.map(Some);
        }
        match &mut self.rest {
            Some(rest) => rest.next_key_seed(seed),
            None => Ok(None),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        match std::mem::replace(&mut self.value, Pending::None) {
            Pending::Tag(tag) => seed.deserialize(Tag(tag, PhantomData)),
            Pending::Value(name, value) => seed
                .deserialize(value)
                .map_err(|error| A::Error::custom(error.inside_member(name))),
            Pending::None => match &mut self.rest {
                Some(rest) => rest.next_value_seed(seed),
                None => Err(A::Error::custom("a value was asked for before its name")),
            },
        }
    }
}

/// The tag's value, for a variant that checks it or, where it is optional, stores it.
struct Tag<'de, E>(Cow<'de, str>, PhantomData<E>);

impl<'de, E: Error> Deserializer<'de> for Tag<'de, E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.0 {
            Cow::Borrowed(tag) => visitor.visit_borrowed_str(tag),
            Cow::Owned(tag) => visitor.visit_string(tag),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_some(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
