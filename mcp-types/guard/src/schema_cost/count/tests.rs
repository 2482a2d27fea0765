use super::*;
use crate::schema_cost::Extent;
use serde_json::json;

/// Creates definitions each of which refers twice to the next.
fn doubling(steps: usize) -> Value {
    let mut defs = serde_json::Map::new();
    for step in 0..steps {
        let next = json!({ "$ref": format!("#/$defs/d{}", step + 1) });
        defs.insert(format!("d{step}"), json!({ "allOf": [next, next] }));
    }
    defs.insert(format!("d{steps}"), json!({ "type": "integer" }));
    json!({ "$ref": "#/$defs/d0", "$defs": defs })
}

fn is_costly(schema: &Value) -> bool {
    matches!(of(schema), Err(CostError::Costly(_)))
}

#[test]
fn schema_that_explodes_when_expanded_is_rejected_without_expanding_it() {
    assert!(of(&doubling(5)).is_ok_and(|cost| cost.parts > 64 && cost.recursion.is_none()));
    assert!(is_costly(&doubling(40)));
    assert!(is_costly(&doubling(100)));
    // Each one is small, and the last one is nested far below the first.
    let mut defs = serde_json::Map::new();
    for step in 0..100 {
        let next = json!({ "$ref": format!("#/$defs/d{}", step + 1) });
        defs.insert(format!("d{step}"), json!({ "not": { "not": next } }));
    }
    defs.insert("d100".to_owned(), json!({ "type": "integer" }));
    let long = json!({ "$ref": "#/$defs/d0", "$defs": defs });
    assert!(is_costly(&long));
    let text = doubling(40).to_string().replace("/d3", "/d%33");
    assert!(is_costly(&serde_json::from_str(&text).expect("JSON")));
    let named = json!({ "$defs": { "a": { "$anchor": "a", "items": { "$ref": "#a" } } } });
    assert!(of(&named).is_ok_and(|cost| cost.recursion.is_some()));
    let mut deep = json!(true);
    for _ in 0..70 {
        deep = json!({ "not": deep });
    }
    assert!(is_costly(&deep));
}

#[test]
fn references_whose_cost_is_unknown_are_rejected() {
    let four = "http://json-schema.org/draft-04/schema#";
    let cases = [
        json!({ "$ref": "#/$defs/none" }),
        json!({ "$ref": "#none" }),
        json!({ "$ref": "other.json" }),
        json!({ "$ref": "https://example.com/" }),
        json!({ "$defs": { "a": { "$id": "a" } } }),
        json!({ "$schema": four, "definitions": { "a": { "id": "a" } } }),
        json!({ "$defs": { "a": { "$anchor": "a" }, "b": { "$anchor": "a" } } }),
    ];
    for schema in cases {
        let refused = of(&schema).expect_err("its cost is unknown");
        assert!(
            matches!(refused, CostError::Unusable(_)),
            "{schema}: {refused}"
        );
    }
}

#[test]
fn data_that_looks_like_a_reference_is_accepted() {
    let schema = json!({ "default": { "$ref": "#/none" }, "enum": [{ "$ref": "none" }] });
    of(&schema).expect("no reference");
    // A property may have such a name; the references in its schema are counted.
    let mut schema = doubling(40);
    schema["properties"] = json!({ "default": { "$ref": "#/$defs/d0" } });
    schema.as_object_mut().expect("an object").remove("$ref");
    assert!(is_costly(&schema));
}

#[test]
fn cost_limit_is_the_product_of_value_and_schema_sizes() {
    let many = Extent::of_json(&Value::from(vec![1; 10_000]));
    let long = Extent::of_json(&Value::from("x".repeat(3 << 20)));
    let list = of(&json!({ "items": { "type": "integer" } })).expect("a cost");
    assert!(list.is_small() && list.admits(&many) && list.admits(&long));
    let branches = vec![json!({ "type": "integer" }); 20_000];
    let wide = of(&json!({ "items": { "anyOf": branches } })).expect("a cost");
    assert!(!wide.is_small() && !wide.admits(&many) && wide.admits(&long));
    let patterns = vec![json!({ "pattern": "a+" }); 1_000];
    let scans = of(&json!({ "allOf": patterns })).expect("a cost");
    assert!(scans.admits(&many) && !scans.admits(&long));
    let tries = of(&json!({ "items": { "pattern": "a(?!b)" } })).expect("a cost");
    let more = Extent::of_json(&Value::from(vec![1; 100_000]));
    assert!(!tries.is_small() && tries.admits(&many) && !tries.admits(&more));
}

#[test]
fn cost_of_a_pattern_is_the_product_of_its_automaton_and_the_text() {
    let text = |length: usize| Extent::of_json(&Value::from("ab".repeat(length / 2)));
    let tight = of(&json!({ "pattern": "(a|b)*a(a|b){400}c" })).expect("a cost");
    assert!(!tight.is_small() && tight.admits(&text(2_000)) && !tight.admits(&text(20_000)));
    let usual = of(&json!({ "pattern": "^[a-z]{1,64}$" })).expect("a cost");
    assert!(!usual.is_small() && usual.admits(&text(100_000)) && usual.is_quick(&text(100)));
    let names = of(&json!({ "patternProperties": { "^x-": true } })).expect("a cost");
    assert!(!names.is_small() && names.admits(&text(1_000_000)));
    // A lookaround that each character reaches again.
    let lookaround = of(&json!({ "pattern": "^(?:(?!--).)*$" })).expect("a cost");
    assert!(lookaround.admits(&text(1_000)) && !lookaround.admits(&text(100_000)));
    // What is admitted is explained within bounds, too: the second path doubles at each level.
    let again = json!({ "properties": { "a": { "$ref": "#" } }, "pattern": "^[a-z]{64}$" });
    let two = of(&json!({ "allOf": [again, again] })).expect("a cost");
    let mut deep = json!("x".repeat(1_000));
    for _ in 0..8 {
        deep = json!({ "a": deep });
    }
    let deep = Extent::of_json(&deep);
    assert!(two.admits(&deep) && !two.explains(&deep));
}

#[test]
fn schema_with_large_patterns_is_rejected_before_they_are_compiled() {
    let all = |pattern: &dyn Fn(usize) -> String, count| {
        let patterns = (0..count).map(|index| json!({ "pattern": pattern(index) }));
        json!({ "allOf": patterns.collect::<Vec<_>>() })
    };
    let cases = [
        all(&|index| format!(r"\pL{{200}}{index}"), 60),
        all(&|index| format!(r"\pL{{5}}{index}"), 10),
        all(&|index| format!("a{index}"), 1_000),
        // Each class is translated apart, and the whole pattern is parsed again for each.
        all(&|index| format!("{}{index}", r"\d".repeat(1_000)), 1),
        json!({ "pattern": "a".repeat(100_000) }),
        json!({ "patternProperties": { "^(?:(?=a*)a)*$": true } }),
    ];
    for schema in cases {
        let refused = of(&schema);
        let start: String = schema.to_string().chars().take(80).collect();
        assert!(
            matches!(refused, Err(CostError::Costly(_))),
            "{start}: {refused:?}"
        );
    }
    // The same pattern is compiled once.
    of(&all(&|_| r"^\p{L}+$".to_owned(), 1_000)).expect("one pattern");
}

#[test]
fn errors_are_collected_only_if_cheap() {
    let mut deep = json!(1);
    for _ in 0..40 {
        deep = json!({ "a": deep });
    }
    let deep = Extent::of_json(&deep);
    // One path from each level to the next, and two paths.
    let again = json!({ "properties": { "a": { "$ref": "#" } } });
    let one = of(&again).expect("a cost");
    let two = of(&json!({ "allOf": [again, again] })).expect("a cost");
    let flat = Extent::of_json(&json!({ "a": { "a": 1 } }));
    assert!(one.admits(&deep) && one.explains(&deep));
    assert!(two.admits(&deep) && !two.explains(&deep));
    assert!(two.explains(&flat));
    let many = Extent::of_json(&Value::from(vec![1; 1_000_000]));
    assert!(one.admits(&many) && !one.explains(&many));
}
