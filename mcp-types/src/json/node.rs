//! [`Node`]: an owned or borrowed value that is being decoded. One decoder serves both.

use std::borrow::Cow;
use std::{slice, vec};

use serde::de::Unexpected;

use super::map::iter::{IntoIter, Iter};
use super::{Number, Object, Value};

pub(super) enum Node<'de> {
    Null,
    Bool(bool),
    Number(Cow<'de, Number>),
    String(Cow<'de, str>),
    Array(Elements<'de>),
    Object(Entries<'de>),
}

#[derive(Debug)]
pub(super) enum Elements<'de> {
    Owned(vec::IntoIter<Value>),
    Borrowed(slice::Iter<'de, Value>),
}

#[derive(Debug)]
pub(super) enum Entries<'de> {
    Owned(IntoIter<Value>),
    Borrowed(Iter<'de, Value>),
}

impl Node<'_> {
    pub(super) fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(value) => Unexpected::Bool(*value),
            Self::Number(number) => {
                if let Some(value) = number.as_u64() {
                    Unexpected::Unsigned(value)
                } else if let Some(value) = number.as_i64() {
                    Unexpected::Signed(value)
                } else {
                    number
                        .as_f64()
                        .map_or(Unexpected::Other("number"), Unexpected::Float)
                }
            }
            Self::String(text) => Unexpected::Str(text),
            Self::Array(_) => Unexpected::Seq,
            Self::Object(_) => Unexpected::Map,
        }
    }
}

impl From<Value> for Node<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(Cow::Owned(number)),
            Value::String(text) => Self::String(Cow::Owned(text)),
            Value::Array(elements) => Self::Array(Elements::Owned(elements.into_iter())),
            Value::Object(object) => Self::Object(object.into()),
        }
    }
}

impl<'de> From<&'de Value> for Node<'de> {
    fn from(value: &'de Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(Cow::Borrowed(number)),
            Value::String(text) => Self::String(Cow::Borrowed(text)),
            Value::Array(elements) => Self::Array(Elements::Borrowed(elements.iter())),
            Value::Object(object) => Self::Object(object.into()),
        }
    }
}

impl From<Object> for Entries<'_> {
    fn from(object: Object) -> Self {
        Self::Owned(object.into_iter())
    }
}

impl<'de> From<&'de Object> for Entries<'de> {
    fn from(object: &'de Object) -> Self {
        Self::Borrowed(object.iter())
    }
}

impl<'de> Iterator for Elements<'de> {
    type Item = Node<'de>;

    fn next(&mut self) -> Option<Node<'de>> {
        match self {
            Self::Owned(elements) => elements.next().map(Node::from),
            Self::Borrowed(elements) => elements.next().map(Node::from),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Owned(elements) => elements.size_hint(),
            Self::Borrowed(elements) => elements.size_hint(),
        }
    }
}

impl<'de> Iterator for Entries<'de> {
    type Item = (Cow<'de, str>, Node<'de>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = match self {
            Self::Owned(entries) => {
                let (name, value) = entries.next()?;
                return Some((Cow::Owned(name), value.into()));
            }
            Self::Borrowed(entries) => entries.next()?,
        };
        Some((Cow::Borrowed(name), value.into()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Owned(entries) => entries.size_hint(),
            Self::Borrowed(entries) => entries.size_hint(),
        }
    }
}

impl From<Node<'_>> for Value {
    fn from(node: Node<'_>) -> Self {
        match node {
            Node::Null => Self::Null,
            Node::Bool(value) => Self::Bool(value),
            Node::Number(number) => Self::Number(number.into_owned()),
            Node::String(text) => Self::String(text.into_owned()),
            Node::Array(elements) => Self::Array(elements.map(Self::from).collect()),
            Node::Object(entries) => {
                let mut object = Object::new();
                for (name, node) in entries {
                    object.push(&name, node.into());
                }
                Self::Object(object)
            }
        }
    }
}
