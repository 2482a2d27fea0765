//! A value that is about to be decoded, owned or borrowed: one decoder serves both.

use std::borrow::Cow;
use std::{slice, vec};

use serde::de::Unexpected;

use super::object::iter::{IntoIter, Iter};
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
    Listed(vec::IntoIter<(&'de str, &'de Value)>),
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
            Self::Listed(entries) => entries.next()?,
        };
        Some((Cow::Borrowed(name), value.into()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Self::Owned(entries) => entries.size_hint(),
            Self::Borrowed(entries) => entries.size_hint(),
            Self::Listed(entries) => entries.size_hint(),
        }
    }
}

impl Entries<'_> {
    /// The same entries, those named in `first` before all others and in that order.
    pub(super) fn with_first(self, first: &[&str]) -> Self {
        let rank = |name: &str| {
            let position = first.iter().position(|known| *known == name);
            position.unwrap_or(first.len())
        };
        match self {
            Self::Borrowed(entries)
                if !entries.clone().is_sorted_by_key(|(name, _)| rank(name)) =>
            {
                let mut entries: Vec<_> = entries.collect();
                entries.sort_by_cached_key(|(name, _)| rank(name));
                Self::Listed(entries.into_iter())
            }
            Self::Owned(entries) if !entries.names().is_sorted_by_key(rank) => {
                let mut entries: Vec<_> = entries.collect();
                entries.sort_by_cached_key(|(name, _)| rank(name));
                let mut object = Object::with_capacity(entries.len());
                for (name, value) in entries {
                    object.push(&name, value);
                }
                object.into()
            }
            same => same,
        }
    }
}
