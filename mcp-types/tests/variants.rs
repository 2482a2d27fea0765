//! The variant of an object does not depend on the order of its members.

#![cfg(feature = "v2024-11-05")]

use mcp_types::error::ErrorKind;
use mcp_types::json::{self, Object, Value};
use mcp_types::v2026_07_28::JsonRpcMessage;
use mcp_types::{v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28};
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// Decodes all objects that consist of some of the given members, in several orders, from their
/// text and from buffered members. From a text, the decoder selects the variant before it knows all
/// members.
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
    check::<JsonRpcMessage>(&members);
    check::<v2026_07_28::JsonRpcResponse>(&members);
    check::<v2025_11_25::JsonRpcMessage>(&members);
    check::<v2024_11_05::JsonRpcMessage>(&members);
    // `null` is no value of any member.
    for null in ["id", "method", "result", "error", "params"] {
        let members = members.map(|(name, value)| match name {
            name if name == null => (name, "null"),
            _ => (name, value),
        });
        check_any::<JsonRpcMessage>(&members);
        check_any::<v2025_11_25::JsonRpcMessage>(&members);
        check_any::<v2025_03_26::JsonRpcBatchResponseItem>(&members);
    }
    // An error without a code, and a result without a type, belong to no response.
    let members = [
        ("jsonrpc", r#""2.0""#),
        ("id", "7"),
        ("method", r#""ping""#),
        ("result", "{}"),
        ("error", r#"{"message": "a"}"#),
        ("x", "[[1], {}]"),
    ];
    check::<JsonRpcMessage>(&members);
    check::<v2025_11_25::JsonRpcMessage>(&members);
}

#[test]
fn contents_with_members_of_several_variants() {
    let members = [
        ("uri", r#""a""#),
        ("mimeType", r#""b""#),
        ("text", r#""c""#),
        ("blob", r#""ZA==""#),
        ("x", "1"),
    ];
    check::<v2026_07_28::AnyResourceContents>(&members);
    for wrong in ["uri", "mimeType", "text", "blob"] {
        for value in ["null", "1"] {
            let members = members.map(|(name, right)| match name {
                name if name == wrong => (name, value),
                _ => (name, right),
            });
            check_any::<v2026_07_28::AnyResourceContents>(&members);
        }
    }
}

/// In older revisions, the params of a request have another type than those of a notification.
/// Which of them an object has may be known only at its end.
#[test]
fn envelopes_with_params_whose_type_is_known_later() {
    let deepest = |arrays: usize| format!("{}{}", "[".repeat(arrays), "]".repeat(arrays));
    // The message, the params and the arrays.
    let (allowed, forbidden) = (
        format!(r#"{{"a": {}}}"#, deepest(json::NESTING_LIMIT - 2)),
        format!(r#"{{"a": {}}}"#, deepest(json::NESTING_LIMIT - 1)),
    );
    for (params, is_valid) in [
        (
            r#"{"_meta": {"progressToken": 1, "x": 1.50}, "y": {"z": [1, 2]}}"#,
            true,
        ),
        // No token, but any member of the metadata of a notification.
        (r#"{"_meta": {"progressToken": {}}}"#, true),
        (r#"{"_meta": {"progressToken": "\u0041"}}"#, true),
        (r#"{"_meta": 1}"#, false),
        (r#"{"a": 1, "a": 2}"#, false),
        ("[]", false),
        ("null", true),
        (&allowed, true),
        (&forbidden, false),
    ] {
        let members = [
            ("jsonrpc", r#""2.0""#),
            ("id", "7"),
            ("method", r#""ping""#),
            ("params", params),
        ];
        let text = format!(r#"{{"params":{params},"method":"x","jsonrpc":"2.0"}}"#);
        let message = json::from_str::<v2025_06_18::JsonRpcMessage>(&text);
        assert_eq!(message.is_ok(), is_valid, "{message:?}");
        if !is_valid {
            continue;
        }
        check::<v2024_11_05::JsonRpcMessage>(&members);
        check::<v2025_03_26::JsonRpcMessage>(&members);
        check::<v2025_03_26::JsonRpcBatchRequestItem>(&members);
        check::<v2025_06_18::JsonRpcMessage>(&members);
    }
    for broken in [
        r#"{"jsonrpc":"2.0","method":"x","params":{"a":[}]}}"#,
        r#"{"jsonrpc":"2.0","method":"x","params":{"a":1]}"#,
        r#"{"jsonrpc":"2.0","method":"x","params":tru}"#,
        r#"{"jsonrpc":"2.0","method":"x","params":}"#,
        r#"{"jsonrpc":"2.0","method":"x","params""#,
    ] {
        let error = json::from_str::<v2025_06_18::JsonRpcMessage>(broken).unwrap_err();
        let expected = json::from_str::<Value>(broken).unwrap_err();
        assert_eq!(error.kind(), expected.kind(), "{broken}");
    }
}

/// Such an object is decoded twice: its members do not tell at once which variant it is.
#[test]
fn object_that_is_decoded_twice_keeps_its_long_lists() {
    type Batch = (JsonRpcMessage, JsonRpcMessage, Vec<u32>);
    let numbers = |length: usize| {
        let numbers: Vec<String> = (0..length).map(|number| number.to_string()).collect();
        format!("[{}]", numbers.join(","))
    };
    let message = format!(
        r#"{{"jsonrpc":"2.0","method":"x","params":{{"a":{},"b":{}}},"result":{}}}"#,
        numbers(2000),
        numbers(3000),
        numbers(1500)
    );
    let batch = format!("[{message},{message},{}]", numbers(4000));
    let (first, second, last) = json::from_str::<Batch>(&batch).unwrap();
    assert_eq!(first, second);
    assert_eq!(json::to_string(&first).unwrap(), message);
    assert_eq!(last.len(), 4000);
}

/// A member of a union is reported by its path, although the object is decoded twice.
#[test]
fn fault_in_an_envelope_is_reported_with_its_path() {
    for (text, path) in [
        (
            r#"{"jsonrpc":"2.0","id":[],"result":{"resultType":"x"}}"#,
            "$.id",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":2,"params":{}}"#,
            "$.method",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":{"b":1,"b":2}}}"#,
            "$.params.a",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"y"}}"#,
            "$.error.code",
        ),
        (r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, "$.jsonrpc"),
    ] {
        let error = json::from_str::<JsonRpcMessage>(text).unwrap_err();
        assert_eq!(error.path().to_string(), path, "{error}");
    }
    let text = "\n {\"jsonrpc\":\"2.0\",\"id\":[],\n\"method\":}";
    let error = json::from_str::<JsonRpcMessage>(text).unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::Syntax {
            line: 3,
            column: 10
        }
    );
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
