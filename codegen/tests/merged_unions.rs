//! Which unions are decoded as a merged struct, and which are not.

use codegen::project::Project;
use serde_json::{Value, json};

/// Returns the rows of the merged struct of a union of two structs, `A` with the member `a`, and `B` with the
/// member `b`. `more_a` and `more_b` are the schemas of a member `more`.
fn merged(more_a: &Value, more_b: &Value, change: impl FnOnce(&mut Value)) -> Option<String> {
    let mut schema = json!({ "$defs": {
        "A": {
            "type": "object",
            "properties": { "kind": { "const": "x" }, "a": { "type": "string" }, "more": more_a },
            "required": ["kind", "a"],
        },
        "B": {
            "type": "object",
            "properties": { "kind": { "const": "x" }, "b": { "type": "string" }, "more": more_b },
            "required": ["kind", "b"],
        },
        "One": { "type": "object", "properties": { "one": { "type": "string" } } },
        "Two": { "type": "object", "properties": { "two": { "type": "string" } } },
        "Choice": { "anyOf": [{ "$ref": "#/$defs/One" }, { "type": "string" }] },
        "Both": { "anyOf": [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/B" }] },
    }});
    change(&mut schema["$defs"]);
    let outcome = Project::default().standalone("test", "test.json", &schema.to_string(), None);
    let files = outcome.unwrap().files;
    let texts: String = files.into_iter().map(|file| file.text).collect();
    let (_, table) = texts.split_once("merged_codec! {")?;
    let (table, _) = table.split_once("\n}\n")?;
    Some(table.to_owned())
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

#[test]
fn structs_with_the_same_members_are_merged() {
    let one = reference("One");
    let table = merged(&one, &one, |_| ()).unwrap();
    assert!(table.contains(r#""kind" text("x");"#), "{table}");
    assert!(table.contains("some more: One;"), "{table}");
    assert!(
        table.contains("A { some a } { some more } => plain A;"),
        "{table}"
    );
}

#[test]
fn one_member_may_have_two_types() {
    let table = merged(&reference("One"), &reference("Two"), |_| ()).unwrap();
    assert!(table.contains("later more: codec::Later<'de>;"), "{table}");
    assert!(
        table.contains("B { some b } { later more } => plain B;"),
        "{table}"
    );
    let two_differ = merged(&reference("One"), &reference("Two"), |definitions| {
        definitions["A"]["properties"]["other"] = reference("One");
        definitions["B"]["properties"]["other"] = reference("Two");
    });
    assert_eq!(two_differ, None);
}

#[test]
fn structs_that_need_more_than_their_members_are_not_merged() {
    let one = reference("One");
    // A value of this union would be decoded again within a value that is decoded again.
    let choice = reference("Choice");
    assert_eq!(merged(&choice, &choice, |_| ()), None);
    let lists = json!({ "type": "array", "items": choice });
    assert_eq!(merged(&lists, &lists, |_| ()), None);
    let closed = merged(&one, &one, |definitions| {
        definitions["A"]["additionalProperties"] = json!(false);
    });
    assert_eq!(closed, None);
    let bounded = merged(&one, &one, |definitions| {
        definitions["A"]["properties"]["a"]["minLength"] = json!(1);
    });
    assert_eq!(bounded, None);
}
