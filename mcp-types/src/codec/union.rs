//! Unions: by kind of value, and objects by their tag.

use super::super::error::{DecodeError, excerpt};
use super::super::json::{self, NUMBER, Raw, hides_numbers};
use super::members::Members;
use super::{Key, Number};
use serde::de::{DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
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
            Unexpected::Str(&excerpt(&value)),
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

/// What is expected in place of something else.
fn expect_forms(f: &mut fmt::Formatter<'_>, union: &str) -> fmt::Result {
    write!(f, "one of the forms of `{union}`")
}

struct Union<T>(PhantomData<T>);

impl<T> Union<T> {
    const NEW: Self = Self(PhantomData);
}

impl<'de, T: FromAny<'de>> Visitor<'de> for Union<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        expect_forms(f, T::NAME)
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
pub fn from_part<T: DeserializeOwned, E: Error>(
    value: &(impl fmt::Display + ?Sized),
) -> Result<T, E> {
    from_text(&value.to_string())
}

/// Decodes a variant from its text.
pub type Attempt<T> = fn(&str) -> Result<T, DecodeError>;

/// The first variant that accepts a text; the error of the first one if none does.
pub fn first_of<T, E: Error>(text: &str, tries: &[Attempt<T>]) -> Result<T, E> {
    let mut first = None;
    for attempt in tries {
        match attempt(text) {
            Ok(variant) => return Ok(variant),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.map_or_else(|| E::custom("no form fits"), E::custom))
}

/// The text of an array.
pub fn array<'de, A: SeqAccess<'de>>(mut items: A) -> Result<String, A::Error> {
    let mut text = String::from("[");
    while let Some(item) = items.next_element::<Raw<'de>>()? {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(item.as_str());
    }
    text.push(']');
    Ok(text)
}

/// Where an object has its tag.
#[derive(Debug)]
pub enum Tagged<'de, A> {
    /// In front, as most writers have it: the tag, and all members.
    First(Key<'de>, Members<'de, A>),
    /// Behind others, or in a format that cannot lend it: JSON text of the same object with the
    /// tag in front.
    Later(String),
    /// Nowhere, or it is `null`: JSON text of the object.
    Absent(String),
}

/// Looks for the tag.
///
/// Where it comes first, nothing is put aside. Otherwise the texts of all members are put in
/// another order, to be decoded from there.
pub fn find_tag<'de, A: MapAccess<'de>>(
    mut members: Members<'de, A>,
    name: &'static str,
) -> Result<Tagged<'de, A>, A::Error> {
    // Through pointers, as `from_str` does it, and for the same reason.
    let (read, arrange): (fn(_) -> _, fn(_, _) -> _) = (serde_json::from_str::<Key<'_>>, arrange);
    let mut waiting = Vec::new();
    while let Some(key) = members.next_key::<Key<'de>>()? {
        let value = members.next_value::<Raw<'de>>()?;
        if waiting.is_empty()
            && key.as_str() == name
            && let Some(text) = value.lent()
            && let Ok(tag) = read(text)
        {
            return Ok(Tagged::First(tag, members.again(name, text)));
        }
        waiting.push((key, value));
    }
    arrange(waiting, name).map_err(A::Error::custom)
}

/// Puts the tag in front.
fn arrange<'de, A>(
    mut members: Vec<(Key<'de>, Raw<'de>)>,
    name: &'static str,
) -> Result<Tagged<'de, A>, DecodeError> {
    let mut tags = (0..)
        .zip(&members)
        .filter(|(_, (key, _))| key.as_str() == name);
    let (tag, again) = (tags.next(), tags.next().is_some());
    if again {
        // Other members that stand twice are the variant's to refuse.
        return Err(DecodeError::duplicate_field(name));
    }
    match tag {
        Some((at, (_, tag))) if tag.as_str() != "null" => {
            if !tag.as_str().starts_with('"') {
                let tag = json::from_str(tag.as_str())?;
                return Err(json::unfit(&tag, &"a string").inside_member(name));
            }
            // What cannot be read where it stands, such as one half of a surrogate pair, cannot be
            // read in front either: it would be put there again and again.
            if json::from_str::<String>(tag.as_str()).is_err() {
                return Err(DecodeError::data("the text is no Unicode").inside_member(name));
            }
            members[..=at].rotate_right(1);
            Ok(Tagged::Later(object(&members)?))
        }
        _ => Ok(Tagged::Absent(object(&members)?)),
    }
}

/// The text of an object.
fn object(members: &[(Key<'_>, Raw<'_>)]) -> Result<String, DecodeError> {
    let mut text = String::from("{");
    for (at, (name, value)) in members.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(&json::to_string(name.as_str())?);
        text.push(':');
        text.push_str(value.as_str());
    }
    text.push('}');
    Ok(text)
}

/// The tag is missing.
#[must_use]
pub fn missing_tag<E: Error>(name: &'static str) -> E {
    E::missing_field(name)
}

/// The tag has a value that no variant has.
#[must_use]
pub fn unknown_tag<E: Error>(union: &'static str, name: &'static str, value: &str) -> E {
    let value = excerpt(value);
    let message = format!("`{value}` is no `{name}` of `{union}`");
    E::custom(DecodeError::data(message).inside_member(name))
}
