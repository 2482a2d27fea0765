//! Visits a schema and all schemas inside it.
//!
//! Only values that are schemas according to their keywords are visited, so that a property named
//! `properties` or a constant that looks like a schema is not mistaken for one.

use serde_json::{Map, Value};

use super::keyword::{Holds, holds};
use super::pointer;

const PREFIX: &str = "#/$defs/";

/// Returns the name of the definition to which `$ref` refers, in the form used in memory.
#[must_use]
pub fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(PREFIX)
}

/// Returns the `$ref` to a definition, in the form used in memory.
pub(super) fn reference_to(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// Calls `visit` with the JSON pointer and the members of a schema and of each schema inside it,
/// outer ones first.
pub fn walk<'a>(schema: &'a Value, at: &str, visit: &mut dyn FnMut(&str, &'a Map<String, Value>)) {
    let Value::Object(members) = schema else {
        return;
    };
    visit(at, members);
    for_each_inner(members, at, &mut |at, schema| walk(schema, at, visit));
}

/// Calls `visit` with the JSON pointer and the value of each schema directly inside another one.
pub(super) fn for_each_inner<'a>(
    members: &'a Map<String, Value>,
    at: &str,
    visit: &mut dyn FnMut(&str, &'a Value),
) {
    for (keyword, value) in members {
        let place = || pointer::join(at, keyword);
        match (holds(keyword), value) {
            (Holds::SchemaList | Holds::SchemaOrList, Value::Array(schemas)) => {
                for (index, schema) in schemas.iter().enumerate() {
                    visit(&format!("{}/{index}", place()), schema);
                }
            }
            (Holds::SchemaMap | Holds::SchemaOrNamesMap, Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    visit(&pointer::join(&place(), name), schema);
                }
            }
            (Holds::Schema | Holds::SchemaOrList, schema) => visit(&place(), schema),
            _ => {}
        }
    }
}

/// Calls `visit` with the members of a schema and of each schema inside it, outer ones first.
pub fn walk_mut(schema: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    let Value::Object(members) = schema else {
        return;
    };
    visit(members);
    for (keyword, value) in members {
        match (holds(keyword), value) {
            (Holds::SchemaList | Holds::SchemaOrList, Value::Array(schemas)) => {
                for schema in schemas {
                    walk_mut(schema, visit);
                }
            }
            (Holds::SchemaMap | Holds::SchemaOrNamesMap, Value::Object(schemas)) => {
                for schema in schemas.values_mut() {
                    walk_mut(schema, visit);
                }
            }
            (Holds::Schema | Holds::SchemaOrList, schema) => walk_mut(schema, visit),
            _ => {}
        }
    }
}
