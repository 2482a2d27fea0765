//! Tests the generators in `draw`: every instance is valid, and many mutants are not.

use std::sync::Arc;

use crate::draw::{Options, Schemas, forgive, holds, instance, instance_with, mutate};
use mcp_types::Revision;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

const INSTANCES: usize = 64;

fn definitions(value: Value) -> Arc<Schemas> {
    let Value::Object(definitions) = value else {
        panic!("no object")
    };
    Schemas::new(definitions)
}

fn revision(name: &str) -> Option<Arc<Schemas>> {
    let Some(file) = Schemas::file(name) else {
        println!("skipped: no schema of {name} here");
        return None;
    };
    Some(Schemas::load(&file))
}

#[test]
fn drawn_instances_are_valid_and_some_mutants_are_not() {
    let mut runner = TestRunner::deterministic();
    for name in Revision::ALL.iter().map(|revision| revision.as_str()) {
        let Some(schemas) = revision(name) else {
            continue;
        };
        let (mut types, mut instances, mut mutants, mut refused) = (0, 0, 0, 0);
        for definition in schemas.definitions() {
            let validator = schemas.validator(definition);
            let strategy = instance(&schemas, definition);
            let mut refused_here = 0;
            for _ in 0..INSTANCES {
                let drawn = strategy.new_tree(&mut runner).unwrap().current();
                let complaints = validator.errors(&drawn);
                assert!(
                    complaints.is_empty(),
                    "{name} {definition}: {drawn:#}\n{complaints}"
                );
                let forgiven = forgive(&schemas, definition, &drawn);
                assert!(
                    validator.is_valid(&forgiven),
                    "{name} {definition}: {drawn} {forgiven}"
                );
                instances += 1;
                let (what, mutant) = mutate(&schemas, definition, &drawn)
                    .new_tree(&mut runner)
                    .unwrap()
                    .current();
                assert_ne!(mutant, drawn, "{name} {definition}: {what}");
                let valid = validator.is_valid(&mutant);
                assert_eq!(
                    holds(&schemas, definition, &mutant),
                    valid,
                    "{name} {definition}: the two judges differ: {what}: {mutant:#}"
                );
                refused_here += usize::from(!valid);
                mutants += 1;
            }
            assert!(
                refused_here > 0,
                "{name} {definition}: no mutant was refused"
            );
            refused += refused_here;
            types += 1;
        }
        println!(
            "{name}: {types} types, {instances} instances, {refused} of {mutants} mutants refused"
        );
    }
}

#[test]
fn integral_floats_can_be_switched_off() {
    let schemas = definitions(json!({ "N": { "type": ["integer", "number"] }, "A": {} }));
    let mut runner = TestRunner::deterministic();
    let mut seen = [0, 0];
    for (integral_floats, seen) in [false, true].into_iter().zip(&mut seen) {
        for name in ["N", "A"] {
            let strategy = instance_with(&schemas, name, Options { integral_floats });
            for _ in 0..500 {
                let drawn = strategy.new_tree(&mut runner).unwrap().current();
                let number = drawn.as_number().filter(|number| number.is_f64());
                let float = number.and_then(serde_json::Number::as_f64);
                *seen += i32::from(float.is_some_and(|n| n.fract() == 0.0 && n.abs() < 1e200));
            }
        }
    }
    assert_eq!(seen[0], 0);
    assert!(seen[1] > 0);
}

#[test]
fn recursion_ends_and_all_of_is_merged() {
    let schemas = definitions(json!({
        "Tree": {
            "type": "object",
            "required": ["kids", "leaf"],
            "properties": {
                "kids": { "type": "array", "items": { "$ref": "#/definitions/Tree" } },
                "leaf": { "anyOf": [{ "$ref": "#/definitions/Tree" }, { "type": "null" }] },
            },
            "additionalProperties": { "not": {} },
        },
        "Named": {
            "allOf": [
                { "$ref": "#/definitions/Tree" },
                { "properties": { "leaf": { "type": "null" } }, "type": "object" },
            ],
        },
        "Pair": {
            "type": "array", "items": { "type": "number", "minimum": 0, "maximum": 1 },
            "minItems": 2, "maxItems": 2,
        },
        "One": {
            "oneOf": [
                { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
                { "type": "object", "properties": { "b": { "type": "string" } }, "required": ["b"] },
            ],
        },
        "Nothing": {
            "type": "object",
            "required": ["next"],
            "properties": { "next": { "$ref": "#/definitions/Nothing" } },
        },
    }));
    let mut runner = TestRunner::deterministic();
    for name in ["Tree", "Named", "Pair", "One"] {
        let strategy = instance(&schemas, name);
        for _ in 0..200 {
            let drawn = strategy.new_tree(&mut runner).unwrap().current();
            assert!(schemas.is_valid(name, &drawn), "{name}: {drawn}");
        }
    }
    assert!(instance(&schemas, "Nothing").new_tree(&mut runner).is_err());
}

#[test]
fn failing_instance_shrinks_and_stays_valid() {
    let Some(schemas) = revision("2025-06-18") else {
        return;
    };
    let mut runner = TestRunner::deterministic();
    let strategy = instance(&schemas, "Tool");
    let fails = |value: &Value| value.get("annotations").is_some();
    let mut tree = loop {
        let tree = strategy.new_tree(&mut runner).unwrap();
        if fails(&tree.current()) {
            break tree;
        }
    };
    let mut go_on = tree.simplify();
    while go_on {
        assert!(schemas.is_valid("Tool", &tree.current()));
        go_on = if fails(&tree.current()) {
            tree.simplify()
        } else {
            tree.complicate()
        };
    }
    let least = json!({ "annotations": {}, "inputSchema": { "type": "object" }, "name": "" });
    assert_eq!(tree.current(), least);
}

#[test]
fn only_null_members_and_integral_floats_are_tolerated() {
    let schemas = definitions(json!({
        "Point": {
            "type": "object",
            "required": ["x"],
            "properties": {
                "x": { "type": "integer" },
                "y": { "type": "integer" },
                "z": { "type": ["integer", "null"] },
                "any": {},
                "next": { "$ref": "#/$defs/Point" },
            },
        },
        "Shape": {
            "anyOf": [
                {
                    "type": "object",
                    "required": ["kind"],
                    "properties": { "kind": { "const": "dot" }, "at": { "$ref": "#/$defs/Point" } },
                },
                {
                    "type": "object",
                    "required": ["kind"],
                    "properties": { "kind": { "const": "text" }, "text": { "type": "string" } },
                },
            ],
        },
        "Shapes": { "type": "object", "additionalProperties": { "$ref": "#/$defs/Shape" } },
    }));
    let check = |name: &str, given: Value, wanted: Value| {
        assert_eq!(forgive(&schemas, name, &given), wanted, "{name}: {given}");
    };
    check("Point", json!({ "x": 1.0, "y": null }), json!({ "x": 1 }));
    check(
        "Point",
        json!({ "x": null, "z": null }),
        json!({ "x": null, "z": null }),
    );
    check(
        "Point",
        json!({ "x": 1.5, "any": null }),
        json!({ "x": 1.5, "any": null }),
    );
    check(
        "Point",
        json!({ "x": 1, "any": 1.0, "w": null }),
        json!({ "x": 1, "any": 1.0, "w": null }),
    );
    check(
        "Point",
        json!({ "x": 1, "next": { "x": 2.0, "next": null } }),
        json!({ "x": 1, "next": { "x": 2 } }),
    );
    check(
        "Shapes",
        json!({ "a": { "kind": "dot", "at": null, "text": null }, "b": { "kind": "dot", "at": { "x": 3.0 } } }),
        json!({ "a": { "kind": "dot", "text": null }, "b": { "kind": "dot", "at": { "x": 3 } } }),
    );
    check(
        "Shape",
        json!({ "kind": "else", "at": null }),
        json!({ "kind": "else", "at": null }),
    );
    assert_eq!(
        Map::new(),
        *forgive(&schemas, "Shapes", &json!({})).as_object().unwrap()
    );
}
