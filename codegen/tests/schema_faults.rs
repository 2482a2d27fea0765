//! Invalid documents are rejected with an error that has the file and the position.

use std::error::Error as _;

use codegen::schema::{Dialect, Document, Errata, Facts, Patch, SchemaError};
use serde_json::{Value, json};

fn parse(root: &Value) -> Result<Document, SchemaError> {
    Document::parse("some.json", &root.to_string())
}

/// Creates a document of draft 2020-12 with one definition.
fn with(schema: &Value) -> Result<Document, SchemaError> {
    parse(&json!({ "$defs": { "A": schema, "B": {} } }))
}

fn message(schema: &Value) -> String {
    let error = with(schema).unwrap_err().to_string();
    assert!(error.starts_with("some.json: at `/$defs/A"), "{error}");
    error
}

#[test]
fn text_that_is_not_json_is_rejected() {
    let error = Document::parse("some.json", "{\n  \"a\": 1,\n}").unwrap_err();
    assert!(matches!(error, SchemaError::NotJson { .. }));
    assert_eq!(error.to_string(), "some.json:3:1: not JSON");
}

#[test]
fn member_that_occurs_twice_is_rejected_with_its_path() {
    for (text, place) in [
        (
            r#"{"$defs":{"A":{"type":"string"},"B":{},"A":{}}}"#,
            "/$defs/A",
        ),
        (r#"{"$defs":{"A":{},"B":{}},"$defs":{}}"#, "/$defs"),
        (
            r#"{"definitions":{"a/b":{"properties":{"c":{"type":"null","type":"null"}}}}}"#,
            "/definitions/a~1b/properties/c/type",
        ),
        // Names are compared as they are, not as they are written.
        (
            r#"{"$defs":{"A":{"anyOf":[{},{"default":[0,{"x":1,"\u0078":1.5e300}]}]}}}"#,
            "/$defs/A/anyOf/1/default/1/x",
        ),
    ] {
        let error = Document::parse("some.json", text).unwrap_err();
        let expected =
            format!("some.json:1: the member at `{place}` occurs twice: expected distinct names");
        assert_eq!(error.to_string(), expected);
    }
    let fine = r#"{"$defs":{"A":{"properties":{"A":{},"a":{}}},"a":{"enum":["A","A "]}}}"#;
    assert!(Document::parse("some.json", fine).is_ok());
    // What is not JSON is reported as such.
    let error = Document::parse("some.json", r#"{"$defs":{"A":{},"A":{}"#).unwrap_err();
    assert!(matches!(error, SchemaError::NotJson { .. }), "{error}");
}

#[test]
fn member_of_errata_facts_and_patches_that_occurs_twice_is_rejected() {
    let text = r#"{"changes":{},"changes":{}}"#;
    let errors = [
        Errata::parse("e.json", text)
            .unwrap_err()
            .source()
            .map(ToString::to_string),
        Facts::parse("f.json", text)
            .unwrap_err()
            .source()
            .map(ToString::to_string),
        Patch::parse("p.json", text)
            .unwrap_err()
            .source()
            .map(ToString::to_string),
    ];
    for error in errors {
        let error = error.unwrap_or_default();
        assert!(
            error.contains("the member at `/changes` occurs twice"),
            "{error}"
        );
    }
}

#[test]
fn document_that_is_no_schema_is_rejected() {
    for root in [json!([]), json!(1), json!("a"), json!(null)] {
        assert!(matches!(parse(&root), Err(SchemaError::NotASchema { .. })));
    }
    assert!(parse(&json!({ "$defs": [] })).is_err());
}

#[test]
fn schema_without_definitions_is_one() {
    for root in [
        json!(true),
        json!(false),
        json!({}),
        json!({ "type": "integer" }),
        json!({ "type": "object" }),
    ] {
        let definitions = parse(&root).unwrap().definitions;
        assert_eq!(Value::Object(definitions), json!({ "Some": root }));
    }
    let listed = parse(&json!({ "type": "object", "$defs": { "A": {} } }));
    assert_eq!(listed.unwrap().definitions.len(), 1);
    let both = parse(&json!({ "type": "integer", "$defs": { "A": {} } }));
    assert_eq!(both.unwrap().definitions.len(), 2);
}

#[test]
fn invalid_values_of_keywords_are_rejected() {
    for (schema, place) in [
        (json!(1), "/$defs/A"),
        (json!({ "properties": [] }), "/$defs/A/properties"),
        (
            json!({ "properties": { "a/b": 1 } }),
            "/$defs/A/properties/a~1b",
        ),
        (json!({ "required": "a" }), "/$defs/A/required"),
        (json!({ "required": ["a", 1] }), "/$defs/A/required"),
        (json!({ "required": ["a", "a"] }), "/$defs/A/required"),
        (json!({ "type": "text" }), "/$defs/A/type"),
        (json!({ "type": [] }), "/$defs/A/type"),
        (json!({ "enum": {} }), "/$defs/A/enum"),
        (json!({ "enum": [] }), "/$defs/A/enum"),
        (json!({ "anyOf": [] }), "/$defs/A/anyOf"),
        (json!({ "anyOf": [{}, 1] }), "/$defs/A/anyOf/1"),
        (json!({ "items": [1] }), "/$defs/A/items/0"),
        (json!({ "minimum": "1" }), "/$defs/A/minimum"),
        (json!({ "minLength": -1 }), "/$defs/A/minLength"),
        (json!({ "multipleOf": 0 }), "/$defs/A/multipleOf"),
        (json!({ "multipleOf": -0.5 }), "/$defs/A/multipleOf"),
        (json!({ "uniqueItems": 1 }), "/$defs/A/uniqueItems"),
        (json!({ "pattern": 1 }), "/$defs/A/pattern"),
        (json!({ "not": { "type": "text" } }), "/$defs/A/not/type"),
        (json!({ "if": 1 }), "/$defs/A/if"),
        (json!({ "prefixItems": {} }), "/$defs/A/prefixItems"),
        (
            json!({ "dependencies": { "a": 1 } }),
            "/$defs/A/dependencies/a",
        ),
        (
            json!({ "additionalProperties": 1 }),
            "/$defs/A/additionalProperties",
        ),
    ] {
        let error = message(&schema);
        assert!(
            error.contains(&format!("at `{place}`: not a schema")),
            "{error}"
        );
    }
}

#[test]
fn names_and_values_are_not_mistaken_for_keywords() {
    let schema = json!({
        "properties": { "if": {}, "$ref": { "type": "string" }, "properties": true },
        "const": { "$ref": "nowhere", "if": 1 },
        "enum": [{ "type": "nothing" }],
        "default": { "properties": 1 },
        "x-note": { "if": 1 },
        "_enum": [1],
    });
    assert_eq!(with(&schema).unwrap().definitions["A"], schema);
}

#[test]
fn dangling_references_are_rejected() {
    let error = with(&json!({ "items": { "$ref": "#/$defs/C" } })).unwrap_err();
    assert!(
        matches!(&error, SchemaError::DanglingRef { pointer, reference, .. }
        if pointer == "/$defs/A/items/$ref" && reference == "#/$defs/C")
    );
    for reference in ["#/definitions/B", "#/$defs/B/items", "#B", "#/$defs/%zz"] {
        let error = with(&json!({ "$ref": reference })).unwrap_err();
        assert!(matches!(error, SchemaError::DanglingRef { .. }), "{error}");
    }
}

#[test]
fn circular_reference_is_rejected() {
    assert!(with(&json!({ "$ref": "#/$defs/A" })).is_err());
    let ring = json!({ "$defs": { "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A" } } });
    assert!(parse(&ring).is_err());
    assert!(with(&json!({ "items": { "$ref": "#/$defs/A" } })).is_ok());
}

#[test]
fn dialects_differ_only_in_the_file() {
    let old = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": { "A<b/c>": { "type": "string" }, "D": { "$ref": "#/definitions/A%3Cb~1c%3E" } },
    });
    let document = parse(&old).unwrap();
    assert_eq!(document.dialect, Dialect::Draft07);
    assert_eq!(document.definitions["D"]["$ref"], "#/$defs/A<b/c>");
    let written: Value = serde_json::from_str(&document.to_json()).unwrap();
    assert_eq!(written, old);
    assert!(document.to_json().starts_with("{\n  \"$schema\""));
    assert!(document.to_json().ends_with("}\n"));
}

#[test]
fn properties_named_like_text_keywords_are_kept() {
    let document = with(&json!({
        "title": "T", "description": "D", "$comment": "C", "examples": [1],
        "properties": {
            "title": { "description": "D", "type": "string" },
            "description": { "$ref": "#/$defs/B", "description": "D" },
        },
        "items": { "anyOf": [{ "title": "T" }] },
        "default": { "description": "kept" },
    }));
    let bare = document.unwrap().without_prose();
    let expected = json!({
        "properties": { "title": { "type": "string" }, "description": { "$ref": "#/$defs/B" } },
        "items": { "anyOf": [{}] },
        "default": { "description": "kept" },
    });
    assert_eq!(bare.definitions["A"], expected);
}
