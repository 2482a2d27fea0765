//! Resolves references, unions and types of a schema for the comparison.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::error::describe_value;
use super::keyword::{TYPES, restricts};
use super::values::types;
use super::{Document, reference};

/// Follows references and returns the schema that they lead to.
pub(crate) fn resolve<'a>(document: &'a Document, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..document.definitions.len() {
        match reference(schema).and_then(|name| document.definitions.get(name)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

/// Returns the members of a union as they are written. A schema that has further restrictions
/// beside them is no union.
fn listed(schema: &Value) -> Option<&Vec<Value>> {
    let is_union = |keyword: &str| matches!(keyword, "anyOf" | "oneOf");
    let members = schema.as_object()?;
    let mut restricting = members.keys().filter(|keyword| restricts(keyword));
    let only = restricting.next()?;
    if !is_union(only) || restricting.next().is_some() {
        return None;
    }
    members.get(only)?.as_array()
}

/// Returns `true` if a schema is a union or refers to one.
pub(super) fn is_union(document: &Document, schema: &Value) -> bool {
    listed(resolve(document, schema)).is_some()
}

/// Returns the members of a union and of the unions among them, or the schema itself if it is not a
/// union.
pub(super) fn variants<'a>(document: &'a Document, schema: &'a Value) -> Vec<&'a Value> {
    let mut found = Vec::new();
    collect(document, schema, &mut HashSet::new(), &mut found);
    found
}

fn collect<'a>(
    document: &'a Document,
    schema: &'a Value,
    seen: &mut HashSet<&'a str>,
    found: &mut Vec<&'a Value>,
) {
    match listed(resolve(document, schema)) {
        None => found.push(schema),
        Some(members) => {
            if reference(schema).is_none_or(|name| seen.insert(name)) {
                for member in members {
                    collect(document, member, seen, found);
                }
            }
        }
    }
}

/// Returns `true` if a schema accepts every value, such as a union of all JSON types.
pub(super) fn is_anything(document: &Document, schema: &Value) -> bool {
    anything(document, schema, &mut HashSet::new())
}

fn anything<'a>(document: &'a Document, schema: &'a Value, seen: &mut HashSet<&'a str>) -> bool {
    if *schema == Value::Bool(true) || schema.as_object().is_some_and(Map::is_empty) {
        return true;
    }
    if let Some(name) = reference(schema) {
        // A recursive type accepts every value if the rest of it does.
        if !seen.insert(name) {
            return true;
        }
        let all = anything(document, resolve(document, schema), seen);
        seen.remove(name);
        return all;
    }
    let Some(members) = listed(schema) else {
        return false;
    };
    let mut covered = HashSet::new();
    for member in members {
        let target = resolve(document, member);
        let plain = target.as_object().is_some_and(|keywords| {
            keywords
                .iter()
                .all(|(keyword, inner)| match keyword.as_str() {
                    "type" => true,
                    "additionalProperties" | "items" => anything(document, inner, seen),
                    _ => false,
                })
        });
        if plain {
            covered.extend(types(target));
        }
    }
    let number = covered.contains("number");
    TYPES
        .iter()
        .all(|name| covered.contains(name) || (*name == "integer" && number))
}

/// Describes a schema in a few words.
pub(super) fn described(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        return name.to_owned();
    }
    match (types(schema).as_slice(), schema.get("items")) {
        (["array"], Some(items)) => format!("an array of {}", described(items)),
        (["array"], None) => "an array".to_owned(),
        (["object"], _) => "an object".to_owned(),
        (names, _) if names.len() < TYPES.len() && schema.as_object().is_some_and(only_type) => {
            type_names(names)
        }
        _ => describe_value(Some(schema)),
    }
}

fn only_type(members: &Map<String, Value>) -> bool {
    members.len() == 1
}

/// Describes a list of types in a few words.
pub(super) fn type_names(names: &[&str]) -> String {
    if names.len() == TYPES.len() {
        "of any type".to_owned()
    } else {
        names.join(" or ")
    }
}
