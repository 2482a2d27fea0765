//! Deserializers over values. Every error has a path.

use std::borrow::Cow;

use serde::de::value::MapDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer, SeqAccess, Visitor};

use super::super::error::{DecodeError, Rule};
use super::format::{NESTING_LIMIT, NUMBER, RAW, TEXT};
use super::node::{Elements, Node};
use super::number::arbitrary_precision;
use super::{Number, Value, to_string};

mod forward;
mod members;
mod variant;

pub use members::Members;

use variant::OneMember;

/// A value at a given depth.
struct Decoder<'de> {
    node: Node<'de>,
    depth: usize,
}

type Result<T> = std::result::Result<T, DecodeError>;

impl<'de> Decoder<'de> {
    fn root(value: impl Into<Node<'de>>) -> Self {
        Self {
            node: value.into(),
            depth: 0,
        }
    }

    fn unfit<T>(&self, visitor: &dyn serde::de::Expected) -> Result<T> {
        Err(DecodeError::invalid_type(self.node.unexpected(), visitor))
    }
}

/// Returns the depth of the contents of a container at `depth`.
fn deeper(depth: usize) -> Result<usize> {
    if depth < NESTING_LIMIT {
        Ok(depth + 1)
    } else {
        let error = DecodeError::data("nesting exceeds the limit of 127 levels");
        Err(error.with_rule(Rule::Limit, [NESTING_LIMIT.to_string()]))
    }
}

/// Passes a number to a visitor without loss, as `serde_json` does when it parses text.
fn any_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value> {
    if !arbitrary_precision() {
        return hinted_number(number, visitor);
    }
    let digits = number.to_string();
    match (number.as_u64(), number.as_i64()) {
        (Some(value), _) => visitor.visit_u64(value),
        (_, Some(value)) if digits != "-0" => visitor.visit_i64(value),
        _ => visitor.visit_map(MapDeserializer::new(std::iter::once((NUMBER, digits)))),
    }
}

/// Passes a number to a visitor that requested one of Rust's number types.
fn hinted_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value> {
    if let Some(value) = number.as_u64() {
        visitor.visit_u64(value)
    } else if let Some(value) = number.as_i64() {
        visitor.visit_i64(value)
    } else if let Some(value) = number.as_f64() {
        visitor.visit_f64(value)
    } else {
        Err(DecodeError::out_of_range())
    }
}

/// Passes a string to a visitor.
fn string<'de, V: Visitor<'de>>(text: Cow<'de, str>, visitor: V) -> Result<V::Value> {
    match text {
        Cow::Owned(text) => visitor.visit_string(text),
        Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
    }
}

/// Passes the elements of an array at a depth to a visitor.
fn array<'de, V: Visitor<'de>>(
    elements: Elements<'de>,
    depth: usize,
    visitor: V,
) -> Result<V::Value> {
    let mut access = ElementAccess {
        elements,
        depth: deeper(depth)?,
        next: 0,
    };
    let value = visitor.visit_seq(&mut access)?;
    match access.elements.next() {
        Some(_) => Err(DecodeError::left_over("array", "elements")),
        None => Ok(value),
    }
}

/// Methods that accept a string and reject everything else, as `serde_json` does with text. They do
/// not call `deserialize_any`, which would be compiled as a whole for each visitor.
macro_rules! strings {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match self.node {
                Node::String(text) => string(text, visitor),
                _ => self.unfit(&visitor),
            }
        }
    )*};
}

macro_rules! numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match &self.node {
                Node::Number(number) => hinted_number(number, visitor),
                _ => self.unfit(&visitor),
            }
        }
    )*};
}

macro_rules! wide_numbers {
    ($($method:ident $visit:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            match &self.node {
                Node::Number(number) => match number.to_string().parse() {
                    Ok(value) => visitor.$visit(value),
                    Err(_) => hinted_number(number, visitor),
                },
                _ => self.unfit(&visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Decoder<'de> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node {
            Node::Null => visitor.visit_unit(),
            Node::Bool(value) => visitor.visit_bool(value),
            Node::Number(number) => any_number(&number, visitor),
            Node::String(text) => string(text, visitor),
            Node::Array(elements) => array(elements, self.depth, visitor),
            Node::Object(entries) => Members::new(entries, self.depth).visit(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node {
            Node::Bool(value) => visitor.visit_bool(value),
            _ => self.unfit(&visitor),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node {
            Node::Null => visitor.visit_unit(),
            _ => self.unfit(&visitor),
        }
    }

    strings! { deserialize_char deserialize_str deserialize_string deserialize_identifier }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node {
            Node::String(text) => string(text, visitor),
            Node::Array(elements) => array(elements, self.depth, visitor),
            _ => self.unfit(&visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node {
            Node::Array(elements) => array(elements, self.depth, visitor),
            _ => self.unfit(&visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node {
            Node::Object(entries) => Members::new(entries, self.depth).visit(visitor),
            _ => self.unfit(&visitor),
        }
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_f32 deserialize_f64
    }

    wide_numbers! { deserialize_i128 visit_i128 deserialize_u128 visit_u128 }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.node {
            Node::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        if matches!(name, RAW | TEXT) {
            let text = to_string(&Value::from(self.node))?;
            return visitor.visit_map(MapDeserializer::new(std::iter::once((RAW, text))));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.node {
            Node::Object(entries) => Members::new(entries, self.depth).visit(visitor),
            Node::Array(elements) => array(elements, self.depth, visitor),
            _ => self.unfit(&visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.node {
            Node::String(text) => visitor.visit_enum(text.into_deserializer()),
            Node::Object(entries) => visitor.visit_enum(OneMember {
                entries,
                depth: self.depth,
            }),
            _ => self.unfit(&visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }
}

struct ElementAccess<'de> {
    elements: Elements<'de>,
    depth: usize,
    next: usize,
}

impl<'de> SeqAccess<'de> for ElementAccess<'de> {
    type Error = DecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(node) = self.elements.next() else {
            return Ok(None);
        };
        let index = self.next;
        self.next += 1;
        let element = seed.deserialize(Decoder {
            node,
            depth: self.depth,
        });
        element.map(Some).map_err(|error| error.inside_index(index))
    }

    fn size_hint(&self) -> Option<usize> {
        self.elements.size_hint().1
    }
}
