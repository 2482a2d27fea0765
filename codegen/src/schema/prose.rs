//! Telling words from structure.

use serde_json::Value;

use super::keyword::{Holds, holds};
use super::{pointer, walk_mut};

/// What the value at a place of a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A schema.
    Schema,
    /// An array of schemas.
    List,
    /// An object whose values are schemas.
    Map,
    /// Something that holds no schemas.
    Data,
}

impl Kind {
    /// The kind at a JSON pointer below the definitions.
    pub(super) fn at(place: &str) -> Self {
        place
            .split('/')
            .skip(1)
            .fold(Self::Map, |kind, token| match kind {
                Self::Map | Self::List => Self::Schema,
                Self::Data => Self::Data,
                Self::Schema => match holds(&pointer::unescape(token)) {
                    Some(Holds::Schema | Holds::Anything) => Self::Schema,
                    Some(Holds::SchemaList) => Self::List,
                    Some(Holds::SchemaMap) => Self::Map,
                    _ => Self::Data,
                },
            })
    }

    /// A value of this kind without the words in it.
    pub(super) fn bare(self, value: &Value) -> Value {
        let mut copy = value.clone();
        match (self, &mut copy) {
            (Self::Schema, schema) => strip(schema),
            (Self::List, Value::Array(schemas)) => schemas.iter_mut().for_each(strip),
            (Self::Map, Value::Object(schemas)) => schemas.values_mut().for_each(strip),
            _ => {}
        }
        copy
    }
}

/// Takes the words out of a schema and of all schemas inside it.
pub(super) fn strip(schema: &mut Value) {
    walk_mut(schema, &mut |members| {
        members.retain(|keyword, _| holds(keyword) != Some(Holds::Prose));
    });
}

/// The schema that takes another's place, with the other's words where it has none of its own.
pub(super) fn with_words_of(old: &Value, new: &Value) -> Value {
    let mut new = new.clone();
    if let (Value::Object(old), Value::Object(new)) = (old, &mut new) {
        for (keyword, words) in old {
            if holds(keyword) == Some(Holds::Prose) && !new.contains_key(keyword) {
                new.insert(keyword.clone(), words.clone());
            }
        }
    }
    new
}
