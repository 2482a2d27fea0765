//! Unions whose variant is selected by the kind of the JSON value, or by the tag of an object.

use super::super::error::{DecodeError, excerpt};
use super::super::json::text::UNION;
use super::super::json::{self, NUMBER, Raw, hides_numbers};
use super::members::Members;
use super::retry::{again, is_exhausted};
use super::{Key, Number, Vacant};
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, EnumAccess, Error, Expected, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A union that is decoded by the kind of the JSON value. A kind that no variant accepts is an
/// error.
pub trait FromAny<'de>: Sized {
    /// The name of the type in the schema, for error messages.
    const NAME: &'static str;

    /// Decodes `null`.
    fn from_null<E: Error>() -> Result<Self, E> {
        Err(E::invalid_type(
            Unexpected::Other("null"),
            &Forms::<Self>::NEW,
        ))
    }

    /// Decodes a boolean.
    fn from_bool<E: Error>(value: bool) -> Result<Self, E> {
        Err(E::invalid_type(
            Unexpected::Bool(value),
            &Forms::<Self>::NEW,
        ))
    }

    /// Decodes a number.
    fn from_number<E: Error>(value: Number) -> Result<Self, E> {
        let _ = value;
        Err(E::invalid_type(
            Unexpected::Other("number"),
            &Forms::<Self>::NEW,
        ))
    }

    /// Decodes a string.
    fn from_string<E: Error>(value: String) -> Result<Self, E> {
        Err(E::invalid_type(
            Unexpected::Str(&excerpt(&value)),
            &Forms::<Self>::NEW,
        ))
    }

    /// Decodes the elements of an array.
    fn from_array<A: SeqAccess<'de>>(items: A) -> Result<Self, A::Error> {
        drop(items);
        Err(A::Error::invalid_type(Unexpected::Seq, &Forms::<Self>::NEW))
    }

    /// Decodes the members of an object in place.
    fn decode_members<A: MapAccess<'de>>(
        place: &mut Self,
        members: &mut Members<'de, A>,
    ) -> Result<(), A::Error> {
        let _ = (place, members);
        Err(A::Error::invalid_type(Unexpected::Map, &Forms::<Self>::NEW))
    }

    /// Decodes an object in place, given the text from it on and its members as a struct variant.
    fn decode_known<V: VariantAccess<'de>>(
        place: &mut Self,
        text: &'de str,
        content: V,
    ) -> Result<(), V::Error> {
        content.struct_variant(&[], KnownObject(text, place))
    }
}

/// Decodes a union.
#[inline]
pub fn read_union<'de, T: FromAny<'de> + Vacant, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    super::vacant::fill(|place| read_union_into(place, deserializer))
}

/// Decodes a union in the place of [`Vacant::VACANT`]. If it were returned through the layers of a
/// format, a large variant would be copied in each of them.
#[inline]
pub fn read_union_into<'de, T: FromAny<'de>, D: Deserializer<'de>>(
    place: &mut T,
    deserializer: D,
) -> Result<(), D::Error> {
    deserializer.deserialize_newtype_struct(UNION, Union(place))
}

/// What a union expects, for serde's type errors.
struct Forms<T>(PhantomData<T>);

impl<T> Forms<T> {
    const NEW: Self = Self(PhantomData);
}

impl<'de, T: FromAny<'de>> Expected for Forms<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of the variants of `{}`", T::NAME)
    }
}

/// Decodes any value into its place.
struct Union<'a, T>(&'a mut T);

impl<T> Union<'_, T> {
    #[inline]
    fn store<E>(self, value: Result<T, E>) -> Result<(), E> {
        *self.0 = value?;
        Ok(())
    }
}

impl<'de, T: FromAny<'de>> Visitor<'de> for Union<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Forms::<T>::NEW.fmt(f)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.store(T::from_null())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.store(T::from_null())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_newtype_struct(UNION, self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<(), D::Error> {
        inner.deserialize_any(self)
    }

    /// A number with its digits, or an object with its text.
    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<(), A::Error> {
        let (text, content) = access.variant::<Key<'de>>()?;
        match text.0 {
            Cow::Borrowed(text) if text.starts_with('{') => T::decode_known(self.0, text, content),
            digits => {
                let number = Number::from_digits(&digits).map_err(A::Error::custom)?;
                self.store(T::from_number(number))
            }
        }
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.store(T::from_bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.store(T::from_number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.store(T::from_number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        match Number::from_f64(value) {
            Some(number) => self.store(T::from_number(number)),
            None => Err(E::invalid_value(Unexpected::Float(value), &self)),
        }
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.store(T::from_string(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<(), E> {
        self.store(T::from_string(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        self.store(T::from_array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        let mut members = members;
        if !hides_numbers() {
            return T::decode_members(self.0, &mut Members::new(members));
        }
        let first = members.next_key::<Key<'de>>()?;
        if first.as_ref().is_some_and(|key| key.as_str() == NUMBER) {
            let digits = members.next_value::<String>()?;
            let number = Number::from_digits(&digits).map_err(A::Error::custom)?;
            return self.store(T::from_number(number));
        }
        T::decode_members(self.0, &mut Members::after(first, members))
    }
}

/// Decodes an object whose text is known into its place.
pub(super) struct KnownObject<'a, 'de, T>(pub(super) &'de str, pub(super) &'a mut T);

impl<'de, T: FromAny<'de>> Visitor<'de> for KnownObject<'_, 'de, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Forms::<T>::NEW.fmt(f)
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        T::decode_members(self.1, &mut Members::of(self.0, members))
    }
}

/// Decodes a variant that is neither a struct nor a union from members.
pub fn from_map<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    members: &mut Members<'de, A>,
) -> Result<T, A::Error> {
    T::deserialize(MapAccessDeserializer::new(members))
}

/// Decodes a variant from JSON text.
pub fn from_text<T: DeserializeOwned, E: Error>(text: &str) -> Result<T, E> {
    json::from_str(text).map_err(E::custom)
}

/// Decodes a variant from a value that was already parsed. It goes through the text of the value,
/// so that the type is not compiled for a second deserializer.
pub fn from_part<T: DeserializeOwned, E: Error>(
    value: &(impl fmt::Display + ?Sized),
) -> Result<T, E> {
    from_text(&value.to_string())
}

/// Decodes a variant from its text.
pub type Attempt<T> = fn(&str) -> Result<T, DecodeError>;

/// Returns the first variant that accepts a text, or the error of the first one if none does.
pub fn first_of<T, E: Error>(text: &str, tries: &[Attempt<T>]) -> Result<T, E> {
    let mut first = None;
    for attempt in tries {
        match again(text.len(), || attempt(text)) {
            Ok(variant) => return Ok(variant),
            Err(error) if is_exhausted() => return Err(E::custom(error)),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.map_or_else(|| E::custom("the value matches no variant"), E::custom))
}

/// Returns the JSON text of an array.
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

/// The position of the tag in an object.
#[derive(Debug)]
pub enum Tagged<'de> {
    /// The tag, and no member was read: the tag is the first one, as most encoders write it, or the text of
    /// the object is known.
    Found(Key<'de>),
    /// The tag is missing or `null`, and no member was read.
    Missing,
    /// The tag follows other members, or the format cannot lend its text: JSON text of the same
    /// object with the tag in front.
    Later(String),
    /// The tag is missing or `null`: JSON text of the object.
    Absent(String),
}

/// Finds the tag of an object.
///
/// If the text of the object is known, or if the tag is the first member, nothing is buffered.
/// Otherwise the texts of all members are reordered, and the object is decoded from the new text.
pub fn find_tag<'de, A: MapAccess<'de>>(
    members: &mut Members<'de, A>,
    name: &'static str,
) -> Result<Tagged<'de>, A::Error> {
    if let Some(text) = members.text() {
        return Ok(match tag_in(text, name).map_err(A::Error::custom)? {
            Some(tag) => Tagged::Found(tag),
            None => Tagged::Missing,
        });
    }
    // Called through function pointers to reduce compile time; see `json::from_str`.
    let (read, arrange): (fn(_) -> _, fn(_, _) -> _) = (serde_json::from_str::<Key<'_>>, arrange);
    let mut waiting = Vec::new();
    while let Some(key) = members.next_key::<Key<'de>>()? {
        let value = members.next_value::<Raw<'de>>()?;
        if waiting.is_empty()
            && key.as_str() == name
            && let Some(text) = value.lent()
            && let Ok(tag) = read(text)
        {
            members.again(name, text);
            return Ok(Tagged::Found(tag));
        }
        waiting.push((key, value));
    }
    arrange(waiting, name).map_err(A::Error::custom)
}

/// Finds the tag in the text of an object. Returns `None` if it is missing or `null`.
#[inline]
fn tag_in<'de>(text: &'de str, tag: &'static str) -> Result<Option<Key<'de>>, DecodeError> {
    // Nearly all messages have at most strings and integers before their tag.
    match json::text::early_string(text, tag) {
        Some(value) => Ok(Some(Key(Cow::Borrowed(value)))),
        None => search_tag(text, tag),
    }
}

#[inline(never)]
fn search_tag<'de>(text: &'de str, tag: &'static str) -> Result<Option<Key<'de>>, DecodeError> {
    let mut members = json::text::Lookahead::new(text);
    while let Some(name) = members.name()? {
        if name != tag {
            members.value()?;
        } else if let Some(value) = members.string().map_err(|error| error.inside_member(tag))? {
            return Ok(Some(Key(value)));
        } else {
            let value = members.value()?;
            if value == "null" {
                return Ok(None);
            }
            let value = json::from_str(value)?;
            return Err(json::unfit(&value, &"a string").inside_member(tag));
        }
    }
    Ok(None)
}

/// Moves the tag to the front.
fn arrange<'de>(
    mut members: Vec<(Key<'de>, Raw<'de>)>,
    name: &'static str,
) -> Result<Tagged<'de>, DecodeError> {
    let mut tags = (0..)
        .zip(&members)
        .filter(|(_, (key, _))| key.as_str() == name);
    let (tag, again) = (tags.next(), tags.next().is_some());
    if again {
        // Other duplicate members are rejected by the decoder of the variant.
        return Err(DecodeError::duplicate_field(name));
    }
    match tag {
        Some((at, (_, tag))) if tag.as_str() != "null" => {
            if !tag.as_str().starts_with('"') {
                let tag = json::from_str(tag.as_str())?;
                return Err(json::unfit(&tag, &"a string").inside_member(name));
            }
            // A string that cannot be decoded here, such as one half of a surrogate pair, cannot be
            // decoded at the front either: it would be moved to the front again and again.
            if json::from_str::<String>(tag.as_str()).is_err() {
                return Err(
                    DecodeError::data("the string is not valid Unicode").inside_member(name)
                );
            }
            members[..=at].rotate_right(1);
            Ok(Tagged::Later(object(&members)?))
        }
        _ => Ok(Tagged::Absent(object(&members)?)),
    }
}

/// Returns the JSON text of an object.
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

/// Returns the error for a missing tag.
#[must_use]
pub fn missing_tag<E: Error>(name: &'static str) -> E {
    E::missing_field(name)
}

/// Returns the error for a tag whose value no variant has.
#[must_use]
pub fn unknown_tag<E: Error>(union: &'static str, name: &'static str, value: &str) -> E {
    let value = excerpt(value);
    let message = format!("`{value}` is not a known `{name}` of `{union}`");
    E::custom(DecodeError::data(message).inside_member(name))
}
