//! A JSON Schema validator that is independent of the types of the crate.

use std::collections::BTreeSet;

use jsonschema::Draft;
use serde_json::{Map, Value, json};

use super::node::target;

/// Validates instances of one definition.
#[derive(Debug)]
pub(crate) struct Validator(jsonschema::Validator);

impl Validator {
    /// Creates the validator for `name`, always for draft 2020-12: `format` is an annotation there,
    /// while draft-07, which older revisions use, would make it an assertion.
    ///
    /// # Panics
    ///
    /// Panics if the definitions are not a valid schema.
    pub(crate) fn new(definitions: &Map<String, Value>, name: &str) -> Self {
        let mut reachable = BTreeSet::new();
        reach(definitions, name, &mut reachable);
        let mut kept = Map::new();
        for name in &reachable {
            kept.insert(name.clone(), rewritten(&definitions[name]));
        }
        let schema = json!({ "$ref": format!("#/$defs/{name}"), "$defs": kept });
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(false)
            .build(&schema);
        Validator(validator.unwrap_or_else(|why| panic!("{name}: {why}")))
    }

    /// Returns `true` if the schema accepts the value.
    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// Returns the validation errors of the value; empty if it is valid.
    pub(crate) fn errors(&self, value: &Value) -> String {
        let faults = self.0.iter_errors(value);
        let lines = faults.map(|why| format!("{}: {why}", why.instance_path()));
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn reach(definitions: &Map<String, Value>, name: &str, seen: &mut BTreeSet<String>) {
    let Some(schema) = definitions.get(name) else {
        panic!("no definition {name}")
    };
    if seen.insert(name.to_owned()) {
        references(schema, &mut |name| reach(definitions, name, seen));
    }
}

fn references(schema: &Value, found: &mut dyn FnMut(&str)) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(members) => {
            for (key, value) in members {
                if key == "$ref" && value.is_string() {
                    found(target(value));
                } else {
                    references(value, found);
                }
            }
        }
        _ => {}
    }
}

/// Normalizes references, and removes any nested `$schema` or `$id` that would select another
/// draft.
fn rewritten(schema: &Value) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(rewritten).collect(),
        Value::Object(members) => {
            let mut kept = Map::new();
            for (key, value) in members {
                // A member with that name in `properties` is a schema and not a string.
                match (key.as_str(), value) {
                    ("$schema" | "$id" | "description", Value::String(_)) => {}
                    ("$ref", Value::String(_)) => {
                        kept.insert(key.clone(), json!(format!("#/$defs/{}", target(value))));
                    }
                    _ => {
                        kept.insert(key.clone(), rewritten(value));
                    }
                }
            }
            Value::Object(kept)
        }
        other => other.clone(),
    }
}
