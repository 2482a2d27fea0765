//! [`Node`]: an owned or borrowed value that is being decoded. One decoder serves both.

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
    /// Returns the same entries with those named in `first` at the front, in that order.
    pub(super) fn with_first(self, first: &[&str]) -> Self {
        match self {
            Self::Borrowed(entries) => {
                let names = || entries.clone().map(|(name, _)| name);
                if stand_first(&mut names(), first) {
                    return Self::Borrowed(entries);
                }
                let order = order(&mut names(), first);
                let entries: Vec<_> = entries.collect();
                let mut listed = Vec::with_capacity(entries.len());
                for at in order {
                    listed.extend(entries.get(at));
                }
                Self::Listed(listed.into_iter())
            }
            Self::Owned(entries) => {
                if stand_first(&mut entries.names(), first) {
                    return Self::Owned(entries);
                }
                let order = order(&mut entries.names(), first);
                let mut entries: Vec<_> = entries.map(Some).collect();
                let mut object = Object::with_capacity(entries.len());
                for at in order {
                    if let Some((name, value)) = entries.get_mut(at).and_then(Option::take) {
                        object.push(&name, value);
                    }
                }
                object.into()
            }
            same @ Self::Listed(_) => same,
        }
    }
}

/// Returns the position of a name among those that come first. All other names come after them.
fn rank(name: &str, first: &[&str]) -> usize {
    let place = first.iter().position(|known| *known == name);
    place.unwrap_or(first.len())
}

/// Returns `true` if the names are already in order.
fn stand_first(names: &mut dyn Iterator<Item = &str>, first: &[&str]) -> bool {
    let mut last = 0;
    for name in names {
        let rank = rank(name, first);
        if rank < last {
            return false;
        }
        last = rank;
    }
    true
}

/// Returns the indices of the names in the order in which they are to be visited. Makes one pass
/// for each name in `first`, of which a type has only a few; sorting would add a lot of code.
fn order(names: &mut dyn Iterator<Item = &str>, first: &[&str]) -> Vec<usize> {
    let mut ranks = Vec::new();
    for name in names {
        ranks.push(rank(name, first));
    }
    let mut order = Vec::with_capacity(ranks.len());
    for wanted in 0..=first.len() {
        for (at, rank) in ranks.iter().enumerate() {
            if *rank == wanted {
                order.push(at);
            }
        }
    }
    order
}
