//! Checks that a value is a schema.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::error::{SchemaError, describe_value};
use super::keyword::{Holds, TYPES, holds};
use super::{pointer, reference, walk};

/// Checks a schema, its keywords and all schemas inside it. Does not follow references.
pub(super) fn schema(file: &str, at: &str, value: &Value) -> Result<(), SchemaError> {
    match value {
        Value::Bool(_) => Ok(()),
        Value::Object(members) => members
            .iter()
            .try_for_each(|(keyword, value)| member(file, at, keyword, value)),
        _ => Err(unexpected_value(
            file,
            at,
            "an object, `true` or `false`",
            value,
        )),
    }
}

/// Checks that every reference inside a schema refers to one of the definitions.
pub(super) fn references(
    file: &str,
    at: &str,
    value: &Value,
    definitions: &Map<String, Value>,
) -> Result<(), SchemaError> {
    let mut fault = None;
    walk(value, at, &mut |at, members| {
        let Some(Value::String(text)) = members.get("$ref") else {
            return;
        };
        // Other references lead to other documents, see `Document::gather`.
        let there = text
            .strip_prefix("#/$defs/")
            .is_none_or(|name| definitions.contains_key(name));
        if !there && fault.is_none() {
            fault = Some(SchemaError::DanglingRef {
                file: file.to_owned(),
                pointer: pointer::join(at, "$ref"),
                reference: text.clone(),
            });
        }
    });
    fault.map_or(Ok(()), Err)
}

/// Checks one keyword of a schema. `at` points to the schema.
pub(super) fn member(
    file: &str,
    at: &str,
    keyword: &str,
    value: &Value,
) -> Result<(), SchemaError> {
    let place = pointer::join(at, keyword);
    let fits = |fits: bool, expected| {
        if fits {
            Ok(())
        } else {
            Err(unexpected_value(file, &place, expected, value))
        }
    };
    match holds(keyword) {
        Holds::Schema => schema(file, &place, value),
        Holds::SchemaList => {
            let list = value.as_array().filter(|list| !list.is_empty());
            fits(list.is_some(), "an array of at least one schema")?;
            list.into_iter()
                .flatten()
                .enumerate()
                .try_for_each(|(index, value)| schema(file, &format!("{place}/{index}"), value))
        }
        Holds::SchemaOrList => match value {
            Value::Array(list) => list
                .iter()
                .enumerate()
                .try_for_each(|(index, value)| schema(file, &format!("{place}/{index}"), value)),
            _ => schema(file, &place, value),
        },
        Holds::SchemaMap => {
            fits(value.is_object(), "an object with schemas as values")?;
            value
                .as_object()
                .into_iter()
                .flatten()
                .try_for_each(|(name, value)| schema(file, &pointer::join(&place, name), value))
        }
        Holds::SchemaOrNamesMap => {
            fits(
                value.is_object(),
                "an object with schemas or lists of names as values",
            )?;
            let values = value.as_object().into_iter().flatten();
            values
                .filter(|(_, value)| !names(value))
                .try_for_each(|(name, value)| schema(file, &pointer::join(&place, name), value))
        }
        Holds::Reference => fits(value.is_string(), "a reference"),
        Holds::Types => fits(types(value), "the name of a JSON type, or an array of them"),
        Holds::Values => fits(
            value.as_array().is_some_and(|all| !all.is_empty()),
            "an array of at least one value",
        ),
        Holds::Names => fits(names(value), "an array of distinct names"),
        Holds::Number => fits(value.is_number(), "a number"),
        Holds::PositiveNumber => fits(
            value.as_f64().is_some_and(|number| number > 0.0),
            "a number above 0",
        ),
        Holds::NumberOrFlag => fits(value.is_number() || value.is_boolean(), "a number"),
        Holds::Count => fits(is_count(value), "an integer that is not negative"),
        Holds::Flag => fits(value.is_boolean(), "`true` or `false`"),
        Holds::Text => fits(value.is_string(), "a string"),
        Holds::Data | Holds::Prose | Holds::Unknown => Ok(()),
    }
}

/// Returns `true` for an integer that is not negative, also in the form `2.0`.
fn is_count(value: &Value) -> bool {
    let is_whole = |number: f64| number >= 0.0 && number.fract() == 0.0;
    value.is_u64() || value.as_f64().is_some_and(is_whole)
}

fn types(value: &Value) -> bool {
    let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    known(value)
        || (names(value)
            && value
                .as_array()
                .is_some_and(|all| !all.is_empty() && all.iter().all(known)))
}

fn names(value: &Value) -> bool {
    let mut found = HashSet::new();
    value.as_array().is_some_and(|all| {
        all.iter()
            .all(|name| name.as_str().is_some_and(|name| found.insert(name)))
    })
}

/// Returns the definitions from which plain references lead back to them, so that they have no content.
pub(super) fn circular(definitions: &Map<String, Value>) -> BTreeSet<&str> {
    let mut circular = BTreeSet::new();
    let mut known = BTreeSet::new();
    for name in definitions.keys() {
        let mut way = Vec::new();
        let mut next = Some(name.as_str());
        while let Some(name) = next.filter(|name| known.insert(*name)) {
            way.push(name);
            next = definitions.get(name).and_then(reference);
        }
        let start = way.iter().position(|name| Some(*name) == next);
        circular.extend(
            start
                .into_iter()
                .flat_map(|start| way[start..].iter().copied()),
        );
    }
    circular
}

/// Returns the error for a value that is not valid at its position.
pub(super) fn unexpected_value(
    file: &str,
    at: &str,
    expected: &'static str,
    found: &Value,
) -> SchemaError {
    SchemaError::NotASchema {
        file: file.to_owned(),
        pointer: at.to_owned(),
        expected,
        found: describe_value(Some(found)),
    }
}
