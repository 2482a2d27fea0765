//! The variant of an object does not depend on the order of its members.

use mcp_types::error::ErrorKind;
use mcp_types::json::{self, Object, Value};
use mcp_types::{v2024_11_05, v2025_11_25, v2026_07_28};
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// Decodes all objects that consist of some of the given members, in several orders, from their text
/// and from buffered members. From a text, the decoder selects the variant before it knows all members.
fn check<T: DeserializeOwned + Debug + PartialEq>(members: &[(&str, &str)]) {
    assert!(check_any::<T>(members) > 0);
}

/// The same for members of which no subset may be valid. Returns the number of subsets that are.
fn check_any<T: DeserializeOwned + Debug + PartialEq>(members: &[(&str, &str)]) -> usize {
    let mut accepted = 0;
    for subset in 0..1_u32 << members.len() {
        let chosen = (0..).zip(members).filter(|(at, _)| subset >> at & 1 == 1);
        let mut chosen: Vec<_> = chosen.map(|(_, member)| *member).collect();
        let object: Object = chosen
            .iter()
            .map(|(name, value)| (name, json::from_str::<Value>(value).unwrap()))
            .collect();
        let expected = json::from_object::<T>(object).ok();
        accepted += usize::from(expected.is_some());
        for _ in 0..2 {
            for _ in 0..chosen.len().max(1) {
                let texts = chosen
                    .iter()
                    .map(|(name, value)| format!("\"{name}\": {value}"));
                let text = format!("{{{}}}", texts.collect::<Vec<_>>().join(", "));
                assert_eq!(json::from_str::<T>(&text).ok(), expected, "{text}");
                if !chosen.is_empty() {
                    chosen.rotate_left(1);
                }
            }
            chosen.reverse();
        }
    }
    accepted
}

#[test]
fn envelopes_with_members_of_several_variants() {
    let members = [
        ("jsonrpc", r#""2.0""#),
        ("id", "7"),
        ("method", r#""ping""#),
        ("result", r#"{"a": {}, "resultType": "complete"}"#),
        ("error", r#"{"code": 1, "message": "a"}"#),
        ("params", "{}"),
    ];
    check::<v2026_07_28::JsonRpcMessage>(&members);
    check::<v2026_07_28::JsonRpcResponse>(&members);
    check::<v2025_11_25::JsonRpcMessage>(&members);
    check::<v2024_11_05::JsonRpcMessage>(&members);
    // An error without a code, and a result without a type, belong to no response.
    let members = [
        ("jsonrpc", r#""2.0""#),
        ("id", "7"),
        ("method", r#""ping""#),
        ("result", "{}"),
        ("error", r#"{"message": "a"}"#),
        ("x", "[[1], {}]"),
    ];
    check::<v2026_07_28::JsonRpcMessage>(&members);
    check::<v2025_11_25::JsonRpcMessage>(&members);
}

#[test]
fn results_with_members_of_several_variants() {
    let members = [
        ("resultType", r#""complete""#),
        ("content", "[]"),
        ("messages", "[]"),
        ("tools", "[]"),
        ("resources", "[]"),
        ("ttlMs", "1"),
        ("cacheScope", r#""private""#),
        ("_meta", r#"{"io.modelcontextprotocol/subscriptionId": 1}"#),
    ];
    check::<v2026_07_28::ServerResult>(&members);
    check::<v2025_11_25::ServerResult>(&members);
    // A member of the wrong type excludes one variant only.
    let members = [
        ("resultType", r#""complete""#),
        ("content", "[]"),
        ("messages", "1"),
        ("completion", r#"{"values": [1]}"#),
        ("structuredContent", "{}"),
    ];
    check::<v2026_07_28::ServerResult>(&members);
    check::<v2025_11_25::ServerResult>(&members);
}

/// Two results of tasks have the same members, which no other result declares.
#[test]
fn results_of_tasks_with_members_of_other_results() {
    let members = [
        ("taskId", r#""a""#),
        ("status", r#""working""#),
        ("createdAt", r#""b""#),
        ("lastUpdatedAt", r#""c""#),
        ("ttl", "null"),
        ("content", "[]"),
        ("roots", "[]"),
    ];
    check::<v2025_11_25::ClientResult>(&members);
    check::<v2025_11_25::ServerResult>(&members);
    // A member of the wrong type excludes both.
    let members = [
        ("taskId", "1"),
        ("status", r#""working""#),
        ("createdAt", r#""b""#),
        ("lastUpdatedAt", r#""c""#),
        ("ttl", "null"),
        ("tasks", "[]"),
    ];
    check::<v2025_11_25::ClientResult>(&members);
    check::<v2025_11_25::ServerResult>(&members);
}

/// The type of a result tells more than a member that only one other result declares.
#[test]
fn results_of_a_type_with_members_of_another_one() {
    let is_complete = json::from_str::<v2026_07_28::CallToolOutcome>(
        r#"{"content": [], "requestState": "a", "resultType": "complete"}"#,
    );
    assert!(matches!(
        is_complete,
        Ok(v2026_07_28::CallToolOutcome::Complete(_))
    ));
    for result_type in [
        r#""input_required""#,
        r#""input\u005frequired""#,
        r#""other""#,
        "1",
        "null",
    ] {
        let members = [
            ("resultType", result_type),
            ("content", "[]"),
            ("messages", "[]"),
            ("isError", "false"),
            ("requestState", r#""a""#),
            ("_meta", "{}"),
        ];
        check_any::<v2026_07_28::ServerResult>(&members);
        check_any::<v2026_07_28::CallToolOutcome>(&members);
        check_any::<v2026_07_28::GetPromptOutcome>(&members);
    }
}

/// A result that is selected by a member of its metadata, with members of another one.
#[test]
fn results_with_the_metadata_of_another_one() {
    for meta in [
        r#"{"io.modelcontextprotocol/subscriptionId": 1}"#,
        r#"{"io.modelcontextprotocol\u002fsubscriptionId": null}"#,
        r#"{"a": {"io.modelcontextprotocol/subscriptionId": 1}}"#,
        r#"{"a": "io.modelcontextprotocol/subscriptionId"}"#,
        "{}",
        "1",
        "null",
    ] {
        let members = [
            ("_meta", meta),
            ("resultType", r#""complete""#),
            ("content", "[]"),
            ("messages", r#"["x"]"#),
            ("requestState", r#""a""#),
        ];
        check_any::<v2026_07_28::ServerResult>(&members);
    }
    let subscribed = json::from_str::<v2026_07_28::ServerResult>(
        r#"{"content": 1, "resultType": "complete", "_meta": {"io.modelcontextprotocol/subscriptionId": 1}}"#,
    );
    assert!(matches!(
        subscribed,
        Ok(v2026_07_28::ServerResult::SubscriptionsListen(_))
    ));
}

/// A member that is refused is no fault of the message, so that the error is about what follows.
#[test]
fn fault_behind_a_refused_member_is_reported() {
    let text = r#"{"content": [], "resultType": "input_required", "a": }"#;
    let error = json::from_str::<v2026_07_28::CallToolOutcome>(text).unwrap_err();
    let column = text.len();
    assert_eq!(error.kind(), ErrorKind::Syntax { line: 1, column });
    let text = r#"{"content": [], "resultType": "input_required", "a": "\ud800"}"#;
    let error = json::from_str::<v2026_07_28::CallToolOutcome>(text).unwrap_err();
    assert_eq!(error.path().to_string(), "$.a", "{error}");
    let text = r#"{"content": [], "resultType": "\ud800"}"#;
    let error = json::from_str::<v2026_07_28::CallToolOutcome>(text).unwrap_err();
    assert_eq!(error.path().to_string(), "$.resultType", "{error}");
}

#[test]
fn schemas_with_members_of_several_variants() {
    let members = [
        ("type", r#""string""#),
        ("enum", r#"["a"]"#),
        ("enumNames", r#"["b"]"#),
        ("oneOf", r#"[{"const": "a", "title": "b"}]"#),
        ("title", r#""c""#),
        ("default", r#""a""#),
        ("items", r#"{"type": "string", "enum": ["a"]}"#),
    ];
    check::<v2026_07_28::PrimitiveSchemaDefinition>(&members);
    check::<v2025_11_25::PrimitiveSchemaDefinition>(&members);
    let members = [
        ("type", r#""array""#),
        ("items", r#"{"type": "string", "enum": ["a"], "anyOf": []}"#),
        ("enum", r#"["a"]"#),
        ("minItems", "1"),
    ];
    check::<v2026_07_28::PrimitiveSchemaDefinition>(&members);
}
