use serde_json::json;

use super::*;

/// Returns the faults of a value as the model reads them.
fn faults(schema: &serde_json::Value, value: serde_json::Value) -> String {
    let validator = Validator::with_formats(schema).expect("a schema");
    let value = mcp_types::json::Value::from(value);
    let invalid = validator.check(&value).expect_err("the value is invalid");
    invalid.to_string()
}

/// The schema of an enum with a documented variant, as schemars derives it.
fn category() -> serde_json::Value {
    json!({ "oneOf": [
        { "description": "Meals", "type": "string", "const": "food" },
        { "type": "string", "enum": ["travel", "other"] }
    ] })
}

#[test]
fn constants_are_listed() {
    let list = "$: expected one of `food`, `travel`, `other`";
    assert_eq!(faults(&category(), json!("x")), list);
    assert_eq!(faults(&category(), json!(3)), list);
    let optional = json!({ "anyOf": [category(), { "type": "null" }] });
    assert_eq!(faults(&optional, json!("x")), list);
    let plain = json!({ "type": ["string", "null"], "enum": ["food", null] });
    assert_eq!(faults(&plain, json!(3)), "$: expected `food`");
    let list = json!({ "enum": ["food", null, "other"] });
    let expected = "$: expected one of `food`, `other`";
    assert_eq!(faults(&list, json!(3)), expected);
    let optional = json!({ "type": ["integer", "null"] });
    let expected = "$: expected integer, found string";
    assert_eq!(faults(&optional, json!("x")), expected);
    let one = json!({ "const": "\u{1b}" });
    assert_eq!(faults(&one, json!(3)), r"$: expected `\u{1b}`");
}

#[test]
fn fault_of_the_branch_that_the_tag_chooses_is_reported() {
    let shape = |kind: &str, member: &str| {
        json!({
            "type": "object",
            "properties": { "kind": { "const": kind }, member: { "type": "number" } },
            "required": ["kind", member]
        })
    };
    let mut point = shape("point", "x");
    point["required"] = json!(["kind"]);
    let internal = json!({ "oneOf": [shape("circle", "radius"), shape("square", "side"), point] });
    for (value, expected) in [
        (
            json!({ "kind": "circle", "radius": "x" }),
            "$.radius: expected number, found string",
        ),
        (json!({ "kind": "square" }), "$: `side` is required"),
        (
            json!({ "kind": "line" }),
            "$.kind: expected one of `circle`, `square`, `point`",
        ),
        (json!({ "radius": 1 }), "$: `kind` is required"),
    ] {
        assert_eq!(faults(&internal, value), expected);
    }
    let variant = |name: &str, inner: serde_json::Value| {
        json!({
            "type": "object", "properties": { name: inner }, "required": [name],
            "additionalProperties": false
        })
    };
    let external = json!({ "oneOf": [
        variant("Circle", json!({ "type": "object", "properties": { "radius": { "type": "number" } } })),
        variant("Kind", json!({ "type": "string", "enum": ["a", "b"] })),
    ] });
    for (value, expected) in [
        (
            json!({ "Circle": { "radius": "x" } }),
            "$.Circle.radius: expected number, found string",
        ),
        (json!({ "Kind": "x" }), "$.Kind: expected one of `a`, `b`"),
    ] {
        assert_eq!(faults(&external, value), expected);
    }
    let untagged = json!({ "anyOf": [{ "type": "integer" }, { "type": "array" }] });
    let expected = "$: fits none of the alternatives: expected integer, found string, or expected array, found string";
    assert_eq!(faults(&untagged, json!("x")), expected);
}

#[test]
fn all_faults_are_reported_with_their_places_and_expectations() {
    let schema = json!({
        "type": "object",
        "properties": {
            "amount": { "type": "number", "minimum": 0, "maximum": 100 },
            "category": category(),
            "day": { "type": "string", "format": "date" },
            "tags": { "type": "array", "items": { "type": "string", "maxLength": 3 }, "maxItems": 2 }
        },
        "required": ["amount", "category", "day", "title"],
        "additionalProperties": false
    });
    let value = json!({
        "amount": -1, "category": "x", "day": "tomorrow", "tags": ["long one"], "more\n": 1
    });
    let text = faults(&schema, value);
    for expected in [
        "$.amount: expected at least 0",
        "$.category: expected one of `food`, `travel`, `other`",
        "$.day: expected a date such as 2026-01-31",
        "$.tags[0]: expected at most 3 characters",
        "$: `title` is required",
        r"$: unexpected: `more\u{a}`",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn errors_that_would_need_much_memory_are_not_collected() {
    let long = "n".repeat(3 << 20);
    let branches: Vec<_> = (0..5_000)
        .map(|number| json!({ "const": number }))
        .collect();
    for (schema, value) in [
        (
            json!({ "additionalProperties": { "additionalProperties": {
                "items": { "type": "string" } } } }),
            json!({ "m": { long.as_str(): vec![0; 20_000] } }),
        ),
        (json!({ "anyOf": branches }), json!(long)),
    ] {
        let validator = Validator::new(&schema).expect("a schema");
        let value = mcp_types::json::Value::from(value);
        assert!(!validator.is_quick(&value));
        let invalid = validator.check(&value).expect_err("invalid");
        assert!(!matches!(invalid, Invalid::Faults { .. }), "{invalid}");
    }
}

#[test]
fn paths_of_faults_are_short() {
    let mut value = json!(1);
    let mut schema = json!({ "type": "string" });
    for _ in 0..20 {
        value = json!({ "\u{e9}".repeat(100): value });
        schema = json!({ "additionalProperties": schema });
    }
    let text = faults(&schema, value);
    let name = format!("['{}…']", "\u{e9}".repeat(64));
    assert!(text.starts_with(&format!("${name}{name}")), "{text}");
    assert!(text.contains("['…']: expected string"), "{text}");
    assert!(text.chars().count() < 700, "{text}");
}

#[test]
fn objects_and_lists_equal_constants() {
    let schema = json!({ "enum": [[1, { "a": [1.0, null] }], { "b": "x", "c": true }, []] });
    let validator = Validator::new(&schema).expect("a schema");
    for (value, is_equal) in [
        (json!([1, { "a": [1, null] }]), true),
        (json!({ "c": true, "b": "x" }), true),
        (json!([]), true),
        (json!([1, { "a": [1, false] }]), false),
        (json!({ "c": true, "d": "x" }), false),
        (json!({}), false),
        (json!([1]), false),
    ] {
        let found = validator.check(&mcp_types::json::Value::from(value.clone()));
        assert_eq!(found.is_ok(), is_equal, "{value}");
    }
}

#[test]
fn formats_that_are_expensive_to_check_are_not_checked() {
    for format in UNCHECKED {
        let schema = json!({ "format": format });
        let validator = Validator::with_formats(&schema).expect("a schema");
        let value = mcp_types::json::Value::from("(((xn--\u{fc}-");
        validator.check(&value).expect("not checked");
    }
}

#[test]
fn pattern_within_the_limits_is_compiled_and_matched() {
    let host = r"^(?=.{1,253}\.?$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\.?$";
    let email = r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$";
    for (pattern, good, bad) in [
        (host, "eu-west.example.com", "-.example"),
        (email, "a.b@example.com", "a..b@example.com"),
        (r"^(?=.*[A-Z])(?=.*\d).{8,}$", "Password1", "password1"),
        (r"^\p{L}[\p{L}\p{N} '-]*$", "José", "1"),
        (
            r"^(?!-)(?:[A-Za-z0-9-]{1,63}(?<!-)\.)+[A-Za-z]{2,}$",
            "a-b.example",
            "a-.example",
        ),
    ] {
        let schema = json!({ "items": { "pattern": pattern } });
        let validator =
            Validator::new(&schema).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        let check = |texts: Vec<&str>| validator.check(&mcp_types::json::Value::from(texts));
        check(vec![good; 20]).unwrap_or_else(|invalid| panic!("{pattern}: {invalid}"));
        let invalid = check(vec![bad]).expect_err("no match");
        assert!(
            matches!(invalid, Invalid::Faults { .. }),
            "{pattern}: {invalid}"
        );
    }
}

/// Patterns of the parts that make matching expensive.
fn patterns() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let atom = prop_oneof![
        Just("a".to_owned()),
        Just("b".to_owned()),
        Just("[ab]".to_owned()),
        Just(".".to_owned()),
        Just(r"\w".to_owned()),
        Just(r"\s".to_owned()),
        Just("^".to_owned()),
        Just("$".to_owned()),
    ];
    atom.prop_recursive(5, 24, 4, |inner| {
        let quantifier = prop_oneof![
            Just("*"),
            Just("+"),
            Just("?"),
            Just("{3}"),
            Just("{2,}"),
            Just("{0,40}")
        ];
        let group = prop_oneof![
            Just("("),
            Just("(?:"),
            Just("(?="),
            Just("(?!"),
            Just("(?<!")
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 2..4)
                .prop_map(|parts| format!("(?:{})", parts.join("|"))),
            (inner.clone(), quantifier).prop_map(|(part, many)| format!("(?:{part}){many}")),
            (group, inner).prop_map(|(open, part)| format!("{open}{part})")),
        ]
    })
}

proptest::proptest! {
    /// Whatever is accepted ends soon enough for 256 cases in a test.
    #[test]
    fn random_pattern_is_refused_or_matched(
        pattern in patterns(),
        text in "[ab]{0,2000}",
    ) {
        let schema = json!({ "pattern": pattern });
        if let Ok(validator) = Validator::new(&schema) {
            let value = mcp_types::json::Value::from(text);
            let _ = validator.check(&value);
        }
    }
}
