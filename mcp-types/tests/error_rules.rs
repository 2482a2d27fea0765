//! The rule that a value breaks, and what the rule expects, as data.

use mcp_types::error::{DecodeError, ErrorKind, Rule};
use mcp_types::json::{self, Decode, Value as Json};
use mcp_types::{
    Annotations, CallToolResult, Cursor, Empty, ListToolsResult, PrimitiveSchemaDefinition,
    RequestId, SamplingMessage, Tool,
};
use serde::de::{DeserializeOwned, Error as _};

/// A text that breaks a rule.
struct Case {
    rule: Rule,
    text: &'static str,
    path: &'static str,
    expected: &'static [&'static str],
    decode: fn(&str) -> DecodeError,
    all: fn(&str, usize) -> Vec<DecodeError>,
}

fn case<T: DeserializeOwned + Decode>(
    rule: Rule,
    text: &'static str,
    path: &'static str,
    expected: &'static [&'static str],
) -> Case {
    Case {
        rule,
        text,
        path,
        expected,
        decode: |text| {
            let error = json::from_str::<T>(text).err().unwrap();
            // The rule survives the way through the traits of serde.
            let outer = json::from_str::<(T,)>(&format!("[{text}]")).err().unwrap();
            if error.kind() == ErrorKind::Data {
                assert_eq!(outer, error.clone().inside_index(0), "{text}");
            }
            error
        },
        all: json::all_faults::<T>,
    }
}

fn cases() -> Vec<Case> {
    use Rule::*;
    let object = r#"{"name":"t","inputSchema":{}}"#;
    vec![
        case::<Tool>(MissingMember, "{}", "$", &["name"]),
        case::<Tool>(MissingMember, object, "$.inputSchema", &["type"]),
        case::<Tool>(
            Type,
            r#"{"name":1,"inputSchema":{"type":"object"}}"#,
            "$.name",
            &["a string"],
        ),
        case::<Tool>(Type, "[]", "$", &["an object (`Tool`)"]),
        case::<CallToolResult>(
            Type,
            r#"{"content":{},"resultType":""}"#,
            "$.content",
            &["a sequence"],
        ),
        case::<RequestId>(Type, "1.5", "$", &["a string or an integer"]),
        case::<ListToolsResult>(
            Type,
            r#"{"ttlMs":0.5,"cacheScope":"public","resultType":"","tools":[]}"#,
            "$.ttlMs",
            &["an integer"],
        ),
        // A later revision may have more values.
        case::<mcp_types::v2026_07_28::Role>(Value, r#""x""#, "$", &["user", "assistant"]),
        case::<Tool>(
            Value,
            r#"{"name":"t","inputSchema":{"type":"array"}}"#,
            "$.inputSchema.type",
            &["object"],
        ),
        case::<Annotations>(Bound, r#"{"priority":2}"#, "$.priority", &["0.0", "1.0"]),
        case::<mcp_types::ContentBlock>(Variant, r#"{"type":"x"}"#, "$.type", &["ContentBlock"]),
        case::<PrimitiveSchemaDefinition>(
            Variant,
            r#"{"type":"x"}"#,
            "$",
            &["PrimitiveSchemaDefinition"],
        ),
        case::<SamplingMessage>(
            Type,
            r#"{"role":"user","content":1}"#,
            "$.content",
            &["one of the variants of `SamplingContent`"],
        ),
        case::<Annotations>(
            DuplicateMember,
            r#"{"priority":1,"priority":1}"#,
            "$",
            &["priority"],
        ),
        case::<Annotations>(DuplicateMember, r#"{"x":1,"x":1}"#, "$", &["x"]),
        case::<Json>(DuplicateMember, r#"[{"x":1,"x":1}]"#, "$[0]", &["x"]),
        case::<Empty>(UnknownMember, r#"{"x":1}"#, "$", &["x"]),
        case::<RequestId>(Limit, "99999999999999999999", "$", &["9223372036854775807"]),
        case::<Cursor>(Unicode, r#""\ud800""#, "$", &[]),
        case::<Tool>(Syntax, "{]", "$", &[]),
        case::<Tool>(Eof, "{", "$", &[]),
    ]
}

#[test]
fn each_rule_has_its_path_and_what_it_expects() {
    for case in cases() {
        let error = (case.decode)(case.text);
        let text = case.text;
        assert_eq!(error.rule(), case.rule, "{text}: {error}");
        assert_eq!(error.path().to_string(), case.path, "{text}: {error}");
        assert_eq!(error.expected(), case.expected, "{text}: {error}");
        let is_data = error.kind() == ErrorKind::Data;
        assert_eq!(
            is_data,
            !matches!(case.rule, Rule::Syntax | Rule::Eof),
            "{text}"
        );
        // Validation finds the same fault.
        let all = (case.all)(text, 10);
        assert!(all.contains(&error), "{text}: {error} is not in {all:?}");
    }
}

#[test]
fn every_rule_has_a_case_and_a_name_of_its_own() {
    let cases = cases();
    for rule in Rule::ALL {
        // `Envelope` is one of messages, and `Other` one of types of programs. Types of the protocol
        // have no such schemas as the others are about.
        let elsewhere = matches!(
            rule,
            Rule::Envelope
                | Rule::Other
                | Rule::Multiple
                | Rule::Pattern
                | Rule::Unique
                | Rule::Excluded
        );
        assert!(
            elsewhere || cases.iter().any(|case| case.rule == *rule),
            "{rule:?}"
        );
        let name = rule.as_str();
        assert_eq!(Rule::find(name), Some(*rule));
        assert!(
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        );
    }
}

fn of<T: DeserializeOwned>(text: &str) -> DecodeError {
    json::from_str::<T>(text).err().unwrap()
}

#[test]
fn types_of_programs_have_the_same_rules() {
    for (error, rule, expected) in [
        (
            DecodeError::missing_field("kind"),
            Rule::MissingMember,
            &["kind"][..],
        ),
        (
            DecodeError::unknown_variant("x", &["one", "two"]),
            Rule::Value,
            &["one", "two"],
        ),
        (
            DecodeError::unknown_field("x", &["one"]),
            Rule::UnknownMember,
            &["x"],
        ),
        (
            DecodeError::duplicate_field("kind"),
            Rule::DuplicateMember,
            &["kind"],
        ),
        (
            DecodeError::invalid_length(1, &"a tuple of size 2"),
            Rule::Bound,
            &["a tuple of size 2"],
        ),
        (of::<f64>("1e400"), Rule::Limit, &[]),
        (
            of::<Result<u8, u8>>("{}"),
            Rule::Type,
            &["an object with one member"],
        ),
        (of::<(u8,)>("[1,2]"), Rule::Bound, &[]),
        (DecodeError::custom("no"), Rule::Other, &[]),
    ] {
        assert_eq!(error.rule(), rule, "{error}");
        assert_eq!(error.expected(), expected, "{error}");
    }
    // As serde displays it.
    let error = DecodeError::unknown_variant("x", &["one", "two"]);
    assert_eq!(
        error.to_string(),
        "unknown variant `x`, expected `one` or `two`"
    );
}
