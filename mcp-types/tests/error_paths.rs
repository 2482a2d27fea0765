//! Errors that quote a peer: the path is data, the message is bounded, and the cost is linear.

use std::fmt;

use mcp_types::convert::ConvertError;
use mcp_types::error::{DecodeError, Path, Segment, excerpt};
use mcp_types::json::{self, Object};
use mcp_types::revision::VersionError;
use mcp_types::rpc::{self, Decoded, ErrorObject};
use mcp_types::{
    AnyResourceContents, CallToolOutcome, CallToolRequestParams, CallToolResult,
    CallToolResultResponse, ContentBlock, DiscoverResult, JsonRpcMessage, ReadResourceOutcome,
    Revision,
};
use serde::de::{DeserializeOwned, Error as _};

/// Looks like the end of an error with a path. Each repetition looks like the start of a path.
const LOOKS_LIKE_A_PATH: &str = " (at $[";

const FOUR_MEBIBYTES: usize = 4 << 20;

fn error<T: DeserializeOwned + fmt::Debug>(text: &str) -> DecodeError {
    json::from_str::<T>(text).unwrap_err()
}

/// Creates a JSON string with text that looks like paths.
fn hostile(size: usize) -> String {
    let text = LOOKS_LIKE_A_PATH.repeat(size / LOOKS_LIKE_A_PATH.len());
    format!("\"{text} (at $.forged)\"")
}

#[test]
fn text_of_a_peer_is_never_parsed_as_a_path() {
    let hostile = hostile(0);
    for (text, path) in [
        (hostile.clone(), "$"),
        (format!(r#"{{"content":{hostile}}}"#), "$.content"),
        (format!(r#"{{"content":[{hostile}]}}"#), "$.content[0]"),
        (
            format!(r#"{{"content":[{{"type":{hostile}}}]}}"#),
            "$.content[0].type",
        ),
        (
            format!(r#"{{"content":[{{"text":"","type":{hostile}}}]}}"#),
            "$.content[0].type",
        ),
        (format!(r"{{{hostile}:1,{hostile}:2}}"), "$"),
    ] {
        let error = error::<CallToolResult>(&text);
        assert_eq!(error.path().to_string(), path, "{text}: {error}");
        assert!(!error.path().to_string().contains("forged"));
    }
}

#[test]
fn error_of_a_megabyte_that_looks_like_paths_costs_linear_time() {
    // With quadratic cost this would take minutes.
    let hostile = hostile(FOUR_MEBIBYTES);
    // The message ends with the expected type in parentheses, which looks like a path.
    let text = format!(r#"{{"capabilities":{hostile}}}"#);
    let refused = error::<DiscoverResult>(&text);
    assert!(refused.to_string().len() < 2048);
    assert_eq!(refused.path().to_string(), "$.capabilities");
    for text in [
        format!(r#"{{"content":{hostile}}}"#),
        format!(r#"{{"content":[{{"type":{hostile}}}]}}"#),
        format!(r#"{{"content":[{{"text":"","type":{hostile}}}]}}"#),
        format!(r#"{{"content":[],{hostile}:1,{hostile}:1}}"#),
    ] {
        let error = error::<CallToolResult>(&text);
        assert!(
            error.to_string().len() < 2048,
            "{} bytes",
            error.to_string().len()
        );
    }
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"capabilities":{hostile}}}}}"#);
    let decoded = rpc::decode::<(), DiscoverResult>(&message, |_| true);
    assert!(decoded.unwrap_err().to_string().len() < 2048);
}

#[test]
fn error_of_a_foreign_deserializer_is_shortened_and_linear() {
    let text = format!(r#"{{"content":{}}}"#, hostile(FOUR_MEBIBYTES));
    let foreign = serde_json::from_str::<CallToolResult>(&text).unwrap_err();
    let error = DecodeError::from(foreign);
    assert!(error.path().is_root());
    assert!(error.to_string().len() < 2048);
    let error = DecodeError::custom("é".repeat(FOUR_MEBIBYTES));
    assert!(error.message().len() < 2048);
}

#[test]
fn shortened_message_keeps_what_was_found_and_what_was_expected() {
    let found = format!(
        r#"{{"content":[{{"type":"text","text":{{"{}":1}}}}]}}"#,
        "a".repeat(5000)
    );
    let text = error::<CallToolResult>(&found).to_string();
    assert_eq!(
        text,
        "invalid type: map, expected a string (at $.content[0].text)"
    );
    let found = format!(r#"{{"content":"{}"}}"#, "é".repeat(5000));
    let text = error::<CallToolResult>(&found).to_string();
    assert!(text.starts_with("invalid type: string \"éé"), "{text}");
    assert!(
        text.ends_with("expected a sequence (at $.content)"),
        "{text}"
    );
    assert!(text.contains('…'), "{text}");
}

/// Returns the texts of an error and of its sources, as programs report them.
fn chain(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(Some(error), |error| error.source());
    let texts: Vec<String> = sources.map(ToString::to_string).collect();
    texts.join(": ")
}

#[test]
fn error_and_its_sources_have_the_position_once() {
    let params = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}"#;
    let result = r#"{"jsonrpc":"2.0","id":1,"result":{"content":7}}"#;
    let decode = |text| {
        let decoded = rpc::decode::<CallToolRequestParams, CallToolResult>(text, |_| true);
        chain(&decoded.unwrap_err())
    };
    assert_eq!(
        decode(params),
        "params of `tools/call`: invalid type: integer `7`, expected a string (at $.name)"
    );
    assert_eq!(
        decode(result),
        "result of request 1: invalid type: integer `7`, expected a sequence (at $.content)"
    );
    assert_eq!(decode("{]"), "message is not JSON at line 1 column 2");
    let version = Revision::LATEST.decode::<CallToolRequestParams>("{]");
    assert_eq!(
        chain(&version.unwrap_err()),
        "key must be a string at line 1 column 2"
    );
    let value = error::<CallToolResult>(r#"{"content":7}"#);
    let text = value.to_string();
    assert_eq!(chain(&ConvertError::from(value.clone())), text);
    assert_eq!(chain(&VersionError::from(value.clone())), text);
    assert_eq!(
        chain(&VersionError::from(ConvertError::from(value.clone()))),
        text
    );
    #[cfg(feature = "registry")]
    {
        use mcp_types::registry::{RegistryError, validate_message};

        assert_eq!(chain(&RegistryError::Decode(value)), text);
        let faults = validate_message(Revision::LATEST, mcp_types::Sender::Client, "{]", |_| None);
        assert_eq!(
            faults[0].to_string(),
            "key must be a string at line 1 column 2"
        );
    }
}

#[test]
fn names_in_paths_are_shortened() {
    let name = "é".repeat(300);
    let text = format!(r#"{{"capabilities":{{"experimental":{{"{name}":7}}}}}}"#);
    let path = error::<DiscoverResult>(&text).path().clone();
    let Some(Segment::Member(last)) = path.segments().last() else {
        panic!("{path}");
    };
    assert_eq!(*last, format!("{}…", "é".repeat(100)));
    let path = DecodeError::data("").inside_member(name).path().clone();
    assert_eq!(path.segments(), [Segment::Member(last.clone())]);
}

#[test]
fn excerpt_ends_on_a_character() {
    assert_eq!(excerpt(&"a".repeat(200)), "a".repeat(200));
    assert_eq!(excerpt(&"a".repeat(201)), format!("{}…", "a".repeat(200)));
    assert_eq!(excerpt(&"é".repeat(101)), format!("{}…", "é".repeat(100)));
    assert_eq!(
        excerpt(&format!("a{}", "é".repeat(101))),
        format!("a{}…", "é".repeat(99))
    );
}

/// An error of a program that displays a `DecodeError`.
#[derive(Debug)]
struct Wrapped(DecodeError);

impl fmt::Display for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("in the program: ")?;
        self.0.fmt(f)
    }
}

#[test]
fn path_survives_an_error_that_displays_it() {
    let inner = DecodeError::data("no")
        .inside_index(3)
        .inside_member("a (at $.b)");
    let outer = DecodeError::custom(Wrapped(inner.clone()));
    assert_eq!(outer.path(), inner.path());
    assert_eq!(outer.message(), "in the program: no");
    // The text of an error has no path.
    let outer = DecodeError::custom(inner.to_string());
    assert_eq!(*outer.path(), Path::root());
    assert_eq!(outer.to_string(), inner.to_string());
}

#[test]
fn error_in_a_buffered_union_has_its_path() {
    for (text, path) in [
        (
            r#"{"type":"resource","resource":{"uri":"a","text":3}}"#,
            "$.resource.text",
        ),
        (
            r#"{"resource":{"uri":"a","text":3},"type":"resource"}"#,
            "$.resource.text",
        ),
        (
            r#"{"annotations":{"audience":["a",1]},"type":"text","text":""}"#,
            "$.annotations.audience[0]",
        ),
    ] {
        assert_eq!(
            error::<ContentBlock>(text).path().to_string(),
            path,
            "{text}"
        );
        let list = format!("[{text}]");
        let path = path.replacen('$', "$[0]", 1);
        assert_eq!(error::<Vec<ContentBlock>>(&list).path().to_string(), path);
        let value: json::Value = json::from_str(&list).unwrap();
        let error = json::from_value::<Vec<ContentBlock>>(value).unwrap_err();
        assert_eq!(error.path().to_string(), path);
    }
}

#[test]
fn fault_in_an_outcome_without_its_tag_is_reported_at_its_path() {
    let (text, unknown) = (
        r#"{"type":"text","text":"a"}"#,
        r#"{"type":"hologram","text":"a"}"#,
    );
    let unknown_kind = "`hologram` is not a known `type` of `ContentBlock`";
    for (outcome, message, path) in [
        (
            format!(r#"{{"content":[{text},{unknown}]}}"#),
            unknown_kind,
            ".content[1].type",
        ),
        (
            format!(r#"{{"isError":false,"content":[{unknown}],"x":1}}"#),
            unknown_kind,
            ".content[0].type",
        ),
        // With the tag, the same fault has the same path.
        (
            format!(r#"{{"content":[{text},{unknown}],"resultType":"complete"}}"#),
            unknown_kind,
            ".content[1].type",
        ),
        (
            format!(r#"{{"content":[{text}]}}"#),
            "missing field `resultType`",
            "",
        ),
        (
            r#"{"resultType":"complete"}"#.into(),
            "missing field `content`",
            "",
        ),
    ] {
        let error = error::<CallToolOutcome>(&outcome);
        assert_eq!(error.message(), message, "{outcome}");
        assert_eq!(error.path().to_string(), format!("${path}"), "{outcome}");
        let response = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{outcome}}}"#);
        let error = self::error::<CallToolResultResponse>(&response);
        assert_eq!(error.message(), message, "{response}");
        assert_eq!(error.path().to_string(), format!("$.result{path}"));
    }
    let untyped = error::<CallToolOutcome>(r#"{"resultType":7}"#);
    assert_eq!(untyped.path().to_string(), "$.resultType");
    let error = error::<ReadResourceOutcome>(r#"{"contents":[{"uri":"a:b","text":1}]}"#);
    assert_eq!(error.path().to_string(), "$.contents[0].text");
}

#[test]
fn object_that_resembles_one_variant_most_is_rejected_as_that_variant() {
    for (text, message) in [
        (r#"{"id":1,"method":"a"}"#, "missing field `jsonrpc`"),
        (
            r#"{"jsonrpc":"2.0","result":{"resultType":"complete"}}"#,
            "missing field `id`",
        ),
    ] {
        let error = error::<JsonRpcMessage>(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    let error = error::<JsonRpcMessage>(r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#);
    assert_eq!(error.path().to_string(), "$.jsonrpc");
}

#[cfg(feature = "tasks")]
#[test]
fn constant_that_contradicts_a_variant_counts_more_than_its_members() {
    // The result type says that this is no task.
    let text = r#"{"resultType":"complete","taskId":"t","ttlMs":1}"#;
    let refused = error::<CallToolOutcome>(text);
    assert_eq!(refused.to_string(), "missing field `content`");
    // Only a task has an identifier, although the status is not one of a task.
    let refused = error::<CallToolOutcome>(r#"{"taskId":"t","status":"bogus"}"#);
    assert_eq!(refused.path().to_string(), "$.status");
}

/// An optional member only tells which variant is tried first.
#[test]
fn required_member_tells_more_of_a_variant_than_an_optional_one() {
    for text in [
        r#"{"requestState":"s","content":[{"type":"bogus"}]}"#,
        r#"{"content":[{"type":"bogus"}],"requestState":"s"}"#,
    ] {
        let error = error::<CallToolOutcome>(text);
        assert_eq!(error.path().to_string(), "$.content[0].type", "{error}");
    }
}

#[test]
fn object_that_resembles_several_variants_is_rejected_with_the_demands_of_all() {
    for text in ["{}", r#"{"uri":"a:b"}"#, r#"{"uri":1,"mimeType":2}"#] {
        assert_eq!(
            error::<AnyResourceContents>(text).to_string(),
            "the object matches no variant of `AnyResourceContents`: TextResourceContents requires \
             `text`; BlobResourceContents requires `blob`"
        );
    }
    for text in ["{}", r#"{"requestState":"s"}"#] {
        let error = error::<CallToolOutcome>(text);
        assert!(error.message().contains("matches no variant"), "{error}");
    }
}

#[test]
fn errors_in_an_error_object_have_their_path() {
    for (text, path) in [
        (r#"{"code":"x","message":""}"#, "$.code"),
        (r#"{"code":1.5,"message":""}"#, "$.code"),
        (r#"{"code":1,"message":3}"#, "$.message"),
        (r#"{"code":1}"#, "$"),
        (r#"{"code":1,"message":"","a":1,"a":2}"#, "$"),
    ] {
        assert_eq!(
            error::<ErrorObject>(text).path().to_string(),
            path,
            "{text}"
        );
    }
    let sound = r#"{"code":1.0,"message":"m","data":null,"other":1}"#;
    let sound: ErrorObject = json::from_str(sound).unwrap();
    assert_eq!((sound.code, sound.data), (1, Some(json::Value::Null)));
}

#[test]
fn message_with_a_hostile_body_is_decoded_once_and_rejected() {
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{}}}}}"#,
        hostile(1000)
    );
    let decoded = rpc::decode::<Object, ()>(&text, |_| true).unwrap();
    assert!(matches!(decoded, Decoded::Typed(_)));
}
