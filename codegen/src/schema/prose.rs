//! Separates the texts of a schema from its structure.

use serde_json::Value;

use super::keyword::{Holds, holds};
use super::{pointer, walk_mut};

/// The kind of a value in a document, which follows from its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A schema.
    Schema,
    /// An array of schemas.
    List,
    /// An object whose values are schemas.
    Map,
    /// Something that contains no schemas.
    Data,
}

impl Kind {
    /// Returns the kind of the value at a JSON pointer below the definitions.
    pub(super) fn at(place: &str) -> Self {
        place
            .split('/')
            .skip(1)
            .fold(Self::Map, |kind, token| match kind {
                Self::Map | Self::List => Self::Schema,
                Self::Data => Self::Data,
                Self::Schema => match holds(&pointer::unescape(token)) {
                    Holds::Schema | Holds::SchemaOrList => Self::Schema,
                    Holds::SchemaList => Self::List,
                    Holds::SchemaMap | Holds::SchemaOrNamesMap => Self::Map,
                    _ => Self::Data,
                },
            })
    }

    /// Returns a value of this kind without its texts.
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

/// Removes the texts of a schema and of all schemas inside it.
pub(super) fn strip(schema: &mut Value) {
    walk_mut(schema, &mut |members| {
        members.retain(|keyword, _| holds(keyword) != Holds::Prose);
    });
}

/// Returns `new` with the texts of `old` where it has none of its own.
pub(super) fn with_texts_of(old: &Value, new: &Value) -> Value {
    let mut new = new.clone();
    if let (Value::Object(old), Value::Object(new)) = (old, &mut new) {
        for (keyword, words) in old {
            if holds(keyword) == Holds::Prose && !new.contains_key(keyword) {
                new.insert(keyword.clone(), words.clone());
            }
        }
    }
    new
}
