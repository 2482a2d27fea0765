//! Patches only add to a schema, and mark what they add.

use codegen::schema::{Document, Patch, PatchError};
use serde_json::{Value, json};

fn document() -> Document {
    let root = json!({ "$defs": {
        "A": { "type": "object", "properties": { "x": {} }, "required": ["x"] },
        "Empty": { "type": "object" },
        "U": { "anyOf": [{ "$ref": "#/$defs/A" }] },
        "Text": { "type": "string" },
    } });
    Document::parse("some.json", &root.to_string()).unwrap()
}

fn patch(name: &str, body: &Value) -> Patch {
    let mut root = json!({ "name": name, "since": "r", "title": "T", "source": "S" });
    root.as_object_mut()
        .unwrap()
        .extend(body.as_object().unwrap().clone());
    Patch::parse("patch.json", &root.to_string()).unwrap()
}

fn apply(patches: &[Patch]) -> Result<Document, PatchError> {
    let mut document = document();
    for patch in patches {
        let before = document.clone();
        if let Err(error) = patch.apply(&mut document) {
            assert_eq!(document, before, "a document was left half changed");
            return Err(error);
        }
    }
    document.check().unwrap();
    Ok(document)
}

#[test]
fn every_addition_is_marked() {
    let patched = apply(&[patch(
        "p",
        &json!({
            "definitions": { "N": { "type": "string" } },
            "members": {
                "A": { "properties": { "y": { "type": "string" }, "n": { "$ref": "#/$defs/N" } } },
                "Empty": { "properties": { "y": {} } },
            },
            "variants": { "U": ["N"] },
        }),
    )])
    .unwrap();
    let expected = json!({
        "A": {
            "type": "object",
            "properties": {
                "x": {},
                "y": { "type": "string", "x-feature": "p" },
                "n": { "$ref": "#/$defs/N", "x-feature": "p" },
            },
            "required": ["x"],
        },
        "Empty": { "type": "object", "properties": { "y": { "x-feature": "p" } } },
        "U": { "anyOf": [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/N", "x-feature": "p" }] },
        "Text": { "type": "string" },
        "N": { "type": "string", "x-feature": "p" },
    });
    assert_eq!(Value::Object(patched.definitions), expected);
}

#[test]
fn equal_additions_are_marked_with_all_names() {
    let body = json!({
        "definitions": { "N": { "type": "string" } },
        "members": { "A": { "properties": { "y": {} } } },
        "variants": { "U": ["N"] },
    });
    let patched = apply(&[patch("a", &body), patch("b", &body), patch("c", &body)]).unwrap();
    let names = json!(["a", "b", "c"]);
    assert_eq!(patched.definitions["N"]["x-feature"], names);
    assert_eq!(
        patched.definitions["A"]["properties"]["y"]["x-feature"],
        names
    );
    assert_eq!(patched.definitions["U"]["anyOf"][1]["x-feature"], names);
    assert_eq!(
        patched.definitions["U"]["anyOf"].as_array().unwrap().len(),
        2
    );
}

#[test]
fn different_additions_with_the_same_name_are_rejected() {
    for bodies in [
        ["string", "integer"].map(|each| json!({ "definitions": { "N": { "type": each } } })),
        ["string", "integer"]
            .map(|each| json!({ "members": { "A": { "properties": { "y": { "type": each } } } } })),
    ] {
        let [first, second] = bodies;
        let error = apply(&[patch("first", &first), patch("second", &second)]).unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("`first`") && text.contains("`second`"),
            "{text}"
        );
        assert!(matches!(error, PatchError::Clash { equal: false, .. }));
    }
}

#[test]
fn addition_that_the_base_defines_is_rejected() {
    for body in [
        json!({ "definitions": { "Text": { "type": "string" } } }),
        json!({ "members": { "A": { "properties": { "x": {} } } } }),
        json!({ "variants": { "U": ["A"] } }),
    ] {
        let error = apply(&[patch("p", &body)]).unwrap_err();
        assert!(
            matches!(error, PatchError::Clash { equal: true, .. }),
            "{error}"
        );
    }
    let twice = patch("p", &json!({ "definitions": { "N": {} } }));
    assert!(apply(&[twice.clone(), twice]).is_err());
}

#[test]
fn addition_to_an_unsuitable_type_is_rejected() {
    for body in [
        json!({ "members": { "None": { "properties": { "y": {} } } } }),
        json!({ "members": { "Text": { "properties": { "y": {} } } } }),
        json!({ "variants": { "None": ["A"] } }),
        json!({ "variants": { "A": ["Text"] } }),
    ] {
        let error = apply(&[patch("p", &body)]).unwrap_err();
        assert!(matches!(error, PatchError::NoSuchTarget { .. }), "{error}");
    }
}

#[test]
fn additions_that_are_not_a_schema_are_rejected() {
    for body in [
        json!({ "definitions": { "N": { "type": "text" } } }),
        json!({ "definitions": { "N": { "if": 1 } } }),
        json!({ "definitions": { "N": { "$ref": "#/$defs/None" } } }),
        json!({ "variants": { "U": ["None"] } }),
    ] {
        let error = apply(&[patch("p", &body)]).unwrap_err();
        assert!(matches!(error, PatchError::NotASchema { .. }), "{error}");
    }
}

#[test]
fn patch_that_depends_on_another_patch_is_rejected() {
    let error = apply(&[
        patch("a", &json!({ "definitions": { "N": {} } })),
        patch(
            "b",
            &json!({ "definitions": { "M": { "items": { "$ref": "#/$defs/N" } } } }),
        ),
    ]);
    let error = error.unwrap_err();
    assert!(
        matches!(&error, PatchError::NeedsOther { owner, .. } if owner == "a"),
        "{error}"
    );
}

#[test]
fn patch_removes_nothing() {
    for member in [
        json!({ "required": ["y"] }),
        json!({ "properties": { "y": {} }, "required": ["y"] }),
        json!([]),
    ] {
        let error = apply(&[patch("p", &json!({ "members": { "A": member } }))]).unwrap_err();
        assert!(matches!(error, PatchError::Misplaced { .. }), "{error}");
    }
    let unknown = Patch::parse("patch.json", r#"{"name": "p", "remove": []}"#);
    assert!(matches!(unknown, Err(PatchError::Form { .. })));
}
