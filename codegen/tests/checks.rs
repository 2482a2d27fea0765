//! What types do not express is checked by tables.

use codegen::project::{Project, Standalone, StandaloneOptions};
use serde_json::{Value, json};

fn generate(schema: &Value) -> Standalone {
    let project = Project::default();
    project
        .standalone(
            "root",
            "root.json",
            &schema.to_string(),
            &StandaloneOptions::default(),
        )
        .unwrap()
}

/// Returns the tables of a schema, or nothing if it needs none.
fn tables(outcome: &Standalone) -> &str {
    let file = outcome.files.iter().find(|file| file.path == "checks.rs");
    file.map_or("", |file| &file.text)
}

/// Returns the types of a schema and the tables from which their codecs follow.
fn types(outcome: &Standalone) -> String {
    let files = outcome.files.iter().filter(|file| file.path != "checks.rs");
    files.map(|file| file.text.as_str()).collect()
}

fn modern(schema: &Value) -> Value {
    let mut schema = schema.clone();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema
}

#[test]
fn restriction_has_a_check_in_each_place() {
    let some = json!({ "type": "string", "maxLength": 3 });
    for (restriction, check) in [
        (json!({ "type": "string", "pattern": "^a" }), "Pattern("),
        (
            json!({ "type": "string", "minLength": 2 }),
            "Length(2, usize::MAX)",
        ),
        (
            json!({ "type": "number", "minimum": 0.5 }),
            "Minimum(\"0.5\")",
        ),
        (
            json!({ "type": "number", "exclusiveMaximum": 1 }),
            "Below(\"1\")",
        ),
        (
            json!({ "type": "number", "multipleOf": 0.01 }),
            "MultipleOf(\"0.01\")",
        ),
        (json!({ "type": "array", "uniqueItems": true }), "Unique"),
        (json!({ "type": "array", "maxItems": 2 }), "Items(0, 2)"),
        (
            json!({ "type": "array", "prefixItems": [some, some, {}] }),
            "First(",
        ),
        (
            json!({ "type": "array", "contains": some }),
            "Contains(1, usize::MAX, ",
        ),
        (
            json!({ "type": "array", "unevaluatedItems": some }),
            "UnseenItems(",
        ),
        (
            json!({ "type": "object", "minProperties": 1 }),
            "Members(1, usize::MAX)",
        ),
        (json!({ "type": "object", "propertyNames": some }), "Names("),
        (
            json!({ "type": "object", "patternProperties": { "^a": some } }),
            "Matching(",
        ),
        (
            json!({ "type": "object", "dependentRequired": { "a": ["b"] } }),
            "With(\"a\", ",
        ),
        (
            json!({ "type": "object", "dependentSchemas": { "a": { "required": ["b"] } } }),
            "With(",
        ),
        (
            json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": some }),
            "Others(",
        ),
        (
            json!({ "enum": [1, 2.5, [null, {"a": true}]] }),
            "Literal::Object(",
        ),
        (json!({ "not": { "type": "string" } }), "Not("),
        (json!({ "if": { "type": "string" }, "then": some }), "If("),
        (
            json!({ "type": "string", "allOf": [some, { "minLength": 1 }] }),
            "All(",
        ),
        (
            json!({ "oneOf": [{ "type": "number" }, { "type": "integer" }] }),
            "One(",
        ),
    ] {
        let of =
            |key: &str, value: Value| json!({ "type": "object", "properties": { key: value } });
        for place in [
            json!({ "$defs": { "A": restriction } }),
            of("member", restriction.clone()),
            of("list", json!({ "type": "array", "items": restriction })),
            of(
                "map",
                json!({ "type": "object", "additionalProperties": restriction }),
            ),
            of(
                "union",
                json!({ "anyOf": [{ "type": "boolean" }, restriction] }),
            ),
            json!({ "$defs": { "A": restriction }, "properties": { "a": { "$ref": "#/$defs/A" } }, "type": "object" }),
        ] {
            let outcome = generate(&modern(&place));
            let mut warnings = outcome.warnings.iter();
            let unchecked = warnings.find(|warning| warning.contains("is not checked"));
            assert_eq!(unchecked, None, "{place}");
            // Some restrictions of members are expressed by their types.
            let typed = ["sized(", "number(", "bool"];
            let is_typed = typed.iter().any(|kind| types(&outcome).contains(kind));
            assert!(
                is_typed || tables(&outcome).contains(check),
                "{place}: {}",
                tables(&outcome)
            );
        }
    }
}

#[test]
fn schema_that_types_express_has_no_table() {
    let outcome = generate(&json!({
        "$defs": {
            "A": { "type": "string" },
            "B": {
                "type": "object",
                "properties": {
                    "a": { "$ref": "#/$defs/A" },
                    "n": { "type": "integer", "minimum": 1 },
                    "u": { "oneOf": [{ "type": "string" }, { "type": "array", "items": { "$ref": "#/$defs/B" } }] },
                },
                "additionalProperties": false,
            },
            "C": { "allOf": [{ "$ref": "#/$defs/D" }, { "type": "object", "properties": { "c": {} } }] },
            "D": { "type": "object", "properties": { "d": {} }, "required": ["d"] },
            "E": { "oneOf": [{ "$ref": "#/$defs/F" }, { "$ref": "#/$defs/G" }] },
            "F": { "type": "object", "properties": { "kind": { "const": "f" } }, "required": ["kind"] },
            "G": { "type": "object", "properties": { "kind": { "const": "g" } }, "required": ["kind"] },
        },
    }));
    assert_eq!(tables(&outcome), "");
    assert_eq!(outcome.warnings, Vec::<String>::new());
    assert!(types(&outcome).contains("pub type A = String;"));
}

#[test]
fn name_of_a_restricted_value_is_a_type_of_its_own() {
    let outcome =
        generate(&json!({ "$defs": { "Code": { "type": "string", "pattern": "^[A-Z]+$" } } }));
    assert!(
        types(&outcome).contains("pub enum Code"),
        "{}",
        types(&outcome)
    );
    assert_eq!(outcome.names["Code"], "Code");
}

#[test]
fn only_a_schema_with_patterns_needs_regular_expressions() {
    let with = generate(&json!({ "$defs": { "A": { "type": "string", "pattern": "^\\d+$" } } }));
    assert!(tables(&with).contains("regex::Regex::new"));
    let without = generate(&json!({ "$defs": { "A": { "type": "string", "minLength": 1 } } }));
    assert!(!tables(&without).contains("regex"));
}

#[test]
fn what_cannot_be_checked_makes_nothing_else_narrower() {
    let ahead = json!({ "type": "string", "pattern": "^(?!a)" });
    let not = |keyword: &str, at: &str| {
        format!("`{keyword}` at `/A{at}` is not checked: the type accepts more than the schema")
    };
    for (schema, check, expected) in [
        (ahead.clone(), "Pattern(", vec![not("pattern", "")]),
        (
            json!({ "not": ahead }),
            "Not(",
            vec![not("not", ""), not("pattern", "/not")],
        ),
        (
            json!({ "not": { "$ref": "#/$defs/Ahead" } }),
            "Not(",
            vec![not("not", "")],
        ),
        (
            json!({ "if": ahead, "then": false }),
            "If(",
            vec![not("if", ""), not("pattern", "/if")],
        ),
        (
            json!({ "oneOf": [{ "type": "string" }, ahead] }),
            "One(",
            vec![not("oneOf", ""), not("pattern", "/oneOf/1")],
        ),
        (
            json!({ "type": "object", "patternProperties": { "^(?!a)": {} }, "additionalProperties": false }),
            "Others(",
            vec![not("patternProperties", "")],
        ),
    ] {
        let outcome = generate(&modern(
            &json!({ "$defs": { "A": schema, "Ahead": ahead } }),
        ));
        let own = outcome
            .warnings
            .iter()
            .filter(|warning| warning.contains("`/A`") || warning.contains("`/A/"));
        let own: Vec<&String> = own.collect();
        assert_eq!(own, expected.iter().collect::<Vec<_>>(), "{schema}");
        assert!(
            !tables(&outcome).contains(check),
            "{schema}: {}",
            tables(&outcome)
        );
    }
}

#[test]
fn reference_that_depends_on_the_way_to_it_is_a_warning() {
    let schema = modern(&json!({
        "$defs": {
            "A": { "type": "array", "items": { "$dynamicRef": "#item" } },
            "B": { "$dynamicAnchor": "item", "type": "string" },
            "C": { "$id": "https://example.com/c", "$dynamicAnchor": "item", "type": "number" },
        },
    }));
    let outcome = generate(&schema);
    let warning =
        "`$dynamicRef` at `/A/items` is not checked: the type accepts more than the schema";
    assert_eq!(outcome.warnings, [warning]);
}

#[test]
fn identifier_beside_a_reference_has_no_effect_in_draft_07() {
    let schema = json!({
        "$id": "http://example.com/schemas/base/",
        "definitions": {
            "text": { "$id": "http://example.com/schemas/text.json", "type": "string" },
            "number": { "$id": "text.json", "type": "number" },
            "a": {
                "type": "object",
                "properties": { "m": { "$id": "http://example.com/schemas/", "$ref": "text.json" } },
            },
        },
    });
    let outcome = generate(&schema);
    assert_eq!(
        outcome.originals["a"]["properties"]["m"]["$ref"],
        "#/$defs/number"
    );
}

#[test]
fn parts_that_contain_themselves_or_stand_twice_end() {
    let itself = json!({"type": "object", "allOf": [{"$ref": "#"}]});
    let mutual = json!({"$defs": {
        "A": {"allOf": [{"$ref": "#/$defs/B"}]},
        "B": {"allOf": [{"$ref": "#/$defs/A"}, {"type": "object"}]},
    }});
    let mut definitions = serde_json::Map::new();
    for at in 0..24 {
        let next = json!({"$ref": format!("#/$defs/A{}", at + 1)});
        definitions.insert(format!("A{at}"), json!({"allOf": [next, next]}));
    }
    let last = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    definitions.insert("A24".to_owned(), last);
    for schema in [itself, mutual, json!({ "$defs": definitions })] {
        let project = Project::default();
        let options = StandaloneOptions::default();
        // Whether it has types is another question.
        let _ = project.standalone("root", "root.json", &schema.to_string(), &options);
    }
}
