//! The comparison of schemas knows every keyword of JSON Schema.

use codegen::schema::{Document, SchemaChange, diff};
use serde_json::{Value, json};

fn changes(old: &Value, new: &Value) -> Vec<SchemaChange> {
    let document = |name: &str, schema: &Value| {
        // Without `$schema`, the keywords of all drafts count.
        let root = json!({
            "$defs": { "A": schema, "N": { "type": "null" }, "T": { "type": "string" } },
        });
        Document::parse(name, &root.to_string()).unwrap()
    };
    diff(&document("old", old), &document("new", new)).changes
}

/// Returns the only change, as `[!]name detail`.
#[track_caller]
fn only(old: &Value, new: &Value) -> String {
    let found = changes(old, new);
    assert_eq!(found.len(), 1, "{old} {new}: {found:#?}");
    let change = &found[0];
    let mark = if change.breaking { "!" } else { "" };
    format!("{mark}{} {}", change.name, change.detail)
}

#[test]
fn every_restriction_is_breaking_when_it_appears() {
    let base = json!({ "properties": { "a": {} } });
    for (keyword, value, name) in [
        ("$ref", json!("#/$defs/N"), "A"),
        ("additionalProperties", json!(false), "A.*"),
        ("allOf", json!([{ "$ref": "#/$defs/N" }]), "A"),
        (
            "anyOf",
            json!([{ "required": ["a"] }, { "required": ["b"] }]),
            "A",
        ),
        ("const", json!({ "a": 1 }), "A"),
        ("contains", json!({ "type": "string" }), "A[one]"),
        ("dependencies", json!({ "a": ["b"] }), "A"),
        ("dependentRequired", json!({ "a": ["b"] }), "A"),
        (
            "dependentSchemas",
            json!({ "a": { "required": ["b"] } }),
            "A{with a}",
        ),
        ("enum", json!([{}, { "a": 1 }]), "A"),
        ("exclusiveMaximum", json!(1), "A"),
        ("exclusiveMinimum", json!(true), "A"),
        ("if", json!({ "required": ["b"] }), "A"),
        ("items", json!({ "type": "string" }), "A[]"),
        ("maxContains", json!(1), "A"),
        ("maxItems", json!(1), "A"),
        ("maxProperties", json!(1), "A"),
        ("minLength", json!(1), "A"),
        ("multipleOf", json!(2), "A"),
        ("not", json!({ "required": ["b"] }), "A"),
        ("oneOf", json!([{ "required": ["a"] }]), "A"),
        ("pattern", json!("^a"), "A"),
        (
            "patternProperties",
            json!({ "^b": { "type": "string" } }),
            "A{^b}",
        ),
        ("prefixItems", json!([{ "type": "string" }]), "A[0]"),
        ("propertyNames", json!({ "maxLength": 3 }), "A{name}"),
        ("required", json!(["b"]), "A.b"),
        ("then", json!({ "required": ["b"] }), "A"),
        ("unevaluatedItems", json!(false), "A[more]"),
        ("unevaluatedProperties", json!({ "type": "string" }), "A.*"),
        ("uniqueItems", json!(true), "A"),
    ] {
        let mut with = base.clone();
        with[keyword] = value;
        let appeared = changes(&base, &with);
        assert!(
            appeared
                .iter()
                .any(|change| change.breaking && change.name == name),
            "{keyword}: {appeared:?}"
        );
        let disappeared = changes(&with, &base);
        assert!(!disappeared.is_empty(), "{keyword}");
        if keyword != "$ref" {
            assert!(
                disappeared.iter().all(|change| !change.breaking),
                "{keyword}: {disappeared:?}"
            );
        }
    }
}

#[test]
fn keywords_that_reject_nothing_are_never_breaking() {
    for (keyword, value) in [
        ("contentEncoding", json!("base64")),
        ("contentMediaType", json!("text/plain")),
        ("default", json!(1)),
        ("deprecated", json!(true)),
        ("format", json!("uri")),
        ("readOnly", json!(true)),
        ("unknown", json!([1])),
        ("x-own", json!(1)),
    ] {
        let found = only(&json!({}), &json!({ keyword: value }));
        assert!(found.starts_with("A "), "{found}");
    }
    let uninteresting = json!({ "$comment": "c", "$anchor": "a", "allOf": [{ "title": "t" }] });
    assert_eq!(changes(&json!({}), &uninteresting), []);
}

#[test]
fn false_is_the_narrowest_schema() {
    let object = |further: Value| json!({ "type": "object", "additionalProperties": further });
    let text = json!({ "type": "string" });
    for (old, new, expected) in [
        (json!(true), json!(false), "!A.* is not allowed any more"),
        (json!(false), json!(true), "A.* is not limited any more"),
        (json!(false), text.clone(), "A.* is allowed"),
        (text.clone(), json!(false), "!A.* is not allowed any more"),
    ] {
        assert_eq!(only(&object(old), &object(new)), expected);
    }
}

#[test]
fn parts_of_all_of_are_compared_one_by_one() {
    let all = |parts: &[Value]| json!({ "allOf": parts });
    let (null, text) = (
        json!({ "$ref": "#/$defs/N" }),
        json!({ "$ref": "#/$defs/T" }),
    );
    let both = all(&[text.clone(), null.clone()]);
    assert_eq!(changes(&both, &all(&[null.clone(), text.clone()])), []);
    let one = json!({ "allOf": [(null)] });
    assert_eq!(only(&one, &both), "!A also has to be T");
    assert_eq!(only(&both, &one), "A need no longer be T");
    let bound = |minimum: u8| all(&[null.clone(), json!({ "minimum": minimum })]);
    assert_eq!(only(&bound(1), &bound(2)), "!A has `minimum` 2, was 1");
}

#[test]
fn keywords_beside_references_and_unions_count() {
    let beside = |minimum: u8| json!({ "$ref": "#/$defs/N", "minimum": minimum });
    assert_eq!(only(&beside(2), &beside(1)), "A has `minimum` 1, was 2");
    let plain = json!({ "$ref": "#/$defs/N" });
    assert_eq!(only(&plain, &beside(1)), "!A has `minimum` 1, was nothing");
    let union = |maximum: u8, more: &str| json!({ "anyOf": [{ "type": "string" }, { "type": more }], "maximum": maximum });
    assert_eq!(
        only(&union(1, "null"), &union(2, "null")),
        "A has `maximum` 2, was 1"
    );
    assert_eq!(
        only(&union(1, "null"), &union(1, "boolean")),
        "!A is boolean, was null"
    );
    let alternatives = json!([{ "type": "string" }, { "type": "null" }]);
    let (any, one) = (
        json!({ "anyOf": alternatives }),
        json!({ "oneOf": alternatives }),
    );
    assert_eq!(only(&any, &one), "!A has to match only one alternative");
    assert_eq!(only(&one, &any), "A may match several alternatives");
}
