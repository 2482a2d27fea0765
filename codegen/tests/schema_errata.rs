//! Errata change only the named positions.

use codegen::schema::{Document, Errata, ErratumError};
use serde_json::{Value, json};

fn document() -> Document {
    let root = json!({ "$defs": {
        "A": {
            "type": "object", "description": "Words of A.",
            "properties": {
                "x": { "type": "string", "description": "Words of x." },
                "y": { "type": "integer" },
                "z": {},
            },
            "required": ["x"],
        },
        "B": { "type": "string", "enum": ["a", "b", "c"] },
    } });
    Document::parse("some.json", &root.to_string()).unwrap()
}

fn errata(changes: &Value) -> Result<Errata, ErratumError> {
    let erratum = json!({ "name": "an-erratum", "reason": "Because.", "changes": changes });
    let root = json!({ "revision": "r", "errata": [erratum] });
    Errata::parse("errata.json", &root.to_string())
}

fn apply(changes: &Value) -> Result<Document, Vec<ErratumError>> {
    let mut document = document();
    let result = errata(changes).unwrap().apply(&mut document);
    if result.is_err() {
        assert_eq!(
            document,
            self::document(),
            "a document was left half changed"
        );
    }
    result.map(|()| document)
}

fn only_fault(changes: &Value) -> ErratumError {
    let mut faults = apply(changes).unwrap_err();
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}

#[test]
fn values_are_replaced_added_and_removed_and_texts_are_kept() {
    let changed = apply(&json!([
        { "at": "/A/properties/x", "was": { "type": "string" }, "now": { "$ref": "#/$defs/B" } },
        { "at": "/A/additionalProperties", "now": {} },
        { "at": "/A/properties/z", "was": {} },
        { "at": "/B/enum/1", "was": "b" },
        { "at": "/B/default", "now": null },
    ]));
    let a = &changed.as_ref().unwrap().definitions["A"];
    assert_eq!(
        a["properties"]["x"],
        json!({ "$ref": "#/$defs/B", "description": "Words of x." })
    );
    assert_eq!(a["additionalProperties"], json!({}));
    assert_eq!(
        a["properties"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["x", "y"]
    );
    let b = &changed.as_ref().unwrap().definitions["B"];
    assert_eq!(b["enum"], json!(["a", "c"]));
    assert_eq!(b.get("default"), Some(&Value::Null));
}

#[test]
fn members_and_elements_are_sorted_as_listed() {
    let changed = apply(&json!([
        { "at": "/A/properties", "order": ["z", "x", "y"] },
        { "at": "/B/enum", "order": ["c", "a", "b"] },
    ]))
    .unwrap();
    let names: Vec<_> = changed.definitions["A"]["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(names, ["z", "x", "y"]);
    assert_eq!(changed.definitions["B"]["enum"], json!(["c", "a", "b"]));
}

#[test]
fn erratum_for_a_fixed_schema_is_reported() {
    for change in [
        json!({ "at": "/A/properties/x", "was": { "type": "null" }, "now": { "type": "string" } }),
        json!({ "at": "/A/properties/z", "now": {} }),
        json!({ "at": "/A/properties/gone", "was": {} }),
        json!({ "at": "/A/properties", "order": ["x", "y", "z"] }),
        json!({ "at": "/B/enum", "order": ["a", "b", "c"] }),
    ] {
        let fault = only_fault(&json!([change]));
        assert!(
            matches!(fault, ErratumError::NoLongerApplies { whole: true, .. }),
            "{fault}"
        );
        let text = fault.to_string();
        assert!(
            text.starts_with("errata.json: erratum `an-erratum` no longer applies"),
            "{text}"
        );
        assert!(text.ends_with("; remove the erratum"), "{text}");
    }
}

#[test]
fn erratum_for_a_partly_fixed_schema_names_the_fixed_changes() {
    let fault = only_fault(&json!([
        { "at": "/A/properties/z", "now": {} },
        { "at": "/A/additionalProperties", "now": {} },
    ]));
    assert!(
        fault
            .to_string()
            .ends_with("already correct at /A/properties/z; remove these changes of it")
    );
}

#[test]
fn erratum_for_an_unexpected_value_is_rejected() {
    for change in [
        json!({ "at": "/A/properties/x/type", "was": "null", "now": "integer" }),
        json!({ "at": "/A/properties/none", "was": {}, "now": { "type": "string" } }),
        json!({ "at": "/None/properties/x", "was": {} }),
        json!({ "at": "/None/properties/x", "now": {} }),
        json!({ "at": "/A/properties/x", "now": {} }),
        json!({ "at": "/A/properties", "order": ["x", "y"] }),
        json!({ "at": "/A/properties", "order": ["x", "y", "z", "w"] }),
        json!({ "at": "/A/properties", "order": ["x", "y", "y", "z"] }),
        json!({ "at": "/B/enum", "order": ["a", "b", "d"] }),
        json!({ "at": "/B/type", "order": ["a"] }),
        json!({ "at": "no pointer", "now": 1 }),
    ] {
        let fault = only_fault(&json!([change]));
        assert!(
            matches!(fault, ErratumError::UnexpectedValue { .. }),
            "{fault}"
        );
    }
    let change = json!([{ "at": "/A/properties/x/type", "was": "null", "now": "integer" }]);
    assert_eq!(
        only_fault(&change).to_string(),
        "errata.json: erratum `an-erratum` does not match at `/A/properties/x/type`: \
         expected \"null\", found \"string\""
    );
}

#[test]
fn all_errors_are_reported() {
    let faults = apply(&json!([
        { "at": "/A/properties/z", "now": {} },
        { "at": "/A/type", "was": "array", "now": "string" },
        { "at": "/B/type", "was": "array", "now": "integer" },
    ]));
    assert_eq!(faults.unwrap_err().len(), 3);
}

#[test]
fn errata_that_make_the_schema_invalid_are_rejected() {
    for change in [
        json!({ "at": "/A/properties/x", "was": { "type": "string" }, "now": { "$ref": "#/$defs/C" } }),
        json!({ "at": "/A/if", "now": 1 }),
        json!({ "at": "/A/type", "was": "object", "now": "thing" }),
    ] {
        assert!(matches!(
            only_fault(&json!([change])),
            ErratumError::InvalidResult { .. }
        ));
    }
}

#[test]
fn empty_and_contradictory_changes_are_rejected() {
    for change in [
        json!({ "at": "/A" }),
        json!({ "at": "/A", "was": 1, "now": 1 }),
        json!({ "at": "/A", "now": 1, "order": [] }),
    ] {
        let fault = errata(&json!([change])).unwrap_err();
        assert!(matches!(fault, ErratumError::BadChange { .. }), "{fault}");
    }
    assert!(matches!(
        errata(&json!([{ "at": 1 }])),
        Err(ErratumError::Form { .. })
    ));
    assert!(matches!(
        errata(&json!([{ "at": "/A", "new": 1 }])),
        Err(ErratumError::Form { .. })
    ));
}
