//! Patches apply to newer revisions, too, which may have changed what they add to.

use codegen::schema::{Applied, Document, Patch, PatchError};
use serde_json::{Value, json};

fn document(definitions: &Value) -> Document {
    Document::parse("new.json", &json!({ "$defs": definitions }).to_string()).unwrap()
}

fn base() -> Value {
    json!({
        "Shelf": { "type": "object", "properties": { "label": { "type": "string" } } },
        "Book": { "type": "object", "properties": { "pages": { "$ref": "#/$defs/Count" } } },
        "Count": { "type": "integer" },
        "Item": { "anyOf": [{ "$ref": "#/$defs/Book" }] },
    })
}

fn patch() -> Patch {
    let root = json!({
        "name": "maps", "since": "2000-01-01", "title": "T", "source": "S",
        "definitions": {
            "Map": { "type": "object", "properties": { "scale": { "$ref": "#/$defs/Count" } } },
        },
        "members": { "Shelf": { "properties": { "map": { "$ref": "#/$defs/Map" } } } },
        "variants": { "Item": ["Map"] },
    });
    Patch::parse("maps.json", &root.to_string()).unwrap()
}

/// Applies the patch to its own revision, and to a newer one with these definitions.
fn newer(definitions: &Value) -> Result<(Document, Applied), PatchError> {
    let mut previous = document(&base());
    patch().apply(&mut previous).unwrap();
    let mut newer = document(definitions);
    let applied = patch().apply_to_newer(&mut newer, &previous)?;
    newer.check().unwrap();
    Ok((newer, applied))
}

#[test]
fn additions_are_applied_to_a_newer_revision() {
    let (document, applied) = newer(&base()).unwrap();
    assert_eq!(applied, Applied::default());
    assert_eq!(document.definitions["Map"]["x-feature"], "maps");
    let member = &document.definitions["Shelf"]["properties"]["map"];
    assert_eq!(member["x-feature"], "maps");
}

#[test]
fn addition_that_a_newer_revision_contains_in_the_same_form_is_adopted() {
    let mut definitions = base();
    definitions["Map"] = json!({
        "description": "Words.", "properties": { "scale": { "$ref": "#/$defs/Count" } }, "type": "object",
    });
    definitions["Shelf"]["properties"]["map"] = json!({ "$ref": "#/$defs/Map" });
    let variants = definitions["Item"]["anyOf"].as_array_mut().unwrap();
    variants.push(json!({ "$ref": "#/$defs/Map" }));
    let (document, applied) = newer(&definitions).unwrap();
    assert_eq!(
        applied.adopted,
        ["/Map", "/Shelf/properties/map", "/Item/anyOf/1"]
    );
    assert!(!document.to_json().contains("x-feature"));
}

#[test]
fn addition_that_a_newer_revision_contains_in_another_form_names_both_sides() {
    let mut definitions = base();
    definitions["Shelf"]["properties"]["map"] = json!({ "type": "string" });
    let error = newer(&definitions).unwrap_err();
    assert!(matches!(error, PatchError::Conflict { .. }), "{error}");
    let text = error.to_string();
    for part in [
        "maps.json",
        "`/members/Shelf/properties/map`",
        "{\"$ref\":\"#/$defs/Map\"}",
        "new.json",
        "`/Shelf/properties/map`",
        "{\"type\":\"string\"}",
    ] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
}

#[test]
fn additions_to_a_type_that_a_newer_revision_lacks_are_left_out() {
    let mut definitions = base();
    let definitions = definitions.as_object_mut().unwrap();
    definitions.shift_remove("Shelf");
    definitions.shift_remove("Item");
    let (document, applied) = newer(&Value::Object(definitions.clone())).unwrap();
    assert_eq!(applied.left_out, ["/Shelf/properties/map", "/Item: Map"]);
    assert!(document.definitions.contains_key("Map"));
}

#[test]
fn definition_that_only_the_patch_still_needs_is_carried_over() {
    let mut definitions = base();
    let definitions = definitions.as_object_mut().unwrap();
    definitions.shift_remove("Count");
    definitions.shift_remove("Book");
    definitions.insert(
        "Item".to_owned(),
        json!({ "anyOf": [{ "$ref": "#/$defs/Shelf" }] }),
    );
    let definitions = Value::Object(definitions.clone());
    let (document, applied) = newer(&definitions).unwrap();
    assert_eq!(applied.carried, ["Count"]);
    assert_eq!(
        document.definitions["Count"],
        json!({ "type": "integer", "x-feature": "maps" })
    );
    // A second patch that needs the same definition shares it.
    let mut previous = self::document(&base());
    let mut both = self::document(&definitions);
    for name in ["a", "b"] {
        let mut one = patch();
        one.name = name.to_owned();
        one.members.clear();
        one.variants.clear();
        one.apply_to_newer(&mut both, &previous.clone()).unwrap();
        let _ = one.apply(&mut previous);
    }
    assert_eq!(both.definitions["Count"]["x-feature"], json!(["a", "b"]));
}

#[test]
fn union_that_shrank_to_one_type_gets_its_variants_again() {
    let mut definitions = base();
    definitions["Item"] = json!({ "$ref": "#/$defs/Book" });
    let (document, applied) = newer(&definitions).unwrap();
    assert_eq!(applied, Applied::default());
    assert_eq!(
        document.definitions["Item"],
        json!({ "anyOf": [
            { "$ref": "#/$defs/Book" }, { "$ref": "#/$defs/Map", "x-feature": "maps" },
        ] })
    );
}

#[test]
fn patch_that_does_not_fit_a_newer_revision_leaves_it_unchanged() {
    let mut definitions = base();
    definitions["Map"] = json!({ "type": "string" });
    let mut newer = document(&definitions);
    let before = newer.clone();
    let previous = document(&base());
    assert!(patch().apply_to_newer(&mut newer, &previous).is_err());
    assert_eq!(newer, before);
}
