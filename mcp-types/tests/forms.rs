//! Answers to forms are checked by what the schema of a field says, whichever kind of field it is.

use mcp_types::form::{FormError, Misfit, check, complete};
use mcp_types::json::{self, Map};
use mcp_types::{ElicitAction, ElicitResult, ElicitValue, RequestedSchema};
use serde_json::{Value, json};

/// A form with one field.
fn form(field: &Value) -> RequestedSchema {
    let form = json!({ "type": "object", "properties": { "it": field } });
    json::from_str(&form.to_string()).unwrap()
}

fn misfit(field: &Value, answer: &Value) -> Option<Misfit> {
    let value: ElicitValue = json::from_str(&answer.to_string()).unwrap();
    match check(&form(field), &Map::from([("it", value)])) {
        Ok(()) => None,
        Err(FormError::Misfit { reason, .. }) => Some(reason),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn every_kind_of_field_is_checked() {
    let titled = json!([{ "const": "s", "title": "S" }, { "const": "l", "title": "L" }]);
    let text = json!({ "type": "string", "minLength": 2, "maxLength": 3 });
    let email = json!({ "type": "string", "format": "email" });
    let number = json!({ "type": "number", "minimum": 1, "maximum": 2.5 });
    let integer = json!({ "type": "integer", "minimum": 1 });
    let boolean = json!({ "type": "boolean" });
    let one = json!({ "type": "string", "enum": ["s", "l"] });
    let legacy = json!({ "type": "string", "enum": ["s", "l"], "enumNames": ["S", "L"] });
    let one_titled = json!({ "type": "string", "oneOf": titled });
    let many = json!({ "type": "array", "items": { "type": "string", "enum": ["s", "l"] }, "maxItems": 1 });
    let many_titled = json!({ "type": "array", "items": { "anyOf": titled }, "minItems": 1 });
    for (field, valid, invalid) in [
        (&text, json!("ab"), json!("a")),
        (&text, json!("äöü"), json!("abcd")),
        (&text, json!("ab"), json!(1)),
        (&email, json!("a@b"), json!("a")),
        (&number, json!(1.5), json!(0.5)),
        (&number, json!(2.5), json!(2.6)),
        (&number, json!(1), json!("1")),
        (&integer, json!(1.0), json!(1.5)),
        (&integer, json!(2), json!(0)),
        (&boolean, json!(true), json!("true")),
        (&one, json!("s"), json!("m")),
        (&one, json!("l"), json!(["l"])),
        (&legacy, json!("l"), json!("L")),
        (&one_titled, json!("s"), json!("S")),
        (&many, json!(["l"]), json!(["m"])),
        (&many, json!([]), json!(["l", "s"])),
        (&many, json!(["s"]), json!("s")),
        (&many_titled, json!(["s", "l"]), json!(["S"])),
        (&many_titled, json!(["s"]), json!([])),
    ] {
        assert_eq!(misfit(field, &valid), None, "{field} {valid}");
        assert!(misfit(field, &invalid).is_some(), "{field} {invalid}");
    }
}

#[test]
fn missing_members_get_the_defaults_of_every_kind_of_field() {
    for (field, default) in [
        (json!({ "type": "string" }), json!("a")),
        (json!({ "type": "number" }), json!(1.5)),
        (json!({ "type": "integer" }), json!(2)),
        (json!({ "type": "boolean" }), json!(false)),
        (json!({ "type": "string", "enum": ["a"] }), json!("a")),
        (
            json!({ "type": "string", "oneOf": [{ "const": "a", "title": "A" }] }),
            json!("a"),
        ),
        (
            json!({ "type": "array", "items": { "type": "string", "enum": ["a"] } }),
            json!(["a"]),
        ),
    ] {
        let mut field = field;
        field["default"] = default.clone();
        let answer = complete(&form(&field), ElicitResult::new(ElicitAction::Accept)).unwrap();
        let content = json::to_string(&answer.content).unwrap();
        let content: Value = serde_json::from_str(&content).unwrap();
        assert_eq!(content, json!({ "it": default }), "{field}");
    }
}
