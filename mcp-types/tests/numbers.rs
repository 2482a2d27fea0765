//! Numbers in all positions, with every way of decoding and all features of `serde_json`.
//!
//! Run with `serde_json/arbitrary_precision` and `serde_json/preserve_order` enabled and disabled.
//! The deserializers of `serde_json` round numbers without the former; those of this crate never
//! do.

use mcp_types::json;
use mcp_types::{
    Annotations, CallToolOutcome, CallToolResult, ClientCapabilities, ContentBlock, ElicitResult,
    EmptyResult, ListToolsResult, NumberSchema, ProgressNotificationParams, ProgressToken,
    RequestId, SamplingMessageContentBlock, ServerResult, Tool, v2026_07_28,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Returns `true` if `serde_json` keeps all digits of a number in this build.
fn exact() -> bool {
    serde_json::from_str::<serde_json::Number>("0.10")
        .unwrap()
        .to_string()
        == "0.10"
}

/// Decodes and encodes a text in each way.
fn ways<T: DeserializeOwned + Serialize>(
    text: &str,
) -> Vec<(&'static str, Result<String, String>)> {
    fn say<T: Serialize, E: ToString>(outcome: Result<T, E>) -> Result<String, String> {
        let value = outcome.map_err(|error| error.to_string())?;
        serde_json::to_string(&value).map_err(|error| error.to_string())
    }
    let ours = || json::from_str::<json::Value>(text);
    let theirs = || serde_json::from_str::<serde_json::Value>(text);
    vec![
        ("serde_json::from_str", say(serde_json::from_str::<T>(text))),
        (
            "serde_json::from_slice",
            say(serde_json::from_slice::<T>(text.as_bytes())),
        ),
        (
            "serde_json::from_reader",
            say(serde_json::from_reader::<_, T>(text.as_bytes())),
        ),
        (
            "serde_json::from_value",
            say(theirs().and_then(serde_json::from_value::<T>)),
        ),
        ("json::from_str", say(json::from_str::<T>(text))),
        (
            "json::from_slice",
            say(json::from_slice::<T>(text.as_bytes())),
        ),
        (
            "json::from_value",
            say(ours().and_then(json::from_value::<T>)),
        ),
        (
            "json::from_value_ref",
            say(ours().and_then(|value| json::from_value_ref::<T>(&value))),
        ),
    ]
}

/// Returns `true` if a way keeps all digits in this build.
fn is_exact(way: &str) -> bool {
    exact() || way.starts_with("json::")
}

/// Asserts that every way returns the same text, except for the order of members.
fn kept<T: DeserializeOwned + Serialize>(text: &str) {
    becomes::<T>(text, text);
}

/// Asserts that every way returns the expected text, except for the order of members.
fn becomes<T: DeserializeOwned + Serialize>(text: &str, expected: &str) {
    becomes_exact_or_rounded::<T>(text, expected, expected);
}

/// Asserts that every exact way returns the first text, and every other one the second text.
fn becomes_exact_or_rounded<T: DeserializeOwned + Serialize>(
    text: &str,
    exact_text: &str,
    rounded: &str,
) {
    for (way, outcome) in ways::<T>(text) {
        let expected = if is_exact(way) { exact_text } else { rounded };
        let written = outcome.unwrap_or_else(|error| panic!("{way}: {text}: {error}"));
        // `serde_json::Value` keeps the digits of `-0`, but passes an integer to visitors, unless
        // the text is requested.
        let by_tree = exact() && way == "serde_json::from_value";
        // `serde_json` gives a positive exponent a sign before this crate gets it.
        let by_serde_json = exact() && !way.starts_with("json::");
        if by_serde_json && signed_exponents(&written) == signed_exponents(expected) {
            continue;
        }
        // Parts of a union are decoded from their text, without rounding.
        if !is_exact(way) && sorted(&written) == sorted(exact_text) {
            continue;
        }
        if by_tree && sorted(&written) == sorted(&unsigned_zeros(expected)) {
            continue;
        }
        assert_eq!(sorted(&written), sorted(expected), "{way}: {text}");
    }
}

/// Returns the text with sorted members, and a sign before each exponent that the tests use.
fn signed_exponents(text: &str) -> String {
    let mut text = sorted(text);
    for (exponent, signed) in [("1E5", "1e+5"), ("1e5", "1e+5"), ("1e3", "1e+3")] {
        text = text.replace(exponent, signed);
    }
    text
}

/// Replaces `-0` by `0` in a text, but not `-0.0`.
fn unsigned_zeros(text: &str) -> String {
    let mut text = text.to_owned();
    for end in [",", "]", "}"] {
        text = text.replace(&format!("-0{end}"), &format!("0{end}"));
    }
    text
}

fn assert_rejected<T: DeserializeOwned + Serialize>(text: &str) {
    for (way, outcome) in ways::<T>(text) {
        assert!(outcome.is_err(), "{way}: {text}: {outcome:?}");
    }
}

/// Returns the text with sorted members and unchanged numbers.
fn sorted(text: &str) -> String {
    fn sort(value: json::Value) -> json::Value {
        match value {
            json::Value::Array(items) => items.into_iter().map(sort).collect(),
            json::Value::Object(members) => {
                let mut members: Vec<_> = members.into_iter().collect();
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                let mut object = json::Object::new();
                for (name, value) in members {
                    object.insert(name, sort(value));
                }
                json::Value::Object(object)
            }
            other => other,
        }
    }
    sort(json::from_str(text).unwrap()).to_string()
}

/// Numbers, and how they are encoded if `serde_json` rounds.
const NUMBERS: [(&str, &str); 19] = [
    ("0", "0"),
    ("-1", "-1"),
    ("0.6", "0.6"),
    ("0.1", "0.1"),
    ("1.0", "1.0"),
    ("-0.0", "-0.0"),
    ("-0", "-0.0"),
    ("0.10", "0.1"),
    ("1E5", "100000.0"),
    ("1e5", "100000.0"),
    ("1e-7", "1e-7"),
    ("2.5e-3", "0.0025"),
    ("9007199254740993", "9007199254740993"),
    ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("18446744073709551615", "18446744073709551615"),
    ("18446744073709551616", "1.8446744073709552e+19"),
    ("0.1000000000000000055511151231257827", "0.1"),
    ("123456789012345678901234567890", "1.2345678901234568e+29"),
];

/// Checks every number in the position of `@` in a pattern that accepts any number.
fn everywhere<T: DeserializeOwned + Serialize>(pattern: &str) {
    for (written, rounded) in NUMBERS {
        let text = pattern.replace('@', written);
        becomes_exact_or_rounded::<T>(&text, &text, &pattern.replace('@', rounded));
    }
    // Beyond the range of floats: the number is kept, or rejected as out of range.
    let text = pattern.replace('@', "1e400");
    for (way, outcome) in ways::<T>(&text) {
        match outcome {
            Ok(written) => {
                assert!(
                    written.contains("1e400") || written.contains("1e+400"),
                    "{way}: {written}"
                );
            }
            Err(error) => {
                assert!(!is_exact(way), "{way}: {error}");
                assert!(error.contains("out of range"), "{way}: {error}");
            }
        }
    }
}

#[test]
fn number_fields_keep_numbers() {
    everywhere::<ProgressNotificationParams>(r#"{"progressToken":1,"progress":@,"total":@}"#);
    everywhere::<NumberSchema>(r#"{"type":"number","minimum":@,"maximum":@,"default":@}"#);
}

#[test]
fn structured_content_keeps_numbers() {
    everywhere::<CallToolResult>(r#"{"content":[],"structuredContent":@,"resultType":"complete"}"#);
    everywhere::<CallToolResult>(
        r#"{"content":[],"structuredContent":{"a":@,"b":[@,{"c":@}]},"resultType":"complete"}"#,
    );
}

#[test]
fn unions_keep_numbers_before_and_after_the_tag() {
    everywhere::<SamplingMessageContentBlock>(
        r#"{"type":"tool_result","toolUseId":"t","content":[],"structuredContent":[@],"x":@}"#,
    );
    everywhere::<SamplingMessageContentBlock>(
        r#"{"x":@,"structuredContent":{"a":@},"content":[],"toolUseId":"t","type":"tool_result"}"#,
    );
    everywhere::<SamplingMessageContentBlock>(
        r#"{"input":{"a":@},"id":"i","name":"n","type":"tool_use"}"#,
    );
}

#[test]
fn embedded_schemas_keep_numbers() {
    everywhere::<Tool>(
        r#"{"name":"a","inputSchema":{"type":"object","properties":{"p":{"minimum":@,"enum":[@]}}}}"#,
    );
    everywhere::<Tool>(r#"{"name":"a","inputSchema":{"type":"object","maxProperties":@}}"#);
}

#[test]
fn unknown_members_keep_numbers() {
    everywhere::<Tool>(r#"{"name":"a","inputSchema":{"type":"object"},"x":@,"_meta":{"a/b":@}}"#);
    everywhere::<Annotations>(r#"{"x":{"y":[[@]]}}"#);
}

#[test]
fn elicited_content_keeps_numbers() {
    for number in [
        "0.5",
        "1",
        "-7",
        "1.0",
        "1e3",
        "9007199254740993",
        "-0.0",
        "0.1",
    ] {
        let pattern = r#"{"action":"accept","content":{"a":@,"b":"text","c":true,"d":["x"]}}"#;
        let rounded = NUMBERS.iter().find(|(written, _)| *written == number);
        let rounded = if number == "1e3" {
            "1000.0"
        } else {
            rounded.map_or(number, |it| it.1)
        };
        let text = pattern.replace('@', number);
        becomes_exact_or_rounded::<ElicitResult>(&text, &text, &pattern.replace('@', rounded));
    }
}

#[test]
fn bounded_numbers_are_kept_and_their_bounds_are_checked() {
    for number in [
        "0",
        "1",
        "0.6",
        "0.1",
        "1.0",
        "0.0",
        "-0.0",
        "0.30000000000000004",
    ] {
        kept::<Annotations>(&format!(r#"{{"priority":{number}}}"#));
        kept::<v2026_07_28::ModelPreferences>(&format!(
            r#"{{"costPriority":{number},"speedPriority":{number},"intelligencePriority":{number}}}"#
        ));
    }
    for number in [
        "1.1",
        "-0.1",
        "2",
        "-1",
        "1e400",
        "-1e400",
        "1e30",
        "1.00000000000001",
    ] {
        assert_rejected::<Annotations>(&format!(r#"{{"priority":{number}}}"#));
    }
}

#[test]
fn ids_are_integers_or_strings() {
    for id in [
        "0",
        "-1",
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
    ] {
        kept::<RequestId>(id);
        kept::<ProgressToken>(id);
    }
    for text in ["\"0\"", "\"\"", "\"1.0\""] {
        kept::<RequestId>(text);
    }
    for (written, integer) in [
        ("1.0", "1"),
        ("1e3", "1000"),
        ("1E3", "1000"),
        ("-0.0", "0"),
        ("-0", "0"),
    ] {
        becomes::<RequestId>(written, integer);
        becomes::<ProgressToken>(written, integer);
    }
    for wrong in [
        "0.5",
        "1e400",
        "9223372036854775808",
        "1e30",
        "null",
        "true",
        "[1]",
        "{}",
    ] {
        assert_rejected::<RequestId>(wrong);
        assert_rejected::<ProgressToken>(wrong);
    }
}

#[test]
fn integer_members_accept_integers_only() {
    let list = |ttl: &str| {
        format!(r#"{{"tools":[],"resultType":"complete","ttlMs":{ttl},"cacheScope":"public"}}"#)
    };
    for ttl in ["0", "1", "9007199254740993", "9223372036854775807"] {
        kept::<ListToolsResult>(&list(ttl));
    }
    for (written, integer) in [("1.0", "1"), ("1E5", "100000"), ("-0.0", "0"), ("-0", "0")] {
        becomes::<ListToolsResult>(&list(written), &list(integer));
    }
    for ttl in [
        "-1",
        "0.5",
        "1e400",
        "9223372036854775808",
        "18446744073709551616",
    ] {
        assert_rejected::<ListToolsResult>(&list(ttl));
    }
}

#[test]
fn object_that_looks_like_a_number_of_serde_json_is_not_a_number() {
    let private = r#"{"$serde_json::private::Number":"1"}"#;
    if exact() {
        // In this case a visitor cannot distinguish the two, nor can `serde_json::Value`.
        return;
    }
    assert_rejected::<RequestId>(private);
    assert_rejected::<ProgressNotificationParams>(&format!(
        r#"{{"progressToken":1,"progress":{private}}}"#
    ));
    assert_rejected::<Annotations>(&format!(r#"{{"priority":{private}}}"#));
}

#[test]
fn number_is_rejected_for_an_object() {
    for number in ["0", "1", "0.5", "-1", "1e5", "18446744073709551616"] {
        assert_rejected::<Annotations>(number);
        assert_rejected::<EmptyResult>(number);
        assert_rejected::<ServerResult>(number);
        // Unions of objects without required members.
        #[cfg(feature = "v2025-11-25")]
        assert_rejected::<mcp_types::v2025_11_25::ClientResult>(number);
        #[cfg(feature = "v2025-11-25")]
        assert_rejected::<mcp_types::v2025_11_25::ServerResult>(number);
        assert_rejected::<ContentBlock>(number);
        assert_rejected::<CallToolOutcome>(number);
        assert_rejected::<ClientCapabilities>(&format!(r#"{{"elicitation":{number}}}"#));
        // The newest revision may not have roots, which are deprecated.
        assert_rejected::<v2026_07_28::ClientCapabilities>(&format!(r#"{{"roots":{number}}}"#));
        assert_rejected::<Tool>(&format!(r#"{{"name":"a","inputSchema":{number}}}"#));
        assert_rejected::<ElicitResult>(&format!(r#"{{"action":"accept","content":{number}}}"#));
    }
}
