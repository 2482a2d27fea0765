//! Decodes typed values from texts: arguments of prompts and variables of URI templates.

use mcp_types::error::{DecodeError, Segment};
use mcp_types::json::{self, Map, Value};
use serde::de::value::{MapDeserializer, StringDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// The maximum number of empty texts that are treated as absent. The texts are decoded again for each.
const ABSENT: usize = 32;

/// Decodes a struct or a map from named texts. Numbers and booleans are parsed, lists and structs are
/// parsed as JSON. An empty text that is not valid for its field counts as absent.
///
/// # Errors
///
/// A [`DecodeError`] with the name of the text that cannot be decoded.
pub(crate) fn decode<T: DeserializeOwned>(mut texts: Map<String>) -> Result<T, DecodeError> {
    for _ in 0..ABSENT {
        if !texts.values().any(String::is_empty) {
            break;
        }
        let error = match T::deserialize(Texts(texts.clone())) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        match error.path().segments().first() {
            Some(Segment::Member(name)) if texts.get(name).is_some_and(String::is_empty) => {
                texts.remove(name);
            }
            _ => return Err(error),
        }
    }
    T::deserialize(Texts(texts))
}

struct Texts(Map<String>);

impl<'de> Deserializer<'de> for Texts {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let members = self.0.into_iter().map(|(name, text)| {
            let key = name.clone();
            (key, TextValue { name, text })
        });
        visitor.visit_map(MapDeserializer::new(members))
    }

    /// A handler that takes `()` ignores the texts.
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A text with its name, for errors.
struct TextValue {
    name: String,
    text: String,
}

impl IntoDeserializer<'_, DecodeError> for TextValue {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl TextValue {
    /// Parses the text as JSON. Integers can be written as `30.0`, as in the arguments of tools.
    fn into_json(self) -> Result<(String, Value), DecodeError> {
        match json::from_str::<Value>(&self.text) {
            Ok(mut value) => {
                value.normalize_integers();
                Ok((self.name, value))
            }
            Err(error) => {
                let message = format!("expected JSON: {}", error.message());
                Err(DecodeError::data(message).inside_member(self.name))
            }
        }
    }
}

/// Methods for values that are parsed as JSON.
macro_rules! parsed_as_json {
    ($($deserialize:ident($($argument:ident: $kind:ty),*))*) => {$(
        fn $deserialize<V: Visitor<'de>>(
            self,
            $($argument: $kind,)*
            visitor: V,
        ) -> Result<V::Value, DecodeError> {
            let (name, value) = self.into_json()?;
            let decoded = value.$deserialize($($argument,)* visitor);
            decoded.map_err(|error| error.inside_member(name))
        }
    )*};
}

macro_rules! parsed {
    ($($deserialize:ident $visit:ident $kind:ty,)*) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            let Ok(value) = self.text.parse::<$kind>() else {
                let message = concat!("expected the text of a value of type ", stringify!($kind));
                return Err(DecodeError::data(message).inside_member(self.name));
            };
            visitor.$visit(value).map_err(|error: DecodeError| error.inside_member(self.name))
        }
    )*};
}

impl<'de> Deserializer<'de> for TextValue {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor
            .visit_string(self.text)
            .map_err(|error: DecodeError| error.inside_member(self.name))
    }

    parsed! {
        deserialize_bool visit_bool bool,
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
        deserialize_u128 visit_u128 u128,
        deserialize_f32 visit_f32 f32,
        deserialize_f64 visit_f64 f64,
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    parsed_as_json! {
        deserialize_seq()
        deserialize_tuple(length: usize)
        deserialize_tuple_struct(name: &'static str, length: usize)
        deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        // A variant with data.
        if self.text.trim_start().starts_with('{') {
            let (member, value) = self.into_json()?;
            let decoded = value.deserialize_enum(name, variants, visitor);
            return decoded.map_err(|error| error.inside_member(member));
        }
        let variant: StringDeserializer<DecodeError> = self.text.into_deserializer();
        visitor
            .visit_enum(variant)
            .map_err(|error: DecodeError| de::Error::custom(error.message()))
            .map_err(|error: DecodeError| error.inside_member(self.name))
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct identifier ignored_any
    }
}
