//! Decodes typed values from texts: arguments of prompts and variables of URI templates.

use std::cell::RefCell;

use mcp_types::error::{DecodeError, Rule, Segment};
use mcp_types::json::iter::Iter;
use mcp_types::json::{self, Map, Object, Value};
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor,
};
use serde::{Serialize, forward_to_deserialize_any};

/// The maximum number of texts that are decoded in a second way. All texts are decoded again for
/// each.
const SECOND_ATTEMPTS: usize = 32;

/// Decodes a struct or a map from named texts. Numbers and booleans are parsed, lists and structs
/// are parsed as JSON. So is a text that is not valid for its field, if the type of the field
/// depends on the value, as that of internally tagged and untagged enums does. An empty text that
/// is not valid for its field counts as absent. Also returns the parsed values: which text is a
/// number follows from the type alone.
///
/// # Errors
///
/// A [`DecodeError`] with the name of the text that cannot be decoded.
pub(crate) fn decode<T: DeserializeOwned>(
    mut texts: Map<String>,
) -> Result<(T, Object), DecodeError> {
    let mut as_json = Object::new();
    for _ in 0..SECOND_ATTEMPTS {
        let error = match decode_once(&texts, &as_json) {
            Ok(decoded) => return Ok(decoded),
            Err(error) => error,
        };
        let Some(Segment::Member(name)) = error.path().segments().first() else {
            return Err(error);
        };
        if texts.get(name).is_some_and(String::is_empty) {
            texts.remove(name);
            continue;
        }
        let text = texts.get(name).filter(|_| !as_json.contains_key(name));
        match text.map(|text| json::from_str::<Value>(text)) {
            Some(Ok(mut value)) => {
                value.normalize_integers();
                as_json.insert(name, value);
            }
            _ => return Err(error),
        }
    }
    decode_once(&texts, &as_json)
}

/// `as_json` has the values of texts that were not valid as texts.
fn decode_once<T: DeserializeOwned>(
    texts: &Map<String>,
    as_json: &Object,
) -> Result<(T, Object), DecodeError> {
    let parsed = RefCell::default();
    let value = T::deserialize(Texts {
        rest: texts.iter(),
        value: None,
        as_json,
        parsed_into: &parsed,
    })?;
    Ok((value, parsed.into_inner()))
}

struct Texts<'a> {
    rest: Iter<'a, String>,
    /// The text whose name was read last.
    value: Option<(&'a str, &'a str)>,
    as_json: &'a Object,
    parsed_into: &'a RefCell<Object>,
}

impl<'de> MapAccess<'de> for Texts<'_> {
    type Error = DecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DecodeError> {
        let Some((name, text)) = self.rest.next() else {
            return Ok(None);
        };
        self.value = Some((name, text));
        seed.deserialize(name.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, DecodeError> {
        let Some((name, text)) = self.value.take() else {
            return Err(DecodeError::data("a value was read before its name"));
        };
        let value = TextValue {
            name,
            text,
            as_json: self.as_json.get(name),
            parsed_into: self.parsed_into,
        };
        let decoded = seed.deserialize(value);
        decoded.map_err(|error| error.inside_member(name))
    }
}

/// Methods for structs without members and with one, whose names do not matter.
macro_rules! without_names {
    () => {
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
    };
}

impl<'de> Deserializer<'de> for Texts<'_> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_map(self)
    }

    /// A handler that takes `()` ignores the texts.
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_unit()
    }

    without_names!();

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// A text and its name.
struct TextValue<'a> {
    name: &'a str,
    text: &'a str,
    /// The value of the text as JSON, for types that do not accept the text.
    as_json: Option<&'a Value>,
    parsed_into: &'a RefCell<Object>,
}

impl TextValue<'_> {
    fn record(&self, value: impl Serialize) {
        // A number that JSON cannot express becomes `null`, which no schema of a number accepts.
        let value = json::to_value(&value).unwrap_or(Value::Null);
        // The names of a map are unique.
        self.parsed_into.borrow_mut().push(self.name, value);
    }

    /// Parses the text as JSON. Integers can be written as `30.0`, as in the arguments of tools.
    fn to_json(&self) -> Result<Value, DecodeError> {
        let mut value = json::from_str::<Value>(self.text).map_err(|error| {
            DecodeError::data(format!("expected JSON: {}", error.message()))
                .with_rule(Rule::Type, ["JSON"])
        })?;
        value.normalize_integers();
        self.record(&value);
        Ok(value)
    }
}

/// Methods for values that are texts.
macro_rules! text {
    ($($deserialize:ident)*) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            self.record(self.text);
            visitor.visit_str(self.text)
        }
    )*};
}

/// Methods for values that are parsed as JSON.
macro_rules! parsed_as_json {
    ($($deserialize:ident($($argument:ident: $kind:ty),*))*) => {$(
        fn $deserialize<V: Visitor<'de>>(
            self,
            $($argument: $kind,)*
            visitor: V,
        ) -> Result<V::Value, DecodeError> {
            self.to_json()?.$deserialize($($argument,)* visitor)
        }
    )*};
}

macro_rules! parsed {
    ($($deserialize:ident $visit:ident $kind:ty,)*) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            let Ok(value) = self.text.parse::<$kind>() else {
                let message = concat!("expected the text of a value of type ", stringify!($kind));
                return Err(DecodeError::data(message).with_rule(Rule::Type, [stringify!($kind)]));
            };
            self.record(value);
            visitor.$visit(value)
        }
    )*};
}

impl<'de> Deserializer<'de> for TextValue<'_> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let Some(value) = self.as_json else {
            return self.deserialize_str(visitor);
        };
        self.record(value);
        value.clone().deserialize_any(visitor)
    }

    text! {
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf
        deserialize_unit deserialize_identifier deserialize_ignored_any
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

    without_names!();

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
            return self.to_json()?.deserialize_enum(name, variants, visitor);
        }
        self.record(self.text);
        let variant: StrDeserializer<'_, DecodeError> = self.text.into_deserializer();
        visitor
            .visit_enum(variant)
            .map_err(|error: DecodeError| de::Error::custom(error.message()))
    }
}
