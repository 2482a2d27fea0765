//! `Revision::decode` and `Revision::encode` with hand-written messages.

#![cfg(feature = "v2024-11-05")]

#[cfg(feature = "registry")]
use mcp_types::CallToolResult;
use mcp_types::convert::ConvertError;
use mcp_types::json::{self, Value, Writer};
#[cfg(feature = "registry")]
use mcp_types::registry::{RegistryError, convert_text};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{
    CallToolOutcome, CallToolRequestParams, ClientCapabilities, DiscoverRequest, GetPromptOutcome,
    ListToolsRequest, ListToolsResult, LoggingMessageNotificationParams, Outcome,
    ReadResourceOutcome, Revision,
};

const OLDEST: Revision = Revision::V2024_11_05;

fn tree(text: &str) -> Value {
    json::from_str(text).unwrap()
}

/// Decodes a text at a revision, and asserts that it is encoded unchanged.
fn read_and_write<T: Versioned + Clone>(revision: Revision, text: &str) -> T {
    let value: T = revision.decode(text).unwrap();
    assert_eq!(
        tree(revision.encode(value.clone()).unwrap().get()),
        tree(text),
        "{revision}"
    );
    value
}

#[test]
fn oldest_call_is_decoded_as_the_newest_type_and_encoded_unchanged() {
    let text = r#"{"name":"add","arguments":{"a":1.0,"z":[null]},"x":true}"#;
    for revision in Revision::ALL.iter().filter(|it| !it.is_modern()) {
        let params: CallToolRequestParams = read_and_write(*revision, text);
        assert_eq!(params.name, "add");
        assert_eq!(params.meta.protocol_version, revision.as_str());
        let newest = Revision::LATEST.encode(params).unwrap();
        assert!(
            Revision::LATEST
                .decode::<CallToolRequestParams>(newest.get())
                .is_ok()
        );
    }
}

#[test]
fn added_meta_names_the_revision_of_the_message() {
    for revision in Revision::ALL.iter().filter(|it| !it.is_modern()) {
        let text = r#"{"name":"add","_meta":{"progressToken":7,"a.b/c":null}}"#;
        let params: CallToolRequestParams = read_and_write(*revision, text);
        assert_eq!(params.meta.protocol_version, revision.as_str());
        assert_eq!(
            params.meta.client_capabilities,
            ClientCapabilities::default()
        );
        // Here the params are added, too.
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let request: ListToolsRequest = read_and_write(*revision, text);
        let meta = request.params.meta;
        assert_eq!(meta.protocol_version, revision.as_str());
        // A message that names a revision itself is not corrected.
        let text = r#"{"name":"add","_meta":{"io.modelcontextprotocol/protocolVersion":"x"}}"#;
        let params: CallToolRequestParams = revision.decode(text).unwrap();
        assert_eq!(params.meta.protocol_version, "x");
    }
}

#[test]
fn single_conversion_names_the_revision_of_its_source() {
    let convert = || {
        let source = mcp_types::v2025_11_25::CallToolRequestParams::new("add");
        let params = mcp_types::v2026_07_28::CallToolRequestParams::from(source);
        params.meta.protocol_version
    };
    assert_eq!(convert(), "2025-11-25");
    // The revision of a conversion that ended, or failed, has no effect on the next one.
    let _: CallToolRequestParams = OLDEST.decode(r#"{"name":"add"}"#).unwrap();
    assert_eq!(convert(), "2025-11-25");
    assert!(OLDEST.decode::<CallToolRequestParams>("{}").is_err());
    assert_eq!(convert(), "2025-11-25");
}

/// The revisions that are named when params are decoded within the decoding of others.
struct Nested {
    inner: String,
    outer: String,
}

impl Versioned for Nested {
    fn decode_at(revision: Revision, text: &str) -> Result<Self, VersionError> {
        let inner: CallToolRequestParams = Revision::V2025_03_26.decode(text)?;
        let outer = CallToolRequestParams::decode_at(revision, text)?;
        Ok(Self {
            inner: inner.meta.protocol_version,
            outer: outer.meta.protocol_version,
        })
    }

    fn write_at(self, _: Revision, _: &mut Writer<'_>) -> Result<(), VersionError> {
        Ok(())
    }
}

#[test]
fn decoding_within_another_does_not_change_its_revision() {
    let nested: Nested = OLDEST.decode(r#"{"name":"add"}"#).unwrap();
    assert_eq!(nested.inner, "2025-03-26");
    assert_eq!(nested.outer, "2024-11-05");
}

#[cfg(feature = "registry")]
#[test]
fn converted_text_names_the_revision_of_the_message() {
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let params = r#"{"cursor":"c"}"#;
    for revision in Revision::ALL.iter().filter(|it| !it.is_modern()) {
        for (name, text) in [
            ("ListToolsRequest", request),
            ("ClientRequest", request),
            ("PaginatedRequestParams", params),
        ] {
            let Ok(up) = convert_text(*revision, Revision::LATEST, name, text) else {
                panic!("{revision} {name}");
            };
            let up = tree(&up);
            let params = up.get("params").unwrap_or(&up);
            let meta = params.get("_meta").unwrap();
            let version = meta.get("io.modelcontextprotocol/protocolVersion");
            let version = version.and_then(Value::as_str);
            assert_eq!(version, Some(revision.as_str()), "{name}");
        }
    }
}

#[test]
fn progress_token_of_an_older_call_is_not_lost() {
    // The older schemas declare `_meta` for requests in general, not for this one.
    let text = r#"{"name":"add","_meta":{"progressToken":7,"a.b/c":null}}"#;
    for revision in Revision::ALL.iter().filter(|it| !it.is_modern()) {
        let params: CallToolRequestParams = read_and_write(*revision, text);
        assert_eq!(params.meta.progress_token, Some(7.into()));
    }
}

#[test]
fn dialect_of_a_tool_schema_is_not_lost() {
    let text = r#"{"tools":[{"name":"a","inputSchema":{"type":"object","$schema":"a:b"}}]}"#;
    for revision in Revision::ALL.iter().filter(|it| !it.is_modern()) {
        let _: ListToolsResult = read_and_write(*revision, text);
    }
}

#[test]
fn older_result_is_decoded_and_encoded_unchanged() {
    let text = r#"{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"z":{},"a":{}}}}],"nextCursor":"c"}"#;
    for revision in Revision::ALL.iter().filter(|it| !it.is_modern()) {
        let list: ListToolsResult = read_and_write(*revision, text);
        assert_eq!(list.ttl_ms, 0);
        assert_eq!(list.result_type, mcp_types::ResultType::Complete);
    }
    let text = r#"{"level":"warning","logger":"l","data":{"n":1.0}}"#;
    let _: LoggingMessageNotificationParams = read_and_write(OLDEST, text);
}

const RESULT: &str =
    r#"{"content":[{"type":"text","text":"a","annotations":{"priority":0.6}}],"isError":false}"#;

#[test]
fn outcome_of_a_call_is_decoded_and_encoded_at_every_revision() {
    for revision in Revision::ALL.iter().filter(|it| !it.is_modern()) {
        let outcome: CallToolOutcome = read_and_write(*revision, RESULT);
        let CallToolOutcome::Complete(result) = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(result.result_type, mcp_types::ResultType::Complete);
    }
}

#[test]
fn outcomes_of_prompts_and_resources_are_decoded_and_encoded_at_every_revision() {
    let resource = r#"{"contents":[{"uri":"a:b","text":"t"},{"uri":"a:c","blob":"AA=="}]}"#;
    let prompt = r#"{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}"#;
    for revision in Revision::ALL.iter().filter(|it| !it.is_modern()) {
        let _: ReadResourceOutcome = read_and_write(*revision, resource);
        let _: GetPromptOutcome = read_and_write(*revision, prompt);
    }
}

#[test]
fn input_request_is_rejected_for_a_revision_without_it() {
    let text = r#"{"resultType":"input_required","requestState":"s"}"#;
    let outcome: CallToolOutcome = Revision::LATEST.decode(text).unwrap();
    for revision in Revision::ALL.iter().filter(|it| !it.is_modern()) {
        assert!(matches!(
            revision.encode(outcome.clone()),
            Err(VersionError::Convert(ConvertError::NoVariant { .. }))
        ));
    }
}

#[test]
fn only_the_outcome_of_a_completed_request_is_complete() {
    let asks = r#"{"resultType":"input_required","requestState":"s"}"#;
    let asks: CallToolOutcome = Revision::LATEST.decode(asks).unwrap();
    assert_eq!(asks.clone().complete().unwrap_err(), Box::new(asks));
    let done = r#"{"resultType":"complete","content":[]}"#;
    let done: CallToolOutcome = Revision::LATEST.decode(done).unwrap();
    assert!(done.complete().unwrap().content.is_empty());
}

/// Converts a result of the newest revision to an older one.
#[cfg(feature = "registry")]
fn down(revision: Revision, text: &str) -> Result<String, RegistryError> {
    convert_text(Revision::LATEST, revision, "CallToolResult", text)
}

#[cfg(feature = "registry")]
#[test]
fn older_result_of_a_call_becomes_a_complete_one() {
    for revision in Revision::ALL.iter().filter(|it| !it.is_modern()) {
        let up = convert_text(*revision, Revision::LATEST, "CallToolResult", RESULT).unwrap();
        let result: CallToolResult = json::from_str(&up).unwrap();
        assert_eq!(result.result_type, mcp_types::ResultType::Complete);
        assert_eq!(tree(&down(*revision, &up).unwrap()), tree(RESULT));
    }
}

#[cfg(feature = "registry")]
#[test]
fn audio_becomes_a_text_for_a_revision_without_it() {
    let text = r#"{"content":[{"type":"audio","data":"AA==","mimeType":"audio/wav"}],"resultType":"complete"}"#;
    let content = r#"{"content":[{"type":"text","text":"[audio: audio/wav]"}]}"#;
    assert_eq!(down(OLDEST, text).unwrap(), content);
    assert!(down(Revision::V2025_03_26, text).is_ok());
    let error = convert_text(OLDEST, OLDEST, "CallToolResult", text).unwrap_err();
    let RegistryError::Decode(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(error.path().to_string(), "$.content[0].type");
}

#[cfg(feature = "registry")]
#[test]
fn resource_link_becomes_text_for_a_revision_without_it() {
    let text =
        r#"{"content":[{"type":"resource_link","uri":"a:b","name":"n"}],"resultType":"complete"}"#;
    let older = down(Revision::V2025_03_26, text).unwrap();
    let expected = r#"{"content":[{"type":"text","text":"[resource: n <a:b>]"}]}"#;
    assert_eq!(tree(&older), tree(expected));
    let newer = down(Revision::V2025_06_18, text).unwrap();
    assert!(newer.contains("resource_link"), "{newer}");
}

#[cfg(feature = "registry")]
#[test]
fn structured_content_that_is_not_an_object_is_rejected_for_a_revision_that_requires_one() {
    for (content, fits) in [
        ("{\"a\":1.0}", true),
        ("[1]", false),
        ("null", false),
        ("7", false),
    ] {
        let text =
            format!(r#"{{"content":[],"structuredContent":{content},"resultType":"complete"}}"#);
        for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
            match down(revision, &text) {
                Ok(written) => {
                    assert!(fits, "{revision}: {written}");
                    assert!(written.contains(content), "{written}");
                }
                Err(error) => {
                    assert!(!fits, "{revision}: {error}");
                    let wrong = matches!(error, RegistryError::Convert(ConvertError::Value(_)));
                    assert!(wrong, "{error:?}");
                }
            }
        }
    }
}

#[test]
fn message_that_a_revision_lacks_is_rejected() {
    let text = r#"{"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}},"jsonrpc":"2.0","id":1}"#;
    let request: DiscoverRequest = Revision::V2026_07_28.decode(text).unwrap();
    for revision in Revision::ALL.iter().filter(|it| !it.is_modern()) {
        assert!(matches!(
            revision.decode::<DiscoverRequest>(text),
            Err(VersionError::Unmapped { .. })
        ));
        assert!(matches!(
            revision.encode(request.clone()),
            Err(VersionError::Unmapped { .. })
        ));
    }
}

#[test]
fn error_at_an_older_revision_has_its_path() {
    let text =
        r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"b","inputSchema":{}}]}"#;
    let error = OLDEST.decode::<ListToolsResult>(text).unwrap_err();
    let VersionError::Decode(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        error.to_string(),
        "missing field `type` (at $.tools[1].inputSchema)"
    );
}

#[test]
#[cfg(feature = "registry")]
fn error_of_a_conversion_has_the_path() {
    let text = r#"{"type":"text","text":"a"}"#;
    let messages = format!(
        r#"{{"messages":[{{"role":"user","content":{text}}},{{"role":"user","content":[{text},{text}]}}],"maxTokens":1}}"#
    );
    let lists = r#"{"message":"?","requestedSchema":{"type":"object","properties":{"one":{"type":"string"},"many":{"type":"array","items":{"type":"string","enum":["a"]}}}}}"#;
    let answer = r#"{"action":"accept","content":{"one":"a","many":["a"]}}"#;
    let list = r#"{"content":[],"structuredContent":[1],"resultType":"complete"}"#;
    for (from, name, text, path) in [
        (
            Revision::LATEST,
            "CallToolResult",
            list,
            "$.structuredContent",
        ),
        (
            Revision::V2025_11_25,
            "CreateMessageRequestParams",
            &*messages,
            "$.messages[1].content",
        ),
        (
            Revision::V2025_11_25,
            "ElicitRequestFormParams",
            lists,
            "$.requestedSchema.properties.many",
        ),
        (
            Revision::V2025_11_25,
            "ElicitResult",
            answer,
            "$.content.many",
        ),
    ] {
        let error = convert_text(from, Revision::V2025_06_18, name, text).unwrap_err();
        let RegistryError::Convert(error) = error else {
            panic!("{error}");
        };
        assert_eq!(error.path().to_string(), path, "{error}");
        assert!(
            error.to_string().ends_with(&format!(" (at {path})")),
            "{error}"
        );
    }
}
