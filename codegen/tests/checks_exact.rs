//! Numbers, drafts and references in the tables of checks are those of the document.

use codegen::project::{Project, Standalone, StandaloneOptions};
use serde_json::{Value, json};

fn generate(text: &str) -> Standalone {
    let options = StandaloneOptions::default();
    let outcome = Project::default().standalone("root", "root.json", text, &options);
    outcome.unwrap()
}

/// Returns the tables of a schema, or nothing if it needs none.
fn tables(outcome: &Standalone) -> String {
    let file = outcome.files.iter().find(|file| file.path == "checks.rs");
    let text = file.map_or("", |file| &file.text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn numbers_of_a_schema_keep_all_digits() {
    for (schema, check) in [
        (
            r#""maximum": 12345678901234567890123"#,
            r#"Maximum("12345678901234567890123")"#,
        ),
        (r#""minimum": -1e400"#, r#"Minimum("-1e400")"#),
        (
            r#""exclusiveMinimum": 0.10000000000000000001"#,
            r#"Above("0.10000000000000000001")"#,
        ),
        (
            r#""multipleOf": 0.1000000000000000000000000000001"#,
            r#"MultipleOf("0.1000000000000000000000000000001")"#,
        ),
        (
            r#""const": 12345678901234567890123"#,
            r#"Literal::Number("12345678901234567890123e0")"#,
        ),
        (
            r#""enum": [1e400, 2.50, [5.00000000000000000001]]"#,
            r#"Literal::Number("1e400"), codec::Literal::Number("25e-1")"#,
        ),
        (
            r#""enum": [[5.00000000000000000001], 1]"#,
            r#"Literal::Number("500000000000000000001e-20")"#,
        ),
    ] {
        for ty in [r#""type": "number","#, r#""type": "integer","#, ""] {
            let text = format!(r#"{{"$defs": {{"A": {{{ty} {schema}}}}}}}"#);
            let outcome = generate(&text);
            let is_no_integer = ty.contains("integer") && schema.contains("5.00");
            assert!(
                is_no_integer || tables(&outcome).contains(check),
                "{text}: {}",
                tables(&outcome)
            );
            assert_eq!(outcome.warnings, Vec::<String>::new(), "{text}");
            let member =
                format!(r#"{{"type": "object", "properties": {{"m": {{{ty} {schema}}}}}}}"#);
            let outcome = generate(&member);
            assert!(
                is_no_integer || tables(&outcome).contains(check),
                "{member}: {}",
                tables(&outcome)
            );
        }
    }
}

#[test]
fn integer_of_an_enumeration_that_exceeds_64_bits_is_a_number() {
    for schema in [
        r#""const": 12345678901234567890123"#,
        r#""enum": [18446744073709551615, 1]"#,
    ] {
        let text = format!(r#"{{"$defs": {{"A": {{"type": "integer", {schema}}}}}}}"#);
        let outcome = generate(&text);
        let types = outcome.files.iter().find(|file| file.path == "types.rs");
        let types = &types.unwrap().text;
        assert!(types.contains("Value(Number)"), "{schema}: {types}");
    }
}

#[test]
fn values_of_an_enumeration_are_sorted() {
    let outcome =
        generate(r#"{"$defs": {"A": {"enum": [[1], "b", 10, "a", 9, true, false, null]}}}"#);
    let expected = concat!(
        "Values(&[codec::Literal::Null, codec::Literal::Bool(false), codec::Literal::Bool(true), ",
        "codec::Literal::Number(\"1e1\"), codec::Literal::Number(\"9e0\"), ",
        "codec::Literal::String(\"a\"), codec::Literal::String(\"b\"), codec::Literal::Array("
    );
    assert!(tables(&outcome).contains(expected), "{}", tables(&outcome));
}

#[test]
fn all_references_of_a_schema_hold() {
    let outcome = generate(
        &json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {
                "A": { "$ref": "#/$defs/Short", "$dynamicRef": "#low", "allOf": [{ "maxLength": 9 }] },
                "B": { "$dynamicRef": "#low", "$ref": "#/$defs/Short" },
                "Short": { "maxLength": 3 },
                "Low": { "$dynamicAnchor": "low", "pattern": "^[a-z]*$" },
            },
        })
        .to_string(),
    );
    let tables = tables(&outcome);
    for (table, referred) in [("A", ["SHORT", "LOW"]), ("B", ["LOW", "SHORT"])] {
        let start = format!("static {table}: codec::Checks = ");
        let own = tables.split(&start).nth(1).unwrap_or_default();
        let own = own.split(';').next().unwrap_or_default();
        for other in referred {
            assert!(own.contains(&format!("All(&{other})")), "{table}: {own}");
        }
    }
    assert!(tables.contains("Length(0, 9)"), "{tables}");
    assert_eq!(outcome.warnings, Vec::<String>::new());
}

const DRAFTS: [(&str, &str); 5] = [
    ("draft-04", "http://json-schema.org/draft-04/schema#"),
    ("draft-06", "http://json-schema.org/draft-06/schema#"),
    ("draft-07", "http://json-schema.org/draft-07/schema#"),
    ("2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ("2020-12", "https://json-schema.org/draft/2020-12/schema"),
];

#[test]
fn keyword_counts_in_the_drafts_that_have_it() {
    let text = json!({ "type": "string", "maxLength": 3 });
    // The schema, the keyword, what a table has of it, and the first and the last draft.
    for (schema, keyword, check, first, last) in [
        (json!({ "const": [1] }), "const", "Values(", 1, 4),
        (json!({ "contains": text }), "contains", "Contains(", 1, 4),
        (
            json!({ "propertyNames": text }),
            "propertyNames",
            "Names(",
            1,
            4,
        ),
        (json!({ "if": text, "then": false }), "if", "If(", 2, 4),
        (
            json!({ "contains": text, "minContains": 2 }),
            "minContains",
            "Contains(2,",
            3,
            4,
        ),
        (
            json!({ "contains": text, "maxContains": 2 }),
            "maxContains",
            "Contains(1, 2,",
            3,
            4,
        ),
        (
            json!({ "unevaluatedItems": text }),
            "unevaluatedItems",
            "UnseenItems(",
            3,
            4,
        ),
        (
            json!({ "properties": { "a": {} }, "allOf": [{}], "unevaluatedProperties": text }),
            "unevaluatedProperties",
            "UnseenMembers(",
            3,
            4,
        ),
        (
            json!({ "dependentRequired": { "a": ["b"] } }),
            "dependentRequired",
            "With(",
            3,
            4,
        ),
        (
            json!({ "dependentSchemas": { "a": text } }),
            "dependentSchemas",
            "With(",
            3,
            4,
        ),
        (
            json!({ "dependencies": { "a": ["b"] } }),
            "dependencies",
            "With(",
            0,
            2,
        ),
        (
            json!({ "prefixItems": [text] }),
            "prefixItems",
            "First(",
            4,
            4,
        ),
        (json!({ "items": [text] }), "items", "First(", 0, 3),
        (
            json!({ "items": [text, {}], "additionalItems": text }),
            "additionalItems",
            "Rest(",
            0,
            3,
        ),
        (
            json!({ "minimum": 0.5, "exclusiveMinimum": true }),
            "exclusiveMinimum",
            "Above(",
            0,
            0,
        ),
        (
            json!({ "exclusiveMaximum": 0.5 }),
            "exclusiveMaximum",
            "Below(",
            1,
            4,
        ),
        (json!({ "not": text }), "not", "Not(", 0, 4),
    ] {
        for (at, (draft, uri)) in DRAFTS.iter().enumerate() {
            let document = json!({ "$schema": uri, "definitions": { "A": { "anyOf": [schema] } } });
            let outcome = generate(&document.to_string());
            let is_in = (first..=last).contains(&at);
            let has = tables(&outcome).contains(check);
            assert_eq!(has, is_in, "{draft}: {schema}: {}", tables(&outcome));
            let warning = format!(
                "`{keyword}` at `/A/anyOf/0` is ignored: it has no such meaning in {draft}"
            );
            let warns = outcome.warnings.contains(&warning);
            assert_eq!(warns, !is_in, "{draft}: {schema}: {:?}", outcome.warnings);
        }
        // Without a draft, all keywords count.
        let document = json!({ "definitions": { "A": { "anyOf": [schema] } } });
        let outcome = generate(&document.to_string());
        assert!(tables(&outcome).contains(check), "{schema}");
        let ignored = |warning: &String| warning.contains("is ignored");
        assert!(!outcome.warnings.iter().any(ignored), "{schema}");
    }
}

#[test]
fn what_stands_beside_a_reference_counts_from_2019_on() {
    for (draft, uri) in DRAFTS {
        let document = json!({
            "$schema": uri,
            "definitions": {
                "A": { "$ref": "#/definitions/B", "maxLength": 3, "not": { "enum": ["a"] } },
                "B": { "type": "string", "minLength": 1 },
            },
        });
        let tables = tables(&generate(&document.to_string()));
        let counts = draft.starts_with("20");
        assert_eq!(tables.contains("Length(0, 3)"), counts, "{draft}: {tables}");
        assert_eq!(tables.contains("Not("), counts, "{draft}: {tables}");
        assert!(
            tables.contains("Length(1, usize::MAX)"),
            "{draft}: {tables}"
        );
    }
}

/// Definitions of which each is a reference to the next one; the last one cannot be checked.
fn chain(length: usize, link: &dyn Fn(Value) -> Value) -> Value {
    let mut definitions = serde_json::Map::new();
    for at in 0..length {
        let next = json!({ "$ref": format!("#/$defs/A{}", at + 1) });
        definitions.insert(format!("A{at}"), link(next));
    }
    let ahead = json!({ "type": "string", "pattern": "^(?!a)" });
    definitions.insert(format!("A{length}"), ahead);
    json!({ "$schema": DRAFTS[4].1, "$defs": definitions })
}

#[test]
fn schemas_that_refer_to_one_that_is_not_checked_are_found_in_one_pass() {
    // Takes minutes if all tables are made again for each definition.
    let outcome = generate(&chain(1500, &|next| json!({ "not": next })).to_string());
    let not = |warning: &&String| warning.starts_with("`not` at ");
    assert_eq!(outcome.warnings.iter().filter(not).count(), 1500);
    assert!(!tables(&outcome).contains("Not("));
    let outcome = generate(&chain(1500, &|next| next).to_string());
    assert_eq!(outcome.warnings.len(), 1, "{:?}", outcome.warnings);
}

#[test]
fn integers_that_may_exceed_64_bits_are_a_note() {
    let note = |schema: Value| generate(&json!({ "$defs": { "A": schema } }).to_string()).notes;
    let integer = json!({ "type": "integer" });
    let object = json!({ "type": "object", "properties": { "a": integer, "b": integer } });
    assert_eq!(
        note(object),
        [
            "integers that do not fit into 64 bits are refused, and the schema has no bounds that \
          exclude them: at `/A/properties/a`, and at 1 more place"
        ]
    );
    for exact in [
        json!({ "type": "integer", "minimum": 0, "exclusiveMaximum": 10 }),
        json!({ "type": "integer", "enum": [1, 2] }),
        json!({ "type": "number" }),
        json!({ "type": "object", "additionalProperties": integer }),
    ] {
        assert_eq!(note(exact.clone()), Vec::<String>::new(), "{exact}");
    }
}
