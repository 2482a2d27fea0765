//! [`deserialize`]: implements `Deserialize` with [`Decode`], which basic types implement here.

use serde::de::Deserializer;

use super::super::error::DecodeError;
use super::raw::decode_text;
use super::text::{Decode, Elements, Entries, Kind, Text, read};
use super::{Map, Number, Value, grow};

/// Implements `Deserialize`: decodes the text of a value. A format other than JSON text is encoded first.
///
/// # Errors
///
/// Returns an error if the value is not valid for the type. A deserializer of this crate keeps its path.
pub fn deserialize<'de, T: Decode, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut result = Ok(T::vacant());
    if let Ok(place) = &mut result
        && let Err(error) = decode_text(deserializer, &mut |text| decode_whole(place, text))
    {
        result = Err(error);
    }
    result
}

/// Decodes a whole text in place.
fn decode_whole<T: Decode>(place: &mut T, text: &str) -> Result<(), DecodeError> {
    let mut source = Text::new(text);
    place.decode(&mut source)?;
    source.end()
}

/// Implements `Deserialize` for types that implement [`Decode`].
macro_rules! deserialize {
    ($($type:ty),*) => {$(
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                json::deserialize(deserializer)
            }
        }
    )*};
}

pub(crate) use deserialize as deserialize_from_text;

mod own {
    use super::super::super::json;
    use super::{Number, Value};

    json::deserialize_from_text! { Number, Value }
}

impl Decode for () {
    fn vacant() -> Self {}

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        text.null()
    }
}

impl Decode for bool {
    fn vacant() -> Self {
        false
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        *self = text.boolean()?;
        Ok(())
    }
}

/// `1.0` is the integer 1.
impl Decode for i64 {
    fn vacant() -> Self {
        0
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        *self = read::<Number>(text)?.integer()?;
        Ok(())
    }
}

impl Decode for Number {
    fn vacant() -> Self {
        Self::NAN
    }

    #[inline]
    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        *self = text.number()?;
        Ok(())
    }
}

impl Decode for String {
    fn vacant() -> Self {
        Self::new()
    }

    #[inline]
    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        *self = text.expect_string(&"a string")?.into_owned();
        Ok(())
    }
}

/// `null` is `None`.
impl<T: Decode> Decode for Option<T> {
    fn vacant() -> Self {
        None
    }

    #[inline]
    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        if text.is_null() {
            return text.null();
        }
        self.insert(T::vacant()).decode(text)
    }
}

impl<T: Decode> Decode for Box<T> {
    fn vacant() -> Self {
        Self::new(T::vacant())
    }

    #[inline]
    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        (**self).decode(text)
    }
}

/// A list grows within bounds; see [`grow`].
impl<T: Decode> Decode for Vec<T> {
    fn vacant() -> Self {
        Self::new()
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        let list = text.offset();
        let mut elements = Elements::of(text)?;
        if const { !grow::is_large::<T>() } && !elements.collects() {
            // Allocates for one or two small elements exactly.
            if !elements.advance()? {
                return elements.end();
            }
            let first = elements.read()?;
            if !elements.advance()? {
                *self = vec![first];
                return elements.end();
            }
            let second = elements.read()?;
            *self = grow::pair(first, second);
        }
        while elements.advance()? {
            let element = elements.position();
            let place = grow::push_with(self, || T::vacant(), elements.room::<T>());
            if let Err(error) = elements.decode(place) {
                elements.recover(list, element, error)?;
            }
        }
        grow::settle_elements(self);
        elements.end()
    }
}

impl<V: Decode> Decode for Map<V> {
    fn vacant() -> Self {
        Self::new()
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        let object = text.offset();
        let mut members = Entries::of(text, &"an object")?;
        let mut is_first = true;
        while let Some(name) = members.name()? {
            if is_first {
                // Most objects of one member are small, so that no room is allocated for more.
                *self = Self::with_capacity(1);
                is_first = false;
            }
            let behind = members.position();
            if let Err(error) = members.decode(self.push_vacant(&name, V::vacant())) {
                members.recover(object, behind, error)?;
            }
        }
        self.settle();
        match self.duplicate() {
            Some(name) => Err(DecodeError::duplicate_member(name)),
            None => members.end(),
        }
    }
}

impl Decode for Value {
    fn vacant() -> Self {
        Self::Null
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        *self = match text.kind() {
            Some(Kind::Null) => return text.null(),
            Some(Kind::Bool) => Self::Bool(read(text)?),
            Some(Kind::Number) => Self::Number(read(text)?),
            Some(Kind::String) => Self::String(read(text)?),
            Some(Kind::Array) => Self::Array(read(text)?),
            Some(Kind::Object) => Self::Object(read(text)?),
            None => return Err(text.unfit(&"any JSON value")),
        };
        Ok(())
    }
}
