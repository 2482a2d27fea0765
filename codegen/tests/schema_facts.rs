//! Facts: applied to a published schema, and carried over to the next one.

use codegen::schema::{Document, Facts, FactsError};
use serde_json::{Value, json};

fn document(definitions: Value) -> Document {
    let mut root = serde_json::Map::new();
    root.insert("$defs".to_owned(), definitions);
    let text = Value::Object(root);
    Document::parse("schema.json", &text.to_string()).unwrap()
}

fn facts(mut tables: Value) -> Facts {
    tables["revision"] = "2000-01-01".into();
    Facts::parse("facts.json", &tables.to_string()).unwrap()
}

/// A schema that lost something of each kind.
fn library() -> Value {
    json!({
        "Shelf": {
            "type": "object",
            "properties": {
                "books": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
                "mark": {"type": "string"},
                "state": {"type": "string"},
                "width": {"type": "integer"}
            }
        },
        "Mark": {"type": "string"},
        "Rank": {"type": "string", "enum": ["high", "low", "middle"]},
        "Book": {"type": "object", "properties": {"title": {"type": "string"}}},
        "Map": {"type": "object", "properties": {"scale": {"type": "integer"}}},
        "Print": {"anyOf": [{"$ref": "#/$defs/Book"}, {"$ref": "#/$defs/Map"}]},
        "Disc": {"type": "object", "properties": {"length": {"type": "integer"}}},
        "Item": {"anyOf": [
            {"$ref": "#/$defs/Book"}, {"$ref": "#/$defs/Map"}, {"$ref": "#/$defs/Disc"}
        ]}
    })
}

fn library_facts() -> Facts {
    facts(json!({
        "constants": {"EDITION": "2000-01-01", "LIMIT": 7},
        "members": {"/Shelf": ["mark", "width", "state", "books"]},
        "values": {"/Rank": ["low", "middle", "high"]},
        "known_values": {"/Shelf/properties/state": ["free", "full"]},
        "open": ["/Book"],
        "references": {"Mark": ["/Shelf/properties/mark"]},
        "unions": {"/Item": ["Print", 2]},
        "nullable": ["/Map/properties/scale"],
        "deprecated": ["/Disc", "/Shelf/properties/mark"],
        "categories": {"Things": ["Book", "Disc"]}
    }))
}

#[test]
fn every_kind_of_fact_is_applied() {
    let mut document = document(library());
    library_facts().apply(&mut document).unwrap();
    let all = &document.definitions;
    let members: Vec<&String> = all["Shelf"]["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(members, ["mark", "width", "state", "books"]);
    assert_eq!(all["Rank"]["enum"], json!(["low", "middle", "high"]));
    assert_eq!(
        all["Shelf"]["properties"]["state"],
        json!({"anyOf": [{"type": "string", "enum": ["free", "full"]}, {"type": "string"}]})
    );
    assert_eq!(all["Book"]["additionalProperties"], json!({}));
    assert_eq!(
        all["Shelf"]["properties"]["mark"],
        json!({"$ref": "#/$defs/Mark", "deprecated": true})
    );
    assert_eq!(
        all["Item"]["anyOf"],
        json!([{"$ref": "#/$defs/Print"}, {"$ref": "#/$defs/Disc"}])
    );
    assert_eq!(
        all["Map"]["properties"]["scale"]["type"],
        json!(["integer", "null"])
    );
    assert_eq!(all["Disc"]["deprecated"], json!(true));
}

#[test]
fn facts_are_printed_as_they_are_parsed() {
    let facts = library_facts();
    let text = facts.to_json();
    assert_eq!(Facts::parse("facts.json", &text).unwrap(), facts);
    assert!(
        text.contains("    \"/Rank\": [\"low\",\"middle\",\"high\"]\n"),
        "{text}"
    );
}

#[test]
fn alias_of_a_single_type_becomes_a_union_with_one_variant() {
    let mut all = library();
    all["OnlyItem"] = all["Book"].clone();
    let mut document = document(all);
    let facts = facts(json!({"unions": {"/OnlyItem": ["Book"]}}));
    facts.apply(&mut document).unwrap();
    assert_eq!(
        document.definitions["OnlyItem"],
        json!({"anyOf": [{"$ref": "#/$defs/Book"}]})
    );
}

#[test]
fn fact_without_a_place_is_an_error_that_names_it() {
    for tables in [
        json!({"members": {"/Gone": ["a"]}}),
        json!({"values": {"/Gone": ["a"]}}),
        json!({"known_values": {"/Gone": ["a"]}}),
        json!({"open": ["/Gone"]}),
        json!({"references": {"Mark": ["/Gone"]}}),
        json!({"unions": {"/Gone": ["Print"]}}),
        json!({"nullable": ["/Gone"]}),
        json!({"deprecated": ["/Gone"]}),
        json!({"categories": {"Things": ["Gone"]}}),
    ] {
        let mut document = document(library());
        let error = facts(tables.clone()).apply(&mut document).unwrap_err();
        assert!(
            matches!(error, FactsError::NoPlace { .. }),
            "{tables}: {error}"
        );
        assert!(error.to_string().contains("/Gone"), "{error}");
        assert_eq!(document, self::document(library()));
    }
}

#[test]
fn fact_that_contradicts_the_schema_is_an_error() {
    for tables in [
        json!({"members": {"/Shelf": ["mark", "width"]}}),
        json!({"members": {"/Rank": ["mark"]}}),
        json!({"values": {"/Rank": ["low", "high"]}}),
        json!({"values": {"/Rank": ["low", "low", "high"]}}),
        json!({"known_values": {"/Shelf/properties/width": ["a"]}}),
        json!({"open": ["/Mark"]}),
        json!({"references": {"Mark": ["/Shelf/properties/width"]}}),
        json!({"references": {"Gone": ["/Shelf/properties/width"]}}),
        // `Disc` would be lost.
        json!({"unions": {"/Item": ["Print"]}}),
        json!({"unions": {"/Item": ["Print", "Mark", 2]}}),
        json!({"nullable": ["/Item"]}),
    ] {
        let mut document = document(library());
        let error = facts(tables.clone()).apply(&mut document).unwrap_err();
        assert!(
            matches!(error, FactsError::Mismatch { .. }),
            "{tables}: {error}"
        );
    }
}

#[test]
fn unknown_kind_of_fact_is_an_error() {
    let error = Facts::parse("facts.json", r#"{"revision": "1", "colours": {}}"#).unwrap_err();
    assert!(error.to_string().contains("colours"), "{error}");
}

#[test]
fn facts_hold_in_a_revision_with_the_same_places() {
    let (old, new) = (document(library()), document(library()));
    let (facts, changes) = library_facts().rebased(&old, &new, "2000-01-02");
    assert_eq!(changes, []);
    assert_eq!(facts.revision, "2000-01-02");
    assert_eq!(facts.constants["EDITION"], "2000-01-02");
    assert_eq!(facts.constants["LIMIT"], 7);
    let expected = library_facts()
        .to_json()
        .replace("2000-01-01", "2000-01-02");
    assert_eq!(facts.to_json(), expected);
}

#[test]
fn new_members_values_and_variants_follow_the_others() {
    let mut all = library();
    all["Shelf"]["properties"] = json!({
        "books": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        "height": {"type": "integer"},
        "mark": {"type": "string"},
        "width": {"type": "integer"}
    });
    all["Rank"]["enum"] = json!(["high", "low", "lowest", "middle"]);
    all["Tape"] = json!({"type": "object"});
    all["Item"] = json!({"anyOf": [
        {"$ref": "#/$defs/Book"}, {"$ref": "#/$defs/Tape"},
        {"$ref": "#/$defs/Map"}, {"$ref": "#/$defs/Disc"}
    ]});
    let (old, mut new) = (document(library()), document(all));
    let (facts, changes) = library_facts().rebased(&old, &new, "2000-01-02");
    assert_eq!(
        facts.members["/Shelf"],
        ["mark", "width", "books", "height"]
    );
    assert_eq!(facts.values["/Rank"], ["low", "middle", "high", "lowest"]);
    let lines: Vec<String> = changes.iter().map(ToString::to_string).collect();
    assert!(
        lines.contains(
            &"`known_values` at `/Shelf/properties/state`: dropped: the place is gone".to_owned()
        ),
        "{lines:?}"
    );
    facts.apply(&mut new).unwrap();
    assert_eq!(
        new.definitions["Item"]["anyOf"],
        json!([{"$ref": "#/$defs/Print"}, {"$ref": "#/$defs/Disc"}, {"$ref": "#/$defs/Tape"}])
    );
}

#[test]
fn facts_follow_a_definition_to_its_new_name() {
    let text = document(library()).to_json().replace("Mark", "Label");
    let new = Document::parse("schema.json", &text).unwrap();
    let (facts, _) = library_facts().rebased(&document(library()), &new, "2000-01-02");
    assert!(facts.references["Label"].contains("/Shelf/properties/mark"));
    facts.apply(&mut new.clone()).unwrap();
}

#[test]
fn fact_that_contradicts_the_next_revision_is_dropped() {
    let mut all = library();
    all["Shelf"]["properties"]["mark"] = json!({"type": "integer"});
    all["Rank"] = json!({"type": "integer"});
    let (old, new) = (document(library()), document(all));
    let (facts, changes) = library_facts().rebased(&old, &new, "2000-01-02");
    assert!(!facts.references.contains_key("Mark"));
    assert!(facts.values.is_empty());
    let dropped = changes.iter().filter(|change| change.dropped.is_some());
    assert_eq!(dropped.count(), 2, "{changes:?}");
    facts.apply(&mut new.clone()).unwrap();
}
