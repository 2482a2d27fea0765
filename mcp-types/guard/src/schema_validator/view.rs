//! [`View`]: lets the validator read our JSON type without a copy.

use std::borrow::Cow;

use crate::schema_cost::Extent;
use jsonschema::JsonType;
use jsonschema::json::{Array, Json, Node as ReadNode, NodeIdentity, Object as ReadObject, cmp};
use mcp_types::json::{Object, Value};
use serde_json::{Number, Value as Text};

/// Our representation of JSON.
#[derive(Debug)]
pub struct View;

/// A value, or the object at the root, which is not stored as a value.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A value.
    Value(&'a Value),
    /// The object at the root.
    Root(&'a Object),
}

impl<'a> From<&'a Value> for Node<'a> {
    fn from(value: &'a Value) -> Self {
        Self::Value(value)
    }
}

impl<'a> From<&'a Object> for Node<'a> {
    fn from(object: &'a Object) -> Self {
        Self::Root(object)
    }
}

impl<'a> Node<'a> {
    /// Measures the size and depth.
    #[must_use]
    pub fn extent(self) -> Extent {
        match self {
            Self::Value(value) => Extent::of_value(value),
            Self::Root(object) => Extent::of_object(object),
        }
    }

    fn value(self) -> Option<&'a Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Root(_) => None,
        }
    }
}

impl Json for View {
    type Node<'a> = Node<'a>;
    type PreparedKey = String;
    type StringBuffer = Value;

    /// A lookup visits the members one by one, so one pass over them never costs more than that.
    const KEYS_PER_LOOKUP: usize = 64;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(
        buffer: &mut Value,
        string: &str,
        read: impl FnOnce(Node<'_>) -> T,
    ) -> T {
        *buffer = Value::from(string);
        read(Node::Value(buffer))
    }
}

impl<'a> ReadNode<'a, View> for Node<'a> {
    type Object = &'a Object;
    type Array = &'a [Value];
    type Number = &'a Number;

    fn as_object(&self) -> Option<&'a Object> {
        match self {
            Self::Root(object) => Some(object),
            Self::Value(value) => value.as_object(),
        }
    }

    fn as_array(&self) -> Option<&'a [Value]> {
        self.value()?.as_array().map(Vec::as_slice)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.value()?.as_str().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<&'a Number> {
        self.value()?.as_number()?.as_json()
    }

    fn as_boolean(&self) -> Option<bool> {
        self.value()?.as_bool()
    }

    fn is_null(&self) -> bool {
        self.json_type() == JsonType::Null
    }

    fn json_type(&self) -> JsonType {
        match self {
            Self::Root(_) | Self::Value(Value::Object(_)) => JsonType::Object,
            Self::Value(Value::Array(_)) => JsonType::Array,
            Self::Value(Value::String(_)) => JsonType::String,
            Self::Value(Value::Bool(_)) => JsonType::Boolean,
            Self::Value(Value::Number(number)) if number.as_json().is_some() => JsonType::Number,
            // A number that JSON cannot express would become `null`.
            Self::Value(_) => JsonType::Null,
        }
    }

    fn equals_value(&self, expected: &Text) -> bool {
        match *self {
            Self::Root(object) => equals_object(object, expected),
            Self::Value(value) => equals(value, expected),
        }
    }

    fn to_value(&self) -> Cow<'a, Text> {
        Cow::Owned(match *self {
            Self::Root(object) => Text::Object(object.clone().into()),
            Self::Value(value) => value.clone().into(),
        })
    }

    fn identity(&self) -> Option<NodeIdentity> {
        let address = match *self {
            Self::Root(object) => std::ptr::from_ref(object).addr(),
            Self::Value(value) => std::ptr::from_ref(value).addr(),
        };
        Some(NodeIdentity::new(address))
    }
}

impl<'a> ReadObject<'a, View> for &'a Object {
    type Node = Node<'a>;
    type MemberName = &'a str;
    type MembersIter = SchemaMembers<'a>;

    fn len(&self) -> usize {
        Object::len(self)
    }

    fn get(&self, key: &String) -> Option<Node<'a>> {
        Object::get(self, key).map(Node::Value)
    }

    fn members(&self) -> SchemaMembers<'a> {
        SchemaMembers(self.iter())
    }
}

/// Compares values without a copy of large ones.
fn equals(value: &Value, expected: &Text) -> bool {
    match (value, expected) {
        (Value::String(text), Text::String(expected)) => text == expected,
        (Value::Array(values), Text::Array(expected)) => {
            let mut pairs = values.iter().zip(expected);
            values.len() == expected.len() && pairs.all(|(value, expected)| equals(value, expected))
        }
        (Value::Object(object), expected) => equals_object(object, expected),
        (Value::String(_) | Value::Array(_), _) => false,
        (value, expected) => cmp::equal(&Node::Value(value).to_value(), expected),
    }
}

fn equals_object(object: &Object, expected: &Text) -> bool {
    expected.as_object().is_some_and(|expected| {
        let equals_member = |(name, value): (&str, &Value)| {
            expected
                .get(name)
                .is_some_and(|expected| equals(value, expected))
        };
        object.len() == expected.len() && object.iter().all(equals_member)
    })
}

/// The members of an object.
#[derive(Debug)]
pub struct SchemaMembers<'a>(mcp_types::json::iter::Iter<'a, Value>);

impl<'a> Iterator for SchemaMembers<'a> {
    type Item = (&'a str, Node<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0
            .next()
            .map(|(name, value)| (name, Node::Value(value)))
    }
}

impl<'a> Array<'a, View> for &'a [Value] {
    type Node = Node<'a>;
    type ElementsIter = std::iter::Map<std::slice::Iter<'a, Value>, fn(&'a Value) -> Node<'a>>;

    fn len(&self) -> usize {
        <[Value]>::len(self)
    }

    fn elements(&self) -> Self::ElementsIter {
        self.iter().map(Node::Value)
    }
}

#[cfg(test)]
mod tests {
    use jsonschema::json::conformance::{assert_conformance, document};

    use super::*;

    #[test]
    fn view_has_the_semantics_that_the_validator_expects() {
        let value = Value::from(document());
        assert_conformance::<View>(&Node::from(&value));
        let root = value.as_object().expect("the document is an object");
        assert_conformance::<View>(&Node::from(root));
    }
}
