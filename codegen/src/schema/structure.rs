//! Compares the structure of two documents.

use std::fmt;

use serde_json::{Map, Value};

use super::error::describe_value;
use super::keyword::{Holds, holds};
use super::{Document, pointer};

/// A difference in the structure of two documents.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// JSON pointer to the position in the published document.
    pub pointer: String,
    /// The value in the published document; `None` if it does not exist there.
    pub published: Option<Value>,
    /// The value in our document; `None` if it does not exist there.
    pub ours: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (published, ours) = (
            describe_value(self.published.as_ref()),
            describe_value(self.ours.as_ref()),
        );
        write!(
            out,
            "at `{}`: the published file has {published}, ours has {ours}",
            self.pointer
        )
    }
}

/// Returns all differences in structure.
///
/// Texts are ignored, and so is the order of members, of `required`, of `enum` and of type names.
/// The order of the members of a union is compared, because it may decide which one is tried first.
#[must_use]
pub fn verify(published: &Document, ours: &Document) -> Vec<Difference> {
    let mut found = Vec::new();
    if published.dialect != ours.dialect {
        found.push(Difference {
            pointer: "/$schema".to_owned(),
            published: Some(published.dialect.uri().into()),
            ours: Some(ours.dialect.uri().into()),
        });
    }
    let at = format!("/{}", published.dialect.keyword());
    members(
        &at,
        &published.definitions,
        &ours.definitions,
        &mut found,
        schema,
    );
    found
}

/// Returns `true` if two schemas have the same structure.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    let mut found = Vec::new();
    schema("", left, right, &mut found);
    found.is_empty()
}

type Compare = fn(&str, &Value, &Value, &mut Vec<Difference>);

fn members(
    at: &str,
    published: &Map<String, Value>,
    ours: &Map<String, Value>,
    found: &mut Vec<Difference>,
    compare: Compare,
) {
    for (name, left) in published {
        let place = pointer::join(at, name);
        match ours.get(name) {
            Some(right) => compare(&place, left, right, found),
            None => push(&place, Some(left), None, found),
        }
    }
    for (name, right) in ours
        .iter()
        .filter(|(name, _)| !published.contains_key(*name))
    {
        push(&pointer::join(at, name), None, Some(right), found);
    }
}

fn schema(at: &str, published: &Value, ours: &Value, found: &mut Vec<Difference>) {
    let (Value::Object(left), Value::Object(right)) = (published, ours) else {
        return same(at, published, ours, found);
    };
    for (keyword, left) in left {
        let place = pointer::join(at, keyword);
        match (holds(keyword), right.get(keyword)) {
            (Holds::Prose, _) => {}
            (_, None) => push(&place, Some(left), None, found),
            (kind, Some(right)) => member(kind, &place, left, right, found),
        }
    }
    for (keyword, right) in right {
        if holds(keyword) != Holds::Prose && !left.contains_key(keyword) {
            push(&pointer::join(at, keyword), None, Some(right), found);
        }
    }
}

fn member(kind: Holds, at: &str, published: &Value, ours: &Value, found: &mut Vec<Difference>) {
    match (kind, published, ours) {
        (Holds::SchemaMap | Holds::SchemaOrNamesMap, Value::Object(left), Value::Object(right)) => {
            members(at, left, right, found, schema);
        }
        (Holds::SchemaList | Holds::SchemaOrList, Value::Array(left), Value::Array(right)) => {
            for index in 0..left.len().max(right.len()) {
                let place = format!("{at}/{index}");
                match (left.get(index), right.get(index)) {
                    (Some(left), Some(right)) => schema(&place, left, right, found),
                    (left, right) => push(&place, left, right, found),
                }
            }
        }
        (Holds::Schema | Holds::SchemaOrList, left, right) => schema(at, left, right, found),
        (Holds::Types | Holds::Values | Holds::Names, left, right) => {
            let (all, other) = (elements(left), elements(right));
            if all.len() != other.len() || all.iter().any(|each| !other.contains(each)) {
                push(at, Some(left), Some(right), found);
            }
        }
        (_, left, right) => same(at, left, right, found),
    }
}

/// A single value counts as a list with one element, as in JSON Schema for types.
fn elements(value: &Value) -> &[Value] {
    value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice)
}

fn same(at: &str, published: &Value, ours: &Value, found: &mut Vec<Difference>) {
    if published != ours {
        push(at, Some(published), Some(ours), found);
    }
}

fn push(at: &str, published: Option<&Value>, ours: Option<&Value>, found: &mut Vec<Difference>) {
    found.push(Difference {
        pointer: at.to_owned(),
        published: published.cloned(),
        ours: ours.cloned(),
    });
}
