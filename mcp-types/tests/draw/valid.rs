//! The judge: a JSON Schema validator that knows nothing of our types.

use std::collections::BTreeSet;

use jsonschema::Draft;
use serde_json::{Map, Value, json};

use super::node::target;

/// Decides whether a value is an instance of one definition.
#[derive(Debug)]
pub(crate) struct Validator(jsonschema::Validator);

impl Validator {
    /// Builds the validator of `name`, always under draft 2020-12: `format` is an annotation there,
    /// while draft-07, which older revisions name, would make it an assertion.
    ///
    /// # Panics
    /// When the definitions are no schema.
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

    /// Whether the schema accepts the value.
    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// What the schema has against the value; empty when it accepts it.
    pub(crate) fn complaints(&self, value: &Value) -> String {
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

/// References in the one form, and no `$schema` or `$id` inside that would name another draft.
fn rewritten(schema: &Value) -> Value {
    match schema {
        Value::Array(items) => items.iter().map(rewritten).collect(),
        Value::Object(members) => {
            let mut kept = Map::new();
            for (key, value) in members {
                // A member of that name, in `properties`, holds a schema and not a string.
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
