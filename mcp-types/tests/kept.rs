//! Valid input that comes back as it was written.

use mcp_types::json::{self, Value};
use mcp_types::{
    Annotations, CallToolResult, ClientCapabilities, ContentBlock, ResultType, SamplingMessage,
    StopReason, Tool,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) fn round_trip<T: DeserializeOwned + Serialize>(text: &str) -> String {
    serde_json::to_string(&json::from_str::<T>(text).unwrap()).unwrap()
}

fn kept<T: DeserializeOwned + Serialize>(text: &str) {
    assert_eq!(round_trip::<T>(text), text);
    let value: Value = json::from_str(text).unwrap();
    assert_eq!(
        serde_json::to_string(&json::from_value::<T>(value).unwrap()).unwrap(),
        text
    );
}

#[test]
fn unknown_value_of_an_open_enumeration_is_kept() {
    for text in ["\"\"", "\"EndTurn\"", "\"a \\\" b\""] {
        kept::<StopReason>(text);
        kept::<ResultType>(text);
        assert!(matches!(
            json::from_str(text).unwrap(),
            StopReason::Other(_)
        ));
    }
    #[cfg(feature = "v2025-06-18")]
    kept::<mcp_types::v2025_06_18::StopReason>("\"other\"");
    kept::<CallToolResult>(r#"{"content":[],"resultType":"later"}"#);
}

#[test]
fn numbers_before_the_tag_do_not_change() {
    let image = r#"{"zero":0.1,"big":9007199254740993,"float":1.0,"data":"","mimeType":"a/b","type":"image"}"#;
    let written = round_trip::<ContentBlock>(image);
    for number in ["\"zero\":0.1", "\"big\":9007199254740993", "\"float\":1.0"] {
        assert!(written.contains(number), "{written}");
    }
    let result = r#"{"structuredContent":{"a":0.1,"b":[9007199254740993,1.0]},"type":"tool_result","content":[],"toolUseId":"t"}"#;
    let message = format!(r#"{{"content":{result},"role":"user"}}"#);
    for written in [
        round_trip::<SamplingMessage>(&message),
        round_trip::<mcp_types::SamplingMessageContentBlock>(result),
    ] {
        assert!(
            written.contains(r#"{"a":0.1,"b":[9007199254740993,1.0]}"#),
            "{written}"
        );
    }
}

#[test]
fn null_and_absent_structured_content_are_distinguished() {
    let null = r#"{"content":[],"structuredContent":null,"resultType":"complete"}"#;
    let absent = r#"{"content":[],"resultType":"complete"}"#;
    kept::<CallToolResult>(null);
    kept::<CallToolResult>(absent);
    let read = |text| {
        json::from_str::<CallToolResult>(text)
            .unwrap()
            .structured_content
    };
    assert_eq!(read(null), Some(Value::Null));
    assert_eq!(read(absent), None);
}

#[test]
fn empty_values_are_kept() {
    kept::<Tool>(
        r#"{"name":"","title":"","icons":[],"inputSchema":{"type":"object","properties":{},"required":[]},"annotations":{},"_meta":{}}"#,
    );
    kept::<ClientCapabilities>(r#"{"elicitation":{}}"#);
    kept::<mcp_types::v2026_07_28::ClientCapabilities>(r#"{"roots":{}}"#);
    kept::<ClientCapabilities>(r#"{"experimental":{},"extensions":{}}"#);
    kept::<Annotations>(r#"{"audience":[],"priority":0}"#);
}

#[test]
fn embedded_schema_keeps_its_order() {
    let properties = r#"{"z":{"type":"string","minLength":1,"description":"b","default":"a"},"a":{"x":{"c":1,"b":2,"a":3}},"m":true}"#;
    for text in [
        format!(r#"{{"inputSchema":{{"type":"object","properties":{properties}}},"name":"a"}}"#),
        format!(r#"{{"inputSchema":{{"type":"object","$defs":{properties}}},"name":"a"}}"#),
        format!(
            r#"{{"inputSchema":{{"type":"object"}},"outputSchema":{{"type":"object","properties":{properties}}},"name":"a"}}"#
        ),
    ] {
        let value: Value = json::from_str(&text).unwrap();
        for tool in [
            json::from_str::<Tool>(&text).unwrap(),
            json::from_value(value).unwrap(),
        ] {
            let written = serde_json::to_string(&tool).unwrap();
            assert!(written.contains(properties), "{written}");
        }
    }
}

#[test]
fn unknown_members_keep_their_order() {
    kept::<Tool>(
        r#"{"name":"a","inputSchema":{"type":"object"},"z":1,"a":2,"m":{"y":null,"b":[]}}"#,
    );
}
