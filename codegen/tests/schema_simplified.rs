//! What types cannot express is left out of a schema, with a warning for each restriction.

use codegen::schema::{Document, WarningKind};
use serde_json::{Value, json};

fn document(root: &Value) -> Document {
    Document::parse("some.json", &root.to_string()).unwrap()
}

/// Returns the simplified form of the definition `A`, and the pointers and keywords of the
/// warnings.
fn simplified(schema: &Value) -> (Value, Vec<String>) {
    // All keywords count, because no draft is named.
    let root = json!({
        "$defs": { "A": schema, "Text": { "type": "string" }, "Point": point() },
    });
    let (mut definitions, warnings) = document(&root).simplified();
    let warnings = warnings.into_iter().map(|warning| {
        let what = match warning.kind {
            WarningKind::Unchecked { keyword } => keyword,
            WarningKind::Unknown { keyword } => format!("unknown {keyword}"),
            WarningKind::Foreign { reference } => format!("foreign {reference}"),
            WarningKind::OtherDraft { keyword, .. } => format!("other draft {keyword}"),
            WarningKind::OnlyObjects => "only objects".to_owned(),
            other => panic!("{other:?}"),
        };
        format!("{} {what}", warning.pointer)
    });
    let warnings = warnings.collect();
    (definitions.remove("A").unwrap(), warnings)
}

fn point() -> Value {
    json!({ "type": "object", "properties": { "x": { "type": "number" } }, "required": ["x"] })
}

#[track_caller]
fn check(schema: &Value, expected: &Value, warnings: &[&str]) {
    let (found, warned) = simplified(schema);
    assert_eq!(found, *expected, "{schema}");
    assert_eq!(warned, warnings, "{schema}");
}

/// Checks the simplified form of the schema of a member, where bounds are checked.
#[track_caller]
fn check_member(schema: &Value, expected: &Value, warnings: &[&str]) {
    let with = |member: &Value| json!({ "type": "object", "properties": { "m": member } });
    let warnings = warnings
        .iter()
        .map(|keyword| format!("/A/properties/m {keyword}"));
    let warnings: Vec<String> = warnings.collect();
    let warnings: Vec<&str> = warnings.iter().map(String::as_str).collect();
    check(&with(schema), &with(expected), &warnings);
}

#[test]
fn restrictions_that_types_do_not_check_are_left_out() {
    for (keyword, value) in [
        ("pattern", json!("^a")),
        ("contains", json!({})),
        ("dependentRequired", json!({ "a": ["b"] })),
        ("dependentSchemas", json!({ "a": {} })),
        ("if", json!({ "type": "string" })),
        ("maxProperties", json!(3)),
        ("propertyNames", json!({ "pattern": "^a" })),
        ("unevaluatedItems", json!(false)),
        ("uniqueItems", json!(true)),
        ("multipleOf", json!(2)),
        ("not", json!({ "type": "string" })),
    ] {
        let schema = json!({ "type": "array", keyword: value });
        let warning = format!("/A {keyword}");
        check(&schema, &json!({ "type": "array" }), &[&warning]);
    }
}

#[test]
fn descriptions_and_hints_need_no_warning() {
    let schema = json!({
        "type": "string", "title": "T", "markdownDescription": "*a*", "format": "uri", "x-a": 1,
        "deprecated": true,
    });
    check(&schema, &schema, &[]);
    for hint in [
        "defaultSnippets",
        "discriminator",
        "meta:enum",
        "contentMediaType",
    ] {
        let value = if hint == "contentMediaType" {
            json!("a/b")
        } else {
            json!({})
        };
        check(
            &json!({ "type": "string", hint: value }),
            &json!({ "type": "string" }),
            &[],
        );
    }
    let (_, warnings) = simplified(&json!({ "novel": 1 }));
    assert_eq!(warnings, ["/A unknown novel"]);
}

#[test]
fn exclusive_bounds_of_integers_become_inclusive_ones() {
    let integer = |keyword: &str, value: Value| json!({ "type": "integer", keyword: value });
    let (low, high) = ("exclusiveMinimum", "exclusiveMaximum");
    check_member(&integer(low, json!(1)), &integer("minimum", json!(2)), &[]);
    check_member(&integer(high, json!(9)), &integer("maximum", json!(8)), &[]);
    let old = json!({ "type": "integer", "minimum": 1, "exclusiveMinimum": true });
    check_member(&old, &integer("minimum", json!(2)), &[]);
    let number = json!({ "type": "number", "exclusiveMinimum": 0.5 });
    check_member(&number, &json!({ "type": "number" }), &["exclusiveMinimum"]);
    let bounded = integer("minimum", json!(1));
    check(&bounded, &json!({ "type": "integer" }), &["/A minimum"]);
}

#[test]
fn enumerations_of_other_values_than_strings_become_types() {
    let nullable = json!({ "anyOf": [{ "type": "string", "enum": ["a"] }, { "type": "null" }] });
    check(&json!({ "enum": ["a", null] }), &nullable, &[]);
    check(
        &json!({ "enum": [1, 2] }),
        &json!({ "type": "integer" }),
        &["/A enum"],
    );
    check(
        &json!({ "enum": [true, false] }),
        &json!({ "type": "boolean" }),
        &[],
    );
    let null = json!({ "type": "null" });
    for schema in [
        json!({ "const": null }),
        json!({ "enum": [null] }),
        null.clone(),
    ] {
        check(&schema, &null, &[]);
        check_member(&schema, &null, &[]);
        let list = |items: &Value| json!({ "type": "array", "items": items });
        check(&list(&schema), &list(&null), &[]);
        let map = |of: &Value| json!({ "type": "object", "additionalProperties": of });
        check(&map(&schema), &map(&null), &[]);
    }
    check(
        &json!({ "const": [1] }),
        &json!({ "type": "array" }),
        &["/A const"],
    );
}

#[test]
fn type_beside_an_enumeration_excludes_values() {
    let texts = json!({ "type": "string", "enum": ["a"] });
    check(
        &json!({ "type": "string", "enum": ["a", null, 1] }),
        &texts,
        &[],
    );
    let nullable = json!({ "anyOf": [texts, { "type": "null" }] });
    check(
        &json!({ "type": ["string", "null"], "enum": ["a", null, 1] }),
        &nullable,
        &[],
    );
    let whole = json!({ "type": "integer" });
    check(
        &json!({ "type": "integer", "enum": [1.0, 2, 2.5] }),
        &whole,
        &["/A enum"],
    );
    // No value is valid.
    let none = json!({ "type": "integer", "enum": ["a"] });
    assert_eq!(simplified(&none).1, ["/A type"]);
}

#[test]
fn tuples_become_lists() {
    let pair = json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "string" }], "items": false });
    let list = json!({ "type": "array", "maxItems": 2, "items": { "type": "string" } });
    check_member(&pair, &list, &[]);
    let mixed = json!({ "type": "array", "items": [{ "type": "string" }, { "type": "null" }], "additionalItems": false });
    let list = json!({ "type": "array", "maxItems": 2, "items": { "anyOf": [{ "type": "string" }, { "type": "null" }] } });
    check_member(&mixed, &list, &["items"]);
}

#[test]
fn members_by_pattern_become_further_members() {
    let all = json!({ "type": "object", "patternProperties": { ".*": { "type": "string" } } });
    let map = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    check(&all, &map, &[]);
    let some = json!({ "type": "object", "patternProperties": { "^a": { "type": "string" } }, "additionalProperties": false });
    check(&some, &map, &["/A patternProperties"]);
    let beside = json!({ "type": "object", "properties": { "b": {} }, "patternProperties": { "^x-": {} }, "additionalProperties": false });
    let open = json!({ "type": "object", "properties": { "b": {} }, "additionalProperties": true });
    check(&beside, &open, &["/A patternProperties"]);
    let closed =
        json!({ "type": "object", "properties": { "b": {} }, "unevaluatedProperties": false });
    let sealed =
        json!({ "type": "object", "properties": { "b": {} }, "additionalProperties": false });
    check(&closed, &sealed, &[]);
}

#[test]
fn schema_of_members_without_a_type_is_one_of_objects() {
    let schema = json!({ "properties": { "a": {} } });
    let object = json!({ "properties": { "a": {} }, "type": "object" });
    check(&schema, &object, &["/A only objects"]);
}

#[test]
fn what_stands_beside_a_union_is_part_of_each_alternative() {
    let other = json!({ "type": "object", "properties": { "y": {} }, "required": ["y"] });
    let base = json!({ "type": "object", "properties": { "kind": { "type": "string" } } });
    let mut schema = base.clone();
    let reference = json!({ "$ref": "#/$defs/Point" });
    schema["oneOf"] = json!([reference, other]);
    let each = json!({ "anyOf": [{ "allOf": [base, reference] }, { "allOf": [base, other] }] });
    check(&schema, &each, &[]);
    let mut constraint = base.clone();
    constraint["anyOf"] =
        json!([{ "required": ["a"], "type": "object" }, { "required": ["b"], "type": "object" }]);
    check(&constraint, &base, &["/A anyOf"]);
}

#[test]
fn parts_of_all_of_that_say_nothing_are_left_out() {
    let reference = json!({ "$ref": "#/$defs/Text" });
    check(&json!({ "allOf": [reference] }), &reference, &[]);
    let conditional = json!({ "allOf": [{ "$ref": "#/$defs/Point" }, { "if": {}, "then": {} }] });
    check(
        &conditional,
        &json!({ "$ref": "#/$defs/Point" }),
        &["/A/allOf/1 if"],
    );
}

#[test]
fn references_lead_anywhere_in_the_document() {
    let root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/shapes.json",
        "title": "Shape",
        "type": "object",
        "properties": {
            "center": { "$anchor": "center", "type": "object", "properties": { "x": {} } },
            "again": { "$ref": "#center" },
            "inner": { "$ref": "#" },
            "by-path": { "$ref": "#/properties/center" },
            "by-uri": { "$ref": "shapes.json#/$defs/Text" },
            "elsewhere": { "$ref": "other.json" },
        },
        "$defs": { "Text": { "type": "string" } },
    });
    let (definitions, warnings) = document(&root).simplified();
    let names: Vec<&String> = definitions.keys().collect();
    assert_eq!(names, ["Text", "Shape", "Center"]);
    let properties = &definitions["Shape"]["properties"];
    for (member, name) in [
        ("center", "Center"),
        ("again", "Center"),
        ("inner", "Shape"),
        ("by-path", "Center"),
        ("by-uri", "Text"),
    ] {
        assert_eq!(
            properties[member]["$ref"],
            format!("#/$defs/{name}"),
            "{member}"
        );
    }
    assert_eq!(properties["elsewhere"], json!({}));
    assert_eq!(warnings.len(), 1);
}

#[test]
fn both_lists_of_definitions_count() {
    let root = json!({ "definitions": { "A": {}, "B": {} }, "$defs": { "B": {}, "C": {} } });
    let document = document(&root);
    let names: Vec<&String> = document.definitions.keys().collect();
    assert_eq!(names, ["A", "B", "B2", "C"]);
}

#[test]
fn items_without_a_type_are_left_out_with_a_warning() {
    let items = json!({ "items": { "type": "string" } });
    check(&items, &json!({}), &["/A items"]);
    check_member(&items, &json!({}), &["items"]);
    check_member(
        &json!({ "items": { "$ref": "#/$defs/Text" } }),
        &json!({}),
        &["items"],
    );
    check_member(&json!({ "items": true }), &json!({}), &[]);
    check_member(&json!({ "items": {} }), &json!({}), &[]);
    check_member(&json!({ "items": false }), &json!({}), &["maxItems"]);
    let tuple = json!({ "prefixItems": [{ "type": "string" }], "items": { "type": "string" } });
    check_member(&tuple, &json!({}), &["items"]);
    let nested = json!({ "type": "array", "items": items.clone() });
    let place = "/A/properties/m/items items";
    let with = |member: &Value| json!({ "type": "object", "properties": { "m": member } });
    check(
        &with(&nested),
        &with(&json!({ "type": "array", "items": {} })),
        &[place],
    );
    // The type may be beside the alternatives, or the values may be given.
    let beside =
        json!({ "type": "array", "anyOf": [items.clone(), { "items": { "type": "integer" } }] });
    let typed = |ty: &str| json!({ "items": { "type": ty }, "type": "array" });
    check_member(
        &beside,
        &json!({ "anyOf": [typed("string"), typed("integer")] }),
        &[],
    );
    for known in [
        json!({ "enum": ["a", "b"] }),
        json!({ "type": ["array", "null"] }),
    ] {
        let mut given = known.clone();
        given["items"] = items["items"].clone();
        check_member(&given, &given, &[]);
    }
}

#[test]
fn not_is_never_left_out_silently() {
    for nothing in [json!({}), json!(true), json!({ "description": "Any." })] {
        let not = json!({ "not": nothing });
        check(&not, &json!({}), &["/A not"]);
        check_member(&not, &json!({}), &["not"]);
        let list = json!({ "type": "array", "items": not.clone() });
        let warning = "/A/items not";
        check(&list, &json!({ "type": "array", "items": {} }), &[warning]);
        // Among the members of an object, it means that there are no others.
        let closed = json!({ "type": "object", "properties": {}, "additionalProperties": not });
        let expected = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        check(&closed, &expected, &[]);
    }
}

#[test]
fn integers_may_be_written_as_decimals() {
    let written = json!({ "type": "array", "minItems": 1.0, "maxItems": 2.0, "items": { "type": "integer" } });
    let list =
        json!({ "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "integer" } });
    check_member(&written, &list, &[]);
    let integer = json!({ "type": "integer", "minimum": 1.0, "maximum": 1.5 });
    check_member(
        &integer,
        &json!({ "type": "integer", "minimum": 1, "maximum": 1.5 }),
        &[],
    );
    let text = json!({ "type": "string", "maxLength": 1e30 });
    check_member(
        &text,
        &json!({ "type": "string", "maxLength": u64::MAX }),
        &[],
    );
    for wrong in [json!(1.5), json!(-1.0), json!(-1), json!("1")] {
        let root = json!({ "$defs": { "A": { "maxItems": wrong } } });
        let fault = Document::parse("some.json", &root.to_string()).unwrap_err();
        assert!(
            fault
                .to_string()
                .contains("an integer that is not negative"),
            "{fault}"
        );
    }
}
