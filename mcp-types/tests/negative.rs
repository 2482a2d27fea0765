//! Invalid input and output: one test for each kind of error.

use mcp_types::error::ErrorKind;
use mcp_types::json::{self, Number, Object, Value};
use mcp_types::{
    Annotations, CallToolRequestParams, CallToolResult, CompleteResult, Completion, ContentBlock,
    Icon, ListToolsResult, ResultType, Role, StopReason, TextContent, Tool,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

use crate::kept::round_trip;

/// Asserts that a text is rejected by every way of decoding, with this message and this path.
fn assert_rejected<T: DeserializeOwned + Debug>(text: &str, message: &str, path: &str) {
    let value: Value = json::from_str(text).expect("the test's text is JSON");
    for (way, outcome) in [
        ("from_str", json::from_str::<T>(text)),
        ("from_slice", json::from_slice::<T>(text.as_bytes())),
        ("from_value_ref", json::from_value_ref::<T>(&value)),
        ("from_value", json::from_value::<T>(value.clone())),
    ] {
        let error = outcome.expect_err(way);
        assert_eq!(error.kind(), ErrorKind::Data, "{way}: {error}");
        assert!(error.message().contains(message), "{way}: {error}");
        assert_eq!(error.path().to_string(), path, "{way}: {error}");
    }
    assert!(serde_json::from_str::<T>(text).is_err());
    let tree: serde_json::Value = serde_json::from_str(text).expect("the test's text is JSON");
    assert!(serde_json::from_value::<T>(tree).is_err());
}

/// Like [`assert_rejected`], for texts that cannot be decoded as a value first.
fn assert_text_rejected<T: DeserializeOwned + Debug>(text: &str, message: &str, path: &str) {
    let error = json::from_str::<T>(text).unwrap_err();
    assert!(error.message().contains(message), "{error}");
    assert_eq!(error.path().to_string(), path, "{error}");
    assert!(serde_json::from_str::<T>(text).is_err());
}

fn assert_not_encodable<T: Serialize>(value: &T, message: &str) {
    let error = serde_json::to_string(value).unwrap_err().to_string();
    assert!(error.contains(message), "{error}");
    assert!(serde_json::to_value(value).is_err());
    assert!(json::to_value(value).is_err());
}

#[test]
fn wrong_constant_is_rejected() {
    let text = r#"{"name":"a","inputSchema":{"type":"array"}}"#;
    assert_rejected::<Tool>(text, "expected `object`", "$.inputSchema.type");
    let text = r#"{"name":"a","inputSchema":{"type":1}}"#;
    assert_rejected::<Tool>(text, "expected `object`", "$.inputSchema.type");
}

#[test]
fn missing_required_member_is_rejected() {
    assert_rejected::<Tool>(
        r#"{"inputSchema":{"type":"object"}}"#,
        "missing field `name`",
        "$",
    );
    assert_rejected::<Tool>(
        r#"{"name":"a","inputSchema":{}}"#,
        "missing field `type`",
        "$.inputSchema",
    );
    let text = r#"{"content":[{"type":"text"}],"resultType":"complete"}"#;
    assert_rejected::<CallToolResult>(text, "missing field `text`", "$.content[0]");
    assert_rejected::<CallToolResult>(r#"{"content":[]}"#, "missing field `resultType`", "$");
}

#[test]
fn member_names_are_case_sensitive() {
    let text = r#"{"Name":"a","inputSchema":{"type":"object"}}"#;
    assert_rejected::<Tool>(text, "missing field `name`", "$");
}

#[test]
fn unknown_tag_is_rejected() {
    assert_rejected::<ContentBlock>(
        r#"{"type":"smell","text":"a"}"#,
        "`smell` is not a known `type` of `ContentBlock`",
        "$.type",
    );
    let text = r#"{"text":"a","type":"Text"}"#;
    assert_rejected::<ContentBlock>(
        text,
        "`Text` is not a known `type` of `ContentBlock`",
        "$.type",
    );
}

#[test]
fn missing_tag_is_rejected() {
    assert_rejected::<ContentBlock>(r#"{"text":"a"}"#, "missing field `type`", "$");
    assert_rejected::<ContentBlock>(r#"{"text":"a","type":null}"#, "`type`", "$");
    assert_rejected::<ContentBlock>(r#"{"text":"a","type":7}"#, "expected a string", "$.type");
}

#[test]
fn wrong_type_inside_a_list_is_reported_with_its_path() {
    let text = r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}},
        {"name":"b","inputSchema":{"type":false}}],
        "resultType":"complete","ttlMs":0,"cacheScope":"private"}"#;
    assert_rejected::<ListToolsResult>(text, "expected `object`", "$.tools[1].inputSchema.type");
    let text = r#"{"content":[{"type":"text","text":"a","_meta":{"x/y":{"z":1}}},
        {"type":"text","text":"a","annotations":{"audience":["user",3]}}],"resultType":"complete"}"#;
    assert_rejected::<CallToolResult>(text, "invalid type", "$.content[1].annotations.audience[1]");
}

#[test]
fn array_is_rejected_for_a_struct() {
    assert_rejected::<Tool>(
        r#"["a",{"type":"object"}]"#,
        "expected an object (`Tool`)",
        "$",
    );
    assert_rejected::<Tool>("[]", "expected an object (`Tool`)", "$");
    let text = r#"{"name":"a","inputSchema":{"type":"object"},"annotations":[]}"#;
    assert_rejected::<Tool>(text, "expected an object", "$.annotations");
    assert_rejected::<ContentBlock>("[]", "ContentBlock", "$");
}

const LIST: &str = r#"{"tools":[],"resultType":"complete","cacheScope":"private","ttlMs":"#;

#[test]
fn fraction_is_rejected_for_an_integer() {
    assert_rejected::<ListToolsResult>(&format!("{LIST}1.5}}"), "", "$.ttlMs");
    assert_rejected::<ListToolsResult>(&format!("{LIST}\"1\"}}"), "", "$.ttlMs");
    assert_rejected::<ListToolsResult>(&format!("{LIST}1e-1}}"), "", "$.ttlMs");
    assert_rejected::<ListToolsResult>(&format!("{LIST}1e30}}"), "", "$.ttlMs");
}

#[test]
fn value_out_of_bounds_is_rejected() {
    assert_rejected::<Annotations>(r#"{"priority":1.5}"#, "", "$.priority");
    assert_rejected::<Annotations>(r#"{"priority":-0.1}"#, "", "$.priority");
    assert_rejected::<ListToolsResult>(&format!("{LIST}-1}}"), "", "$.ttlMs");
    let values = |count| vec!["\"a\""; count].join(",");
    let result = |count| {
        format!(
            r#"{{"completion":{{"values":[{}]}},"resultType":"complete"}}"#,
            values(count)
        )
    };
    assert_rejected::<CompleteResult>(&result(101), "", "$.completion.values");
    assert!(json::from_str::<CompleteResult>(&result(100)).is_ok());
    assert!(json::from_str::<Annotations>(r#"{"priority":1}"#).is_ok());
    assert!(json::from_str::<Annotations>(r#"{"priority":-0.0}"#).is_ok());
}

#[test]
fn duplicate_member_is_rejected() {
    let text = r#"{"name":"a","name":"b","inputSchema":{"type":"object"}}"#;
    assert_text_rejected::<Tool>(text, "duplicate field `name`", "$");
    let text = r#"{"name":"a","inputSchema":{"type":"object","type":"object"}}"#;
    assert_text_rejected::<Tool>(text, "duplicate field `type`", "$.inputSchema");
    let text = r#"{"name":"a","n\u0061me":"b","inputSchema":{"type":"object"}}"#;
    assert_text_rejected::<Tool>(text, "duplicate field `name`", "$");
    let text = r#"{"x":1,"name":"a","inputSchema":{"type":"object"},"x":1}"#;
    assert_text_rejected::<Tool>(text, "duplicate member `x`", "$");
    let text = r#"{"name":"a","inputSchema":{"type":"object","q":{"x":1,"x":2}}}"#;
    assert_text_rejected::<Tool>(text, "duplicate member `x`", "$.inputSchema.q");
    let text = r#"{"name":"a","title":null,"title":"b","inputSchema":{"type":"object"}}"#;
    assert_text_rejected::<Tool>(text, "duplicate field `title`", "$");
}

#[test]
fn duplicate_tag_is_rejected() {
    let text = r#"{"type":"text","text":"a","type":"image"}"#;
    assert_text_rejected::<ContentBlock>(text, "expected `text`", "$.type");
    let text = r#"{"type":"text","text":"a","type":"text"}"#;
    assert_text_rejected::<ContentBlock>(text, "duplicate field `type`", "$");
    let text = r#"{"text":"a","text":"b","type":"text"}"#;
    assert_text_rejected::<ContentBlock>(text, "duplicate field `text`", "$");
}

#[test]
fn unknown_value_of_a_closed_enumeration_is_rejected() {
    assert_rejected::<Role>("\"robot\"", "unknown value `robot`", "$");
    assert_rejected::<Annotations>(
        r#"{"audience":["robot"]}"#,
        "unknown value `robot`",
        "$.audience[0]",
    );
    let list = LIST.replace("private", "Private");
    assert_rejected::<ListToolsResult>(
        &format!("{list}0}}"),
        "unknown value `Private`",
        "$.cacheScope",
    );
}

#[test]
fn null_is_rejected_for_a_required_member() {
    let text = r#"{"name":null,"inputSchema":{"type":"object"}}"#;
    assert_rejected::<Tool>(text, "null", "$.name");
    assert_rejected::<ListToolsResult>(&format!("{LIST}null}}"), "null", "$.ttlMs");
    let text = r#"{"tools":[null],"resultType":"complete","cacheScope":"private","ttlMs":0}"#;
    assert_rejected::<ListToolsResult>(text, "null", "$.tools[0]");
}

#[test]
fn null_for_an_optional_member_counts_as_absent() {
    let text = r#"{"title":null,"name":"a","inputSchema":{"type":"object"},"x":null}"#;
    let written = round_trip::<Tool>(text);
    assert_eq!(
        written,
        r#"{"name":"a","inputSchema":{"type":"object"},"x":null}"#
    );
}

#[test]
fn error_before_the_tag_has_its_path() {
    let text = r#"{"content":[{"text":5,"type":"text"}],"resultType":"complete"}"#;
    assert_rejected::<CallToolResult>(text, "expected a string", "$.content[0].text");
    let text = r#"{"content":[{"resource":{"uri":"a:b","text":1},"type":"resource"}],"resultType":"complete"}"#;
    assert_rejected::<CallToolResult>(text, "expected a string", "$.content[0].resource.text");
    let text = r#"{"annotations":{"priority":7},"text":"","type":"text"}"#;
    assert_rejected::<ContentBlock>(text, "", "$.annotations.priority");
}

#[test]
fn encoding_nan_is_an_error() {
    for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(Number::from_f64(float).is_none());
        assert_not_encodable(&Number::from(float), "");
        assert_not_encodable(&Value::from(Number::from(float)), "");
        let mut annotations = Annotations::default();
        annotations.priority = Some(Number::from(float));
        assert_not_encodable(&annotations, "");
    }
}

#[test]
fn encoding_a_value_out_of_bounds_is_an_error() {
    let mut annotations = Annotations::default();
    annotations.priority = Number::from_f64(1.5);
    assert_not_encodable(&annotations, "");
    annotations.priority = Number::from_f64(1.0);
    assert!(serde_json::to_string(&annotations).is_ok());
    let mut list: ListToolsResult = json::from_str(&format!("{LIST}0}}")).unwrap();
    assert_eq!(list.cache_scope.as_str(), "private");
    list.ttl_ms = -1;
    assert_not_encodable(&list, "");
    assert_not_encodable(&Completion::new(vec![String::new(); 101]), "");
}

#[test]
fn trailing_bytes_are_rejected() {
    for tail in ["x", "{}", ",", "\0", "\u{feff}"] {
        let text = format!(r#"{{"name":"a","inputSchema":{{"type":"object"}}}} {tail}"#);
        let error = json::from_str::<Tool>(&text).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Syntax { .. }), "{error}");
        assert!(json::from_slice::<Tool>(text.as_bytes()).is_err());
    }
    assert!(
        json::from_str::<Tool>("{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}\r\n")
            .is_ok()
    );
}

#[test]
fn deep_nesting_does_not_overflow() {
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    for levels in [200, 100_000] {
        for text in [
            format!(
                r#"{{"name":"a","inputSchema":{{"type":"object"}},"x":{}}}"#,
                deep(levels)
            ),
            format!(
                r#"{{"name":"a","inputSchema":{{"type":"object","properties":{{"p":{{"x":{}}}}}}}}}"#,
                deep(levels)
            ),
        ] {
            assert!(json::from_str::<Tool>(&text).is_err());
            assert!(json::from_slice::<Tool>(text.as_bytes()).is_err());
            assert!(serde_json::from_str::<Tool>(&text).is_err());
        }
        let union = format!(r#"{{"x":{},"text":"","type":"text"}}"#, deep(levels));
        assert!(json::from_str::<ContentBlock>(&union).is_err());
    }
    let mut value = Value::Null;
    for _ in 0..200 {
        value = Value::from([value]);
    }
    let mut object = Object::new();
    object.insert("structuredContent", value);
    object.insert("content", Value::Array(Vec::new()));
    object.insert("resultType", "complete");
    assert!(json::from_object::<CallToolResult>(object).is_err());
}

#[test]
fn missing_meta_of_a_request_is_rejected() {
    assert_rejected::<CallToolRequestParams>(r#"{"name":"a"}"#, "missing field `_meta`", "$");
    let text = r#"{"name":"a","_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}"#;
    let member = "missing field `io.modelcontextprotocol/protocolVersion`";
    assert_rejected::<CallToolRequestParams>(text, member, "$._meta");
}

#[test]
fn integer_written_as_float_is_accepted() {
    for written in ["1000", "1000.0", "1e3", "1E3", "10e2", "100000e-2"] {
        let result: ListToolsResult = json::from_str(&format!("{LIST}{written}}}")).unwrap();
        assert_eq!(result.ttl_ms, 1000, "{written}");
        assert!(
            serde_json::to_string(&result)
                .unwrap()
                .contains("\"ttlMs\":1000,")
        );
    }
}

#[test]
fn known_value_never_decodes_as_other() {
    for known in ["endTurn", "stopSequence", "maxTokens", "toolUse"] {
        assert!(
            !matches!(StopReason::from(known), StopReason::Other(_)),
            "{known}"
        );
        let read: StopReason = json::from_str(&format!("\"{known}\"")).unwrap();
        assert_eq!(read, StopReason::from(known));
    }
    assert_eq!(ResultType::from("complete"), ResultType::Complete);
    assert_eq!(
        ResultType::from(String::from("input_required")),
        ResultType::InputRequired
    );
}

#[test]
fn declared_member_in_extra_is_not_written_twice() {
    let mut content = TextContent::new("a");
    content.extra.insert("text", "b");
    assert_not_encodable(&content, "`text`");
    let mut content = TextContent::new("a");
    content.extra.insert("type", "image");
    assert_not_encodable(&content, "`type`");
    assert_not_encodable(&ContentBlock::from(content), "`type`");
    // A declared member counts as declared even if it is absent.
    let mut content = TextContent::new("a");
    content.extra.insert("_meta", Object::new());
    assert_not_encodable(&content, "`_meta`");
}

#[test]
fn icon_sizes_in_one_string_are_accepted() {
    let read = |sizes: &str| round_trip::<Icon>(&format!(r#"{{"src":"a:b","sizes":{sizes}}}"#));
    let written = r#"{"src":"a:b","sizes":["48x48","96x96"]}"#;
    assert_eq!(read(r#""48x48 96x96""#), written);
    assert_eq!(read(r#"["48x48","96x96"]"#), written);
    assert_eq!(read(r#""any""#), r#"{"src":"a:b","sizes":["any"]}"#);
    assert_rejected::<Icon>(r#"{"src":"a:b","sizes":7}"#, "", "$.sizes");
    assert_rejected::<Icon>(r#"{"src":"a:b","sizes":[7]}"#, "", "$.sizes[0]");
}
