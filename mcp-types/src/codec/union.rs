//! Unions: by kind of value, and objects by their tag.

use super::super::error::DecodeError;
use super::super::json::{self, NUMBER, hides_numbers};
use super::members::Members;
use super::{Key, Number, Object, Value};
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor,
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
    fn from_object<A: MapAccess<'de>>(members: Members<'de, A>) -> Result<Self, A::Error> {
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
        if !hides_numbers() {
            return T::from_object(Members::new(members));
        }
        let first = members.next_key::<Key<'de>>()?;
        if first.as_ref().is_some_and(|key| key.as_str() == NUMBER) {
            let digits = members.next_value::<String>()?;
            let number = digits
                .parse::<serde_json::Number>()
                .map_err(A::Error::custom)?;
            return T::from_number(number.into());
        }
        T::from_object(Members::after(first, members))
    }
}

/// A variant from JSON text.
pub fn from_text<T: DeserializeOwned, E: Error>(text: &str) -> Result<T, E> {
    json::from_str(text).map_err(E::custom)
}

/// A variant from a value that was read already: by its text, so that no type is compiled for
/// values, too.
pub fn from_part<T: DeserializeOwned, E: Error>(value: &Value) -> Result<T, E> {
    from_text(&value.to_string())
}

/// Decodes a variant.
pub type Attempt<T> = fn(&Value) -> Result<T, DecodeError>;

/// The first variant that accepts a value; the error of the first one if none does.
pub fn first_of<T, E: Error>(value: &Value, tries: &[Attempt<T>]) -> Result<T, E> {
    let mut first = None;
    for attempt in tries {
        match attempt(value) {
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

/// Where an object has its tag.
#[derive(Debug)]
pub enum Tagged<'de, A> {
    /// In front, as most writers have it: its text, and all members.
    First(Cow<'de, str>, Members<'de, A>),
    /// Behind others: the text of the same object with the tag in front.
    Later(String),
    /// Nowhere, or it is `null`: the text of the object.
    Absent(String),
}

/// Looks for the tag.
///
/// Where it comes first, nothing is put aside. Otherwise all members are read, as exact values,
/// and written in another order, to be decoded from there.
pub fn find_tag<'de, A: MapAccess<'de>>(
    mut members: Members<'de, A>,
    name: &'static str,
) -> Result<Tagged<'de, A>, A::Error> {
    let mut object = Object::new();
    while let Some(key) = members.next_key::<Key<'de>>()? {
        if object.is_empty() && key.as_str() == name {
            if let Some(Text(tag)) = members.next_value::<Option<Text<'de>>>()? {
                let members = members.again(name, tag.clone());
                return Ok(Tagged::First(tag, members));
            }
            // `null` is as good as absent, if the variant's decoder agrees.
            object.push(name, Value::Null);
        } else {
            object.push(key.as_str(), members.next_value::<Value>()?);
        }
    }
    if let Some(name) = object.duplicate() {
        return Err(A::Error::custom(format_args!("duplicate member `{name}`")));
    }
    match object.remove(name) {
        None | Some(Value::Null) => Ok(Tagged::Absent(object.to_string())),
        Some(tag) => {
            let members = std::iter::once((name.to_owned(), tag)).chain(object);
            Ok(Tagged::Later(members.collect::<Object>().to_string()))
        }
    }
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
