//! A named type may be of any kind in the next revision, and may refer to itself.

use codegen::project::{Project, Source};
use serde_json::{Value, json};

fn source(name: &str, kind: &Value) -> Source {
    let mut definitions = json!({
        "Kind": kind,
        "Or": { "anyOf": [{ "$ref": "#/$defs/Kind" }, { "$ref": "#/$defs/Book" }] },
        "Nested": { "anyOf": [{ "$ref": "#/$defs/Or" }, { "type": "boolean" }] },
        "Book": {
            "type": "object",
            "properties": {
                "title": { "type": "string" },
                "required": { "$ref": "#/$defs/Kind" },
                "optional": { "$ref": "#/$defs/Kind" },
                "list": { "type": "array", "items": { "$ref": "#/$defs/Kind" } },
                "map": { "type": "object", "additionalProperties": { "$ref": "#/$defs/Kind" } },
                "inline": { "anyOf": [{ "$ref": "#/$defs/Kind" }, { "type": "number" }] },
            },
            "required": ["title", "required"],
        },
    });
    // What the other kinds refer to, different in each revision so that nothing is shared.
    definitions["Leaf"] = json!({ "type": "object", "properties": { name: { "type": "string" } } });
    Source {
        name: name.to_owned(),
        file: format!("{name}.json"),
        text: json!({ "$defs": definitions }).to_string(),
    }
}

fn kinds() -> Vec<(&'static str, Value)> {
    let kind = || json!({ "$ref": "#/$defs/Kind" });
    vec![
        (
            "enumeration",
            json!({ "type": "string", "enum": ["a", "b"] }),
        ),
        (
            "other enumeration",
            json!({ "type": "string", "enum": ["a", "c"] }),
        ),
        (
            "object",
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] }),
        ),
        ("string", json!({ "type": "string" })),
        ("integer", json!({ "type": "integer" })),
        ("null", json!({ "type": "null" })),
        (
            "union with null",
            json!({ "anyOf": [{ "$ref": "#/$defs/Leaf" }, { "type": "string" }, { "type": "null" }] }),
        ),
        ("any", json!({})),
        (
            "any object",
            json!({ "type": "object", "additionalProperties": {} }),
        ),
        ("reference", json!({ "$ref": "#/$defs/Leaf" })),
        (
            "list",
            json!({ "type": "array", "items": { "$ref": "#/$defs/Leaf" } }),
        ),
        (
            "map",
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        ),
        ("nullable", json!({ "type": ["string", "null"] })),
        (
            "union",
            json!({ "anyOf": [{ "$ref": "#/$defs/Leaf" }, { "type": "string" }] }),
        ),
        (
            "list of itself",
            json!({ "type": "array", "items": kind() }),
        ),
        (
            "map of itself",
            json!({ "type": "object", "additionalProperties": kind() }),
        ),
        (
            "union with itself",
            json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": kind() }] }),
        ),
        (
            "union of a union that has it",
            json!({ "anyOf": [{ "type": "integer" }, { "$ref": "#/$defs/Nested" }] }),
        ),
    ]
}

/// The lines of the checklist about the conversions between two forms of a type.
fn conversions(old: &Value, new: &Value) -> Vec<String> {
    let project = Project {
        schemas: vec![source("2000-01-01", old), source("2000-01-02", new)],
        ..Project::default()
    };
    let report = project.review().expect("a review");
    assert_eq!(report.failure, None, "{old} becomes {new}");
    report
        .conversions
        .into_iter()
        .map(|(_, line)| line)
        .collect()
}

#[test]
fn named_type_may_become_any_other_kind_of_type() {
    for (old_name, old) in kinds() {
        for (new_name, new) in kinds() {
            eprintln!("{old_name} becomes {new_name}");
            conversions(&old, &new);
        }
    }
}

#[test]
fn enumeration_that_becomes_a_string_is_a_line_of_the_checklist() {
    let old = json!({ "type": "string", "enum": ["a", "b"] });
    for (old, new) in [
        (old.clone(), json!({ "type": "string" })),
        (json!({ "type": "string" }), old),
    ] {
        let lines = conversions(&old, &new);
        for place in ["`Book.required`", "`Book.optional`", "`Book.list`"] {
            for direction in ["2000-01-01 to 2000-01-02", "2000-01-02 to 2000-01-01"] {
                let line = format!(
                    "{direction}: {place} is an error unless it is valid in both revisions"
                );
                assert!(lines.contains(&line), "{line} is not in {lines:#?}");
            }
        }
    }
}
