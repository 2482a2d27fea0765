//! [`WithText`]: the text of a value is written back byte for byte.

use mcp_types::error::{DecodeError, ErrorKind};
use mcp_types::json::{self, Value, WithText};
use mcp_types::{ContentBlock, JsonRpcMessage, Tool};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::fmt;

/// White space, order, escapes and the forms of numbers differ from what types write.
const CALL: &str = r#"{"id":7 , "x-trace":[1.50, 1E2, 12345678901234567890123],
    "params":{"arguments":{}, "name":"r\u0061in", "_meta":{
    "io.modelcontextprotocol/clientCapabilities":{},
    "io.modelcontextprotocol/protocolVersion":"2026-07-28"}},
    "method":"tools/call","jsonrpc":"2.0"}"#;

#[test]
fn message_is_written_as_it_was_received() {
    let message: WithText<JsonRpcMessage> = json::from_str(CALL).unwrap();
    assert!(matches!(message.value(), JsonRpcMessage::Request(_)));
    assert_eq!(message.text(), CALL);
    // A message of a transport has no line breaks.
    assert_eq!(json::to_string(&message).unwrap(), CALL.replace('\n', " "));
    assert_eq!(serde_json::to_string(&message).unwrap(), CALL);
}

#[test]
fn serde_json_keeps_the_text_as_well() {
    let message: WithText<JsonRpcMessage> = serde_json::from_str(CALL).unwrap();
    assert_eq!(message.text(), CALL);
}

#[test]
fn elements_of_a_list_have_their_own_text() {
    let text = r#"[ {"text":"a","type":"text"} , {"type":"text", "text":"b"} ]"#;
    let blocks: Vec<WithText<ContentBlock>> = json::from_str(text).unwrap();
    let texts: Vec<&str> = blocks.iter().map(WithText::text).collect();
    assert_eq!(
        texts,
        [
            r#"{"text":"a","type":"text"}"#,
            r#"{"type":"text", "text":"b"}"#
        ]
    );
}

#[test]
fn tree_of_values_is_encoded_again() {
    let tree: Value = json::from_str(r#"{ "type" : "text", "text" : "a" }"#).unwrap();
    let block: WithText<ContentBlock> = json::from_value(tree).unwrap();
    assert_eq!(block.text(), r#"{"type":"text","text":"a"}"#);
}

#[derive(Debug)]
struct Holder(#[expect(dead_code, reason = "only its error is looked at")] WithText<Tool>);

impl<'de> Deserialize<'de> for Holder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct HolderVisitor;

        impl<'de> Visitor<'de> for HolderVisitor {
            type Value = Holder;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Holder, A::Error> {
                let _: Option<String> = members.next_key()?;
                Ok(Holder(members.next_value()?))
            }
        }

        deserializer.deserialize_map(HolderVisitor)
    }
}

#[test]
fn error_has_the_whole_path() {
    let text = r#"{"tool":{"name":"a","inputSchema":{"type":"array"}}}"#;
    let error: DecodeError = json::from_str::<Holder>(text).unwrap_err();
    assert_eq!(error.path().to_string(), "$.tool.inputSchema.type");
}

#[test]
fn invalid_json_is_a_syntax_error_of_the_whole_text() {
    let text = r#"{"tool":{"name":"a","inputSchema":{"type":"object"},}}"#;
    let error = json::from_str::<Holder>(text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "key must be a string at line 1 column 53"
    );
}

/// Lists within lists, each decoded from a text of its own.
struct Nested;

impl<'de> Deserialize<'de> for Nested {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<WithText<Self>>::deserialize(deserializer).map(|_| Self)
    }
}

#[test]
fn nesting_is_limited_across_texts() {
    let decode = |levels: usize| {
        let text = "[".repeat(levels) + &"]".repeat(levels);
        json::from_str::<Nested>(&text).map(|_| ())
    };
    assert_eq!(decode(json::NESTING_LIMIT), Ok(()));
    for levels in [json::NESTING_LIMIT + 1, 10_000] {
        let error = decode(levels).unwrap_err();
        assert_eq!(
            error.to_string(),
            "recursion limit exceeded at line 1 column 127"
        );
    }
}

/// Ignores the error of a value.
struct Lenient(Option<Tool>);

impl<'de> Deserialize<'de> for Lenient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Tool::deserialize(deserializer).ok()))
    }
}

#[test]
fn text_of_an_ignored_error_is_json() {
    let tools: Vec<Lenient> =
        json::from_str(r#"[1, {"name":[{}]}, {"name":"a","inputSchema":{"type":"object"}}]"#)
            .unwrap();
    let tools: Vec<bool> = tools.iter().map(|tool| tool.0.is_some()).collect();
    assert_eq!(tools, [false, false, true]);
    for text in ["", "@", "[1,", "{[}}", r#"{"name":}"#] {
        assert!(json::from_str::<Lenient>(text).is_err(), "{text}");
        assert!(json::from_str::<WithText<Lenient>>(text).is_err(), "{text}");
        let list = format!("[{text},{text}]");
        let error = json::from_str::<Vec<Lenient>>(&list).err().unwrap();
        assert_ne!(error.kind(), ErrorKind::Data, "{list}");
    }
}
