//! The comparison of schemas finds all differences, and only real ones.

use codegen::schema::{ChangeKind, Document, SchemaChange, Subject, diff, verify};
use serde_json::{Value, json};

fn document(name: &str, definitions: &Value) -> Document {
    Document::parse(name, &json!({ "$defs": definitions }).to_string()).unwrap()
}

fn changes(old: &Value, new: &Value) -> Vec<SchemaChange> {
    diff(&document("old", old), &document("new", new)).changes
}

/// Returns the only change, as `[!]name detail`.
fn only(old: &Value, new: &Value) -> String {
    let found = changes(
        &json!({ "A": old, "N": { "type": "null" } }),
        &json!({
            "A": new, "N": { "type": "null" }
        }),
    );
    assert_eq!(found.len(), 1, "{found:#?}");
    let change = &found[0];
    let mark = if change.breaking { "!" } else { "" };
    format!("{mark}{} {}", change.name, change.detail)
}

#[test]
fn texts_and_order_are_ignored() {
    let ours = json!({
        "A": { "type": "object", "properties": { "a": {}, "b": { "enum": ["x", "y"] } },
               "required": ["a", "b"] },
        "B": { "type": ["string", "null"] },
    });
    let theirs = json!({
        "B": { "type": ["null", "string"], "description": "Words." },
        "A": { "required": ["b", "a"], "type": "object",
               "properties": { "b": { "enum": ["y", "x"], "title": "Words" }, "a": {} } },
    });
    assert_eq!(
        verify(&document("theirs", &theirs), &document("ours", &ours)),
        []
    );
    assert_eq!(changes(&ours, &theirs), []);
}

#[test]
fn every_difference_of_structure_is_found() {
    let ours = json!({ "A": { "type": "object", "properties": { "a": { "type": "string" } },
        "anyOf": [{ "type": "object" }, {}] } });
    for (place, theirs) in [
        ("/$defs/A/type", json!("array")),
        ("/$defs/A/required", json!(["a"])),
        ("/$defs/A/properties/a/type", json!(["string", "null"])),
        ("/$defs/A/properties/a/const", json!("x")),
        ("/$defs/A/properties/b", json!({})),
        ("/$defs/A/anyOf/0/type", json!("string")),
        ("/$defs/A/anyOf/2", json!({})),
        ("/$defs/B", json!({})),
    ] {
        let mut root = json!({ "$defs": ours });
        let (parent, name) = place.rsplit_once('/').unwrap();
        match root.pointer_mut(parent).unwrap() {
            Value::Object(members) => drop(members.insert(name.to_owned(), theirs)),
            Value::Array(elements) => elements.push(theirs),
            _ => unreachable!(),
        }
        let theirs = Document::parse("theirs", &root.to_string()).unwrap();
        for (left, right) in [
            (&theirs, &document("ours", &ours)),
            (&document("o", &ours), &theirs),
        ] {
            let found = verify(left, right);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].pointer, place);
            assert!(
                found[0]
                    .to_string()
                    .contains(&format!("at `{place}`: the published file"))
            );
        }
    }
}

#[test]
fn another_dialect_is_not_the_same_structure() {
    let old = r#"{"definitions": {"A": {}}}"#;
    let old = Document::parse("old", old).unwrap();
    assert_eq!(
        verify(&old, &document("new", &json!({ "A": {} })))[0].pointer,
        "/$schema"
    );
}

#[test]
fn narrowing_changes_are_breaking() {
    let object = |member: &str, required: &[&str]| json!({ "type": "object", "properties": { member: {} }, "required": required });
    for (old, new, expected) in [
        (
            json!({ "type": "number" }),
            json!({ "type": "integer" }),
            "!A is integer, was number",
        ),
        (
            json!({ "enum": [1, 2] }),
            json!({ "enum": [1] }),
            "!A is no longer `2`",
        ),
        (
            json!({ "type": "string" }),
            json!({ "type": "string", "enum": ["x"] }),
            "!A is limited to `\"x\"`",
        ),
        (
            json!({ "minimum": 1 }),
            json!({ "minimum": 2 }),
            "!A has `minimum` 2, was 1",
        ),
        (
            json!({}),
            json!({ "maxLength": 2 }),
            "!A has `maxLength` 2, was nothing",
        ),
        (
            object("a", &[]),
            object("a", &["a"]),
            "!A.a became required",
        ),
        (
            object("a", &["a"]),
            json!({ "type": "object", "properties": {} }),
            "!A.a ",
        ),
        (
            json!({ "type": "object", "properties": {} }),
            object("a", &["a"]),
            "!A.a required",
        ),
        (
            json!({}),
            json!({ "additionalProperties": { "$ref": "#/$defs/N" } }),
            "!A.* is limited to N",
        ),
        (
            json!({ "anyOf": [{ "$ref": "#/$defs/N" }, { "type": "string" }] }),
            json!({ "anyOf": [{ "type": "string" }] }),
            "!A is no longer N",
        ),
    ] {
        assert_eq!(only(&old, &new), expected);
    }
    let found = changes(
        &json!({ "A": {} }),
        &json!({ "A": { "type": "integer", "const": 1 } }),
    );
    assert!(
        found.len() == 2 && found.iter().all(|change| change.breaking),
        "{found:?}"
    );
}

#[test]
fn widening_changes_are_not_breaking() {
    let object = |required: &[&str]| json!({ "type": "object", "properties": { "a": {} }, "required": required });
    for (old, new, expected) in [
        (
            json!({ "type": "integer" }),
            json!({ "type": "number" }),
            "A is number, was integer",
        ),
        (
            json!({ "enum": [1] }),
            json!({ "enum": [1, 2] }),
            "A may also be `2`",
        ),
        (
            json!({ "minimum": 2 }),
            json!({ "minimum": 1 }),
            "A has `minimum` 1, was 2",
        ),
        (
            json!({ "maximum": 2 }),
            json!({}),
            "A has no `maximum` any more, was 2",
        ),
        (object(&["a"]), object(&[]), "A.a became optional"),
        (json!({ "type": "object" }), object(&[]), "A.a optional"),
        (
            json!({ "format": "uri" }),
            json!({ "format": "uuid" }),
            "A has `format` \"uuid\", was \"uri\"",
        ),
        (json!({}), json!({ "deprecated": true }), "A is deprecated"),
        (
            json!({ "type": "string" }),
            json!({ "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/N" }] }),
            "A may also be N",
        ),
    ] {
        assert_eq!(only(&old, &new), expected);
    }
}

#[test]
fn naming_an_inline_type_does_not_change_it() {
    let inline = json!({ "A": { "properties": { "p": { "properties": { "x": {} } } } } });
    let named = json!({ "A": { "properties": { "p": { "$ref": "#/$defs/P" } } },
        "P": { "properties": { "x": {} } } });
    let found = changes(&inline, &named);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].subject, found[0].kind),
        (Subject::Definition, ChangeKind::Added)
    );
    // A nested union is equal to its members.
    let flat = json!({ "U": { "anyOf": [{ "$ref": "#/$defs/X" }, { "$ref": "#/$defs/Y" }] },
        "X": {}, "Y": {}, "V": { "anyOf": [{ "$ref": "#/$defs/X" }] } });
    let nested = json!({ "U": { "anyOf": [{ "$ref": "#/$defs/V" }, { "$ref": "#/$defs/Y" }] },
        "X": {}, "Y": {}, "V": { "anyOf": [{ "$ref": "#/$defs/X" }] } });
    assert_eq!(changes(&flat, &nested), []);
}

#[test]
fn recursive_types_do_not_hang_the_comparison() {
    let old = json!({ "A": { "properties": { "a": { "$ref": "#/$defs/B" } } },
        "B": { "properties": { "b": { "$ref": "#/$defs/A" } } } });
    let new = json!({ "A": { "properties": { "a": { "$ref": "#/$defs/C" } } },
        "C": { "properties": { "b": { "$ref": "#/$defs/D" } } },
        "D": { "properties": { "a": { "$ref": "#/$defs/C" } } } });
    assert!(changes(&old, &new).iter().any(|change| change.name == "B"));
}

#[test]
fn messages_are_distinguished_from_other_types() {
    let message = json!({ "properties": { "method": { "const": "do/it" } } });
    let found = changes(&json!({}), &json!({ "DoIt": message }));
    assert_eq!(found[0].subject, Subject::Message);
    assert_eq!(
        (found[0].name.as_str(), found[0].detail.as_str()),
        ("do/it", "DoIt")
    );
    let found = changes(&json!({ "DoIt": message }), &json!({}));
    assert!(found[0].breaking && found[0].kind == ChangeKind::Removed);
}

#[test]
fn every_format_lists_every_change() {
    let old = document("old", &json!({ "A": { "type": "string" }, "Gone": {} }));
    let new = document("new", &json!({ "A": { "type": "integer" }, "B": {} }));
    let difference = diff(&old, &new);
    assert_eq!(
        difference.to_text(),
        "old -> new: messages +0 -0, definitions +1 -1, members +0 -0, changed 1; 2 breaking\n\n\
         Definitions\n! - Gone\n  + B\n\nMembers and types\n! ~ A is integer, was string\n"
    );
    let markdown = difference.to_markdown();
    assert!(
        markdown.contains("- **breaking** removed: `Gone`\n- added: `B`\n"),
        "{markdown}"
    );
    let json: Value = serde_json::from_str(&difference.to_json().unwrap()).unwrap();
    assert_eq!(json["changes"].as_array().unwrap().len(), 3);
    assert_eq!(json["changes"][2]["pointer"], "/A");
    assert_eq!(json["changes"][2]["breaking"], true);
}
