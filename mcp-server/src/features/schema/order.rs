//! The order in which a type declares its fields, which its schema does not have: `schemars` sorts
//! members by name, unless its feature `preserve_order` is enabled.

use std::fmt;

use mcp_types::json::{Map, Object, Value};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Puts members that are named as fields of `T` into the order of the fields. Others come last.
pub(crate) fn as_declared<T: DeserializeOwned, V>(members: &mut Map<V>) {
    sort(members, declared_fields::<T>(&[]));
}

fn sort<V>(members: &mut Map<V>, fields: &[&str]) {
    let mut rest = std::mem::take(members);
    for field in fields {
        if let Some(member) = rest.remove(field) {
            members.insert(field, member);
        }
    }
    for (name, member) in rest {
        members.insert(name, member);
    }
}

/// Puts the properties of the schema of `T`, and of the structs in it, into the order of the
/// fields.
pub(crate) fn schema_as_declared<T: DeserializeOwned>(schema: &mut Object) {
    let mut order = Order {
        fields: declared_fields::<T>,
        definitions: Object::new(),
        sorted: Object::new(),
    };
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        order.definitions = std::mem::take(definitions);
    }
    order.sort(schema, &[]);
    order.sorted.extend(order.definitions);
    if let Some(definitions) = schema.get_mut("$defs") {
        *definitions = order.sorted.into();
    }
}

struct Order {
    /// Returns the fields of the struct at a place. A place is a path of names of fields, with any
    /// name for an element of a list or map.
    fields: fn(&[&str]) -> &'static [&'static str],
    definitions: Object,
    /// The definitions that are in order already.
    sorted: Object,
}

impl Order {
    fn sort(&mut self, schema: &mut Object, path: &[&str]) {
        let reference = schema.get("$ref").and_then(Value::as_str);
        if let Some(name) = reference.and_then(|it| it.strip_prefix("#/$defs/"))
            && let Some(mut definition) = self.definitions.remove(name)
        {
            self.sort_part(&mut definition, path);
            self.sorted.insert(name, definition);
        }
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            sort(properties, (self.fields)(path));
            for (name, property) in properties {
                self.sort_part(property, &[path, &[name]].concat());
            }
        }
        for keyword in ["items", "additionalProperties"] {
            if let Some(part) = schema.get_mut(keyword) {
                self.sort_part(part, &[path, &[""]].concat());
            }
        }
        // An `Option` of a struct.
        if let Some(Value::Array(parts)) = schema.get_mut("anyOf") {
            for part in parts {
                self.sort_part(part, path);
            }
        }
    }

    fn sort_part(&mut self, part: &mut Value, path: &[&str]) {
        if let Value::Object(schema) = part {
            self.sort(schema, path);
        }
    }
}

/// Returns the fields of the struct at a place in a value of type `T`, in order. None for other
/// types, and for structs with a flattened field: they do not tell a deserializer what they have.
fn declared_fields<T: DeserializeOwned>(path: &[&str]) -> &'static [&'static str] {
    match T::deserialize(Probe(path)) {
        Err(Probed(fields)) => fields,
        Ok(_) => &[],
    }
}

/// Has only the value at the place, and returns the fields of that struct as its error.
struct Probe<'a>(&'a [&'a str]);

#[derive(Debug)]
struct Probed(&'static [&'static str]);

impl fmt::Display for Probed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no value")
    }
}

impl std::error::Error for Probed {}

impl de::Error for Probed {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(&[])
    }
}

impl IntoDeserializer<'_, Probed> for Probe<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Probed;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Probed> {
        Err(Probed(&[]))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Probed> {
        match self.0 {
            [] => Err(Probed(fields)),
            _ => self.deserialize_map(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Probed> {
        match self.0 {
            [name, rest @ ..] => {
                visitor.visit_map(MapDeserializer::new([(*name, Probe(rest))].into_iter()))
            }
            [] => Err(Probed(&[])),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Probed> {
        match self.0 {
            [_, rest @ ..] => visitor.visit_seq(SeqDeserializer::new([Probe(rest)].into_iter())),
            [] => Err(Probed(&[])),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Probed> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Probed> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct tuple tuple_struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use mcp_types::json;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its fields matter")]
    struct Outer {
        inner: Option<Inner>,
        by_name: HashMap<String, Vec<Leaf>>,
        #[serde(flatten)]
        rest: HashMap<String, u8>,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its fields matter")]
    struct Inner {
        z: u8,
        parent: Option<Box<Inner>>,
        leaf: Leaf,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only its fields matter")]
    struct Leaf {
        #[serde(rename = "last")]
        y: u8,
        a: u8,
    }

    /// The schema is written by hand, because `schemars` does not sort members if another crate of
    /// the program enables `preserve_order`.
    #[test]
    fn properties_of_nested_structs_have_the_order_of_the_fields() {
        let text = r##"{
            "$defs": {
                "Inner": { "properties": {
                    "leaf": { "$ref": "#/$defs/Leaf" },
                    "parent": { "anyOf": [{ "$ref": "#/$defs/Inner" }, { "type": "null" }] },
                    "z": {}
                } },
                "Leaf": { "properties": { "a": {}, "last": {} } }
            },
            "properties": {
                "by_name": { "additionalProperties": { "items": {
                    "properties": { "a": {}, "last": {} }
                } } },
                "inner": { "anyOf": [{ "$ref": "#/$defs/Inner" }, { "type": "null" }] }
            }
        }"##;
        let before: Object = json::from_str(text).expect("JSON");
        let mut schema = before.clone();
        schema_as_declared::<Outer>(&mut schema);
        assert_eq!(schema, before);
        let text = json::to_string(&schema).expect("encoded");
        assert_eq!(text.matches(r#"{"last":{},"a":{}}"#).count(), 2, "{text}");
        assert!(text.contains(r#""properties":{"z":{},"parent":"#), "{text}");
    }
}
