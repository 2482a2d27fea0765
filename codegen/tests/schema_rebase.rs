//! Errata are carried over to the next revision.

use codegen::schema::{Document, Errata, RebaseOutcome, Rebased, rebase};
use serde_json::{Value, json};

fn old() -> Value {
    json!({
        "Book": {
            "type": "object",
            "properties": {
                "author": { "type": "string" },
                "pages": { "type": "string" },
                "title": { "type": "string" },
            },
        },
        "Colour": { "type": "string", "enum": ["blue", "green", "red"] },
        "Item": { "anyOf": [{ "$ref": "#/$defs/Book" }, { "$ref": "#/$defs/Map" }, { "type": "string" }] },
        "Map": { "type": "object", "properties": { "scale": { "type": "integer" } } },
        "Paper": { "anyOf": [{ "$ref": "#/$defs/Book" }, { "$ref": "#/$defs/Map" }] },
    })
}

fn document(name: &str, definitions: &Value) -> Document {
    Document::parse(name, &json!({ "$defs": definitions }).to_string()).unwrap()
}

/// Carries one change over to a revision with the given definitions. The errata hold there.
fn carry(change: &Value, definitions: &Value) -> Rebased {
    carry_all(&json!([change]), definitions)
}

fn carry_all(changes: &Value, definitions: &Value) -> Rebased {
    let root = json!({
        "revision": "2000-01-01",
        "errata": [{ "name": "it", "reason": "Because.", "changes": changes }],
    });
    let errata = Errata::parse("errata.json", &root.to_string()).unwrap();
    let before = document("2000-01-01", &old());
    errata.apply(&mut before.clone()).unwrap();
    let mut after = document("2000-01-02", definitions);
    let rebased = rebase(&errata, &before, &after, "2000-01-02");
    // The file can be read again, and holds.
    let again = Errata::parse("again.json", &rebased.errata.to_json()).unwrap();
    assert_eq!(again.revision, "2000-01-02");
    again.apply(&mut after).unwrap();
    rebased
}

fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut definitions = old();
    change(&mut definitions);
    definitions
}

fn remove(definitions: &mut Value, parent: &str, name: &str) {
    let parent = definitions.pointer_mut(parent).unwrap();
    parent.as_object_mut().unwrap().shift_remove(name);
}

/// Returns the only change that is left, as it is written in a file.
fn left(rebased: &Rebased) -> Value {
    let file: Value = serde_json::from_str(&rebased.errata.to_json()).unwrap();
    assert_eq!(file["errata"].as_array().unwrap().len(), 1, "{rebased:?}");
    file["errata"][0]["changes"][0].clone()
}

fn only_outcome(rebased: &Rebased) -> &RebaseOutcome {
    assert_eq!(rebased.changes.len(), 1, "{rebased:?}");
    &rebased.changes[0].outcome
}

fn dropped(rebased: &Rebased) -> &RebaseOutcome {
    assert!(rebased.errata.errata.is_empty(), "{rebased:?}");
    only_outcome(rebased)
}

fn pages() -> Value {
    json!({ "at": "/Book/properties/pages", "was": { "type": "string" }, "now": { "type": "integer" } })
}

#[test]
fn erratum_that_still_holds_stays_as_it_is() {
    let definitions = changed(|all| all["Book"]["properties"]["isbn"] = json!({}));
    let rebased = carry(&pages(), &definitions);
    assert_eq!(left(&rebased), pages());
    assert!(rebased.changes.is_empty());
}

#[test]
fn order_follows_added_and_removed_values() {
    let order = json!({ "at": "/Colour/enum", "order": ["red", "green", "blue"] });
    let definitions = changed(|all| all["Colour"]["enum"] = json!(["black", "green", "red"]));
    let rebased = carry(&order, &definitions);
    assert_eq!(left(&rebased)["order"], json!(["red", "green", "black"]));
    let adapted = RebaseOutcome::Adapted("/Colour/enum".to_owned());
    assert_eq!(*only_outcome(&rebased), adapted);
}

#[test]
fn order_that_is_not_needed_any_more_is_dropped() {
    let order = json!({ "at": "/Colour/enum", "order": ["red", "green", "blue"] });
    let definitions = changed(|all| all["Colour"]["enum"] = json!(["red"]));
    let rebased = carry(&order, &definitions);
    assert_eq!(*dropped(&rebased), RebaseOutcome::Mended);
}

#[test]
fn order_of_members_is_left_to_the_generator() {
    let order = json!({ "at": "/Book/properties", "order": ["title", "author", "pages"] });
    let definitions = changed(|all| all["Book"]["properties"]["isbn"] = json!({}));
    let rebased = carry(&order, &definitions);
    assert_eq!(*dropped(&rebased), RebaseOutcome::Inherited);
}

#[test]
fn erratum_that_upstream_mended_is_dropped() {
    let definitions = changed(|all| all["Book"]["properties"]["pages"]["type"] = json!("integer"));
    let rebased = carry(&pages(), &definitions);
    assert_eq!(*dropped(&rebased), RebaseOutcome::Mended);
    let text = rebased.changes[0].to_string();
    assert_eq!(
        text,
        "erratum `it` at `/Book/properties/pages`: dropped, because it is correct now"
    );
}

#[test]
fn only_the_mended_change_of_an_erratum_is_dropped() {
    let changes = json!([pages(), { "at": "/Map/additionalProperties", "now": {} }]);
    let definitions = changed(|all| all["Map"]["additionalProperties"] = json!({}));
    let rebased = carry_all(&changes, &definitions);
    assert_eq!(left(&rebased), pages());
    assert_eq!(*only_outcome(&rebased), RebaseOutcome::Mended);
}

#[test]
fn erratum_whose_place_is_gone_is_dropped() {
    let member = changed(|all| remove(all, "/Book/properties", "pages"));
    assert_eq!(*dropped(&carry(&pages(), &member)), RebaseOutcome::Vanished);
    let addition = json!({ "at": "/Map/additionalProperties", "now": {} });
    let definition = changed(|all| {
        remove(all, "", "Map");
        all["Item"]["anyOf"].as_array_mut().unwrap().remove(1);
        all["Paper"]["anyOf"].as_array_mut().unwrap().remove(1);
    });
    assert_eq!(
        *dropped(&carry(&addition, &definition)),
        RebaseOutcome::Vanished
    );
}

#[test]
fn erratum_that_conflicts_is_left_out_with_the_reason() {
    let definitions = changed(|all| all["Book"]["properties"]["pages"]["type"] = json!("number"));
    let rebased = carry(&pages(), &definitions);
    let RebaseOutcome::Conflict(reason) = dropped(&rebased) else {
        panic!("{rebased:?}");
    };
    for part in [
        r#"{"type":"string"}"#,
        r#"{"type":"integer"}"#,
        r#"2000-01-02 has {"type":"number"}"#,
    ] {
        assert!(reason.contains(part), "{reason}");
    }
}

#[test]
fn erratum_that_would_refer_to_a_removed_definition_is_left_out() {
    let change = json!({ "at": "/Book/properties/pages", "was": { "type": "string" }, "now": { "$ref": "#/$defs/Map" } });
    let definitions = changed(|all| {
        remove(all, "", "Map");
        remove(all, "", "Paper");
        all["Item"]["anyOf"].as_array_mut().unwrap().remove(1);
    });
    let rebased = carry(&change, &definitions);
    assert!(matches!(dropped(&rebased), RebaseOutcome::Conflict(reason) if reason.contains("Map")));
}

#[test]
fn change_of_another_part_of_the_same_value_is_merged() {
    let definitions = changed(|all| {
        all["Book"]["properties"]["pages"] = json!({ "type": "string", "deprecated": true });
    });
    let left = left(&carry(&pages(), &definitions));
    assert_eq!(left["was"], json!({ "type": "string", "deprecated": true }));
    assert_eq!(
        left["now"],
        json!({ "type": "integer", "deprecated": true })
    );
}

#[test]
fn list_gets_what_either_side_added_and_loses_what_either_side_removed() {
    let change = json!({ "at": "/Colour/enum", "was": ["blue", "green", "red"], "now": ["red", "green", "white"] });
    let definitions = changed(|all| all["Colour"]["enum"] = json!(["blue", "red", "yellow"]));
    let left = left(&carry(&change, &definitions));
    assert_eq!(left["was"], json!(["blue", "red", "yellow"]));
    assert_eq!(left["now"], json!(["red", "white", "yellow"]));
}

#[test]
fn new_variant_of_a_nested_union_is_not_listed_twice() {
    let change = json!({
        "at": "/Item/anyOf",
        "was": [{ "$ref": "#/$defs/Book" }, { "$ref": "#/$defs/Map" }, { "type": "string" }],
        "now": [{ "$ref": "#/$defs/Paper" }, { "type": "string" }],
    });
    let definitions = changed(|all| {
        all["Chart"] = json!({ "type": "object" });
        for (union, at) in [("Item", 2), ("Paper", 2)] {
            let variants = all[union]["anyOf"].as_array_mut().unwrap();
            variants.insert(at, json!({ "$ref": "#/$defs/Chart" }));
        }
    });
    let left = left(&carry(&change, &definitions));
    assert_eq!(
        left["now"],
        json!([{ "$ref": "#/$defs/Paper" }, { "type": "string" }])
    );
}

#[test]
fn replacement_of_variants_that_are_gone_is_dropped() {
    let change = json!({
        "at": "/Item/anyOf",
        "was": [{ "$ref": "#/$defs/Book" }, { "$ref": "#/$defs/Map" }, { "type": "string" }],
        "now": [{ "$ref": "#/$defs/Paper" }, { "type": "string" }],
    });
    let definitions = changed(|all| all["Item"]["anyOf"] = json!([{ "type": "string" }]));
    let rebased = carry(&change, &definitions);
    assert_eq!(*dropped(&rebased), RebaseOutcome::Mended);
    let definitions = changed(|all| {
        all["Item"]["anyOf"] = json!([{ "type": "string" }, { "type": "integer" }]);
    });
    let rebased = carry(&change, &definitions);
    assert!(matches!(dropped(&rebased), RebaseOutcome::Conflict(_)));
}

#[test]
fn element_of_a_list_is_found_at_its_new_index() {
    let change = json!({ "at": "/Item/anyOf/2/type", "was": "string", "now": ["string", "null"] });
    let definitions = changed(|all| {
        all["Item"]["anyOf"].as_array_mut().unwrap().remove(1);
    });
    let rebased = carry(&change, &definitions);
    assert_eq!(left(&rebased)["at"], "/Item/anyOf/1/type");
    let adapted = RebaseOutcome::Adapted("/Item/anyOf/1/type".to_owned());
    assert_eq!(*only_outcome(&rebased), adapted);
}

#[test]
fn renamed_definition_keeps_its_errata() {
    let changes = json!([
        { "at": "/Book/properties/title", "was": { "type": "string" }, "now": { "$ref": "#/$defs/Map" } },
        { "at": "/Map/additionalProperties", "now": {} },
    ]);
    let definitions = changed(|all| {
        let map = all["Map"].clone();
        remove(all, "", "Map");
        all["Chart"] = map;
        for (union, at) in [("Item", 1), ("Paper", 1)] {
            all[union]["anyOf"][at] = json!({ "$ref": "#/$defs/Chart" });
        }
    });
    let rebased = carry_all(&changes, &definitions);
    let file: Value = serde_json::from_str(&rebased.errata.to_json()).unwrap();
    let changes = &file["errata"][0]["changes"];
    assert_eq!(changes[0]["now"], json!({ "$ref": "#/$defs/Chart" }));
    assert_eq!(changes[1]["at"], "/Chart/additionalProperties");
}

#[test]
fn later_changes_build_on_earlier_ones() {
    let changes = json!([
        { "at": "/Colour", "was": { "type": "string", "enum": ["blue", "green", "red"] },
          "now": { "type": "string", "enum": ["blue", "green", "red", "white"] } },
        { "at": "/Colour/enum", "order": ["white", "red", "green", "blue"] },
    ]);
    let definitions = changed(|all| all["Book"]["properties"]["isbn"] = json!({}));
    let rebased = carry_all(&changes, &definitions);
    let file: Value = serde_json::from_str(&rebased.errata.to_json()).unwrap();
    assert_eq!(
        file["errata"][0]["changes"][1]["order"],
        json!(["white", "red", "green", "blue"])
    );
}

#[test]
fn errata_for_nothing_are_an_empty_file() {
    let definitions = changed(|all| all["Book"]["properties"]["pages"]["type"] = json!("integer"));
    let text = carry(&pages(), &definitions).errata.to_json();
    assert!(text.contains("\"errata\": []"), "{text}");
}
