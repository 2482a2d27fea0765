//! Validation: all faults of a text at once.

#![cfg(feature = "registry")]

use mcp_types::error::{DecodeError, Rule};
use mcp_types::id::RequestId;
use mcp_types::json;
use mcp_types::registry::{self, FAULT_LIMIT, validate_message};
use mcp_types::{Revision, Sender};

const LATEST: Revision = Revision::LATEST;

fn shown(faults: &[DecodeError]) -> Vec<String> {
    let shown = |fault: &DecodeError| format!("{} {}", fault.path(), fault.rule());
    faults.iter().map(shown).collect()
}

fn validate(name: &str, text: &str) -> Vec<String> {
    shown(&registry::find(LATEST, name).unwrap().validate(text))
}

#[test]
fn all_faults_are_found_in_members_elements_maps_and_variants() {
    let result = r#"{
        "content": [
            {"type":"text"},
            {"type":"text","text":1,"annotations":{"priority":7,"audience":["user","x",3]}},
            {"type":"no"},
            7,
            {"type":"resource","resource":{"uri":1}},
            {"type":"image","data":"","mimeType":"","_meta":[]}
        ],
        "isError":"x",
        "isError":true,
        "x": 1,
        "x": 2,
        "a": {"\ud800": 1},
        "_meta": {"io.modelcontextprotocol/serverInfo":{"name":1,"version":2}}
    }"#;
    assert_eq!(
        validate("CallToolResult", result),
        [
            "$.content[0] missing-member",
            "$.content[1].text type",
            "$.content[1].annotations.priority bound",
            "$.content[1].annotations.audience[1] value",
            "$.content[1].annotations.audience[2] type",
            "$.content[2].type variant",
            "$.content[3] type",
            "$.content[4].resource variant",
            "$.content[5]._meta type",
            "$.isError type",
            "$ duplicate-member",
            "$.a unicode",
            "$._meta['io.modelcontextprotocol/serverInfo'].name type",
            "$._meta['io.modelcontextprotocol/serverInfo'].version type",
            "$ missing-member",
            "$ duplicate-member",
        ]
    );
    let schema = r#"{"type":"object","properties":{"a":{"type":"string","minLength":"x"},"b":{"type":"y"},"c":1}}"#;
    assert_eq!(
        validate("RequestedSchema", schema),
        [
            "$.properties.a.minLength type",
            "$.properties.b variant",
            "$.properties.c type"
        ]
    );
}

#[test]
fn every_missing_member_is_a_fault() {
    let faults = registry::find(LATEST, "ListToolsResult")
        .unwrap()
        .validate("{}");
    let missing: Vec<&str> = faults.iter().map(|fault| &*fault.expected()[0]).collect();
    assert_eq!(missing, ["tools", "resultType", "ttlMs", "cacheScope"]);
}

#[test]
fn text_that_is_not_json_is_one_fault() {
    for text in ["", "{", r#"{"name":1,"title":}"#, "{} x"] {
        let faults = validate("Tool", text);
        assert_eq!(faults.len(), 1, "{text}");
    }
}

#[test]
fn number_of_faults_is_bounded() {
    let block = r#"{"type":"text"},"#;
    let text = |blocks: usize| {
        let content = block.repeat(blocks);
        format!(r#"{{"content":[{content}1],"resultType":"complete"}}"#)
    };
    assert_eq!(validate("CallToolResult", &text(100)).len(), 101);
    let faults = validate("CallToolResult", &text(200_000));
    assert_eq!(faults.len(), FAULT_LIMIT);
    // Long unions of look-alikes, nested as deeply as possible.
    let nested = format!(
        r#"{{"method":"x","params":{}1{}}}"#,
        r#"{"a":["#.repeat(60),
        "]}".repeat(60)
    );
    assert!(!validate("JSONRPCMessage", &nested).is_empty());
}

#[test]
fn message_is_validated_by_its_method() {
    const REVISION: Revision = Revision::V2026_07_28;

    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let call = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{params}}}}}"#)
    };
    let client = |text: &str| shown(&validate_message(REVISION, Sender::Client, text, |_| None));
    assert_eq!(client(&call(&format!(r#""name":"t",{meta}"#))), [""; 0]);
    assert_eq!(
        client(&call(r#""name":1,"arguments":[]"#)),
        [
            "$.params.name type",
            "$.params.arguments type",
            "$.params missing-member"
        ]
    );
    // Requests of the server, and methods that do not exist.
    let server = |text: &str| shown(&validate_message(REVISION, Sender::Server, text, |_| None));
    assert_eq!(server(&call("")), ["$.method variant"]);
    let notification =
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"x"}}"#;
    assert_eq!(
        server(notification),
        ["$.params.level value", "$.params missing-member"]
    );
    assert_eq!(client(notification), ["$.method variant"]);
    let request = notification.replace(r#""method""#, r#""id":1,"method""#);
    assert_eq!(server(&request), ["$ unknown-member"]);
    let without_id = call("").replace(r#""id":1,"#, "");
    assert_eq!(client(&without_id), ["$ missing-member"]);
    let message =
        |sender, text: &str| validate_message(REVISION, sender, text, |_| None)[0].to_string();
    assert_eq!(
        message(Sender::Client, &without_id),
        "`tools/call` is a request, with an id"
    );
    assert_eq!(
        message(Sender::Server, &call("")),
        "only clients send `tools/call` (at $.method)"
    );
}

#[test]
fn result_is_validated_by_the_method_that_it_answers() {
    let result =
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[{"name":"a"}]}}"#;
    let validate = |method| {
        shown(&validate_message(LATEST, Sender::Server, result, |_| {
            method
        }))
    };
    assert_eq!(
        validate(Some("tools/list")),
        [
            "$.result.tools[0] missing-member",
            "$.result missing-member",
            "$.result missing-member"
        ]
    );
    // The request with another id is not the one that is answered.
    let other = |id: &RequestId| (*id == 2.into()).then_some("tools/list");
    let faults = validate_message(LATEST, Sender::Server, result, other);
    assert_eq!(shown(&faults), [""; 0]);
    assert_eq!(validate(None), [""; 0]);
    assert_eq!(validate(Some("no/method")), ["$.method variant"]);
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}"#;
    let faults = validate_message(LATEST, Sender::Server, error, |_| None);
    assert_eq!(
        shown(&faults),
        ["$.error.code type", "$.error missing-member"]
    );
}

#[test]
fn envelope_that_is_not_valid_is_one_fault() {
    for (text, path, rule) in [
        ("[]", "$", Rule::Envelope),
        ("{", "$", Rule::Eof),
        ("{]", "$", Rule::Syntax),
        (r#"{"id":1,"method":"ping"}"#, "$", Rule::Envelope),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            "$.jsonrpc",
            Rule::Envelope,
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            "$.id",
            Rule::Envelope,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
            "$.params",
            Rule::Envelope,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            "$.method",
            Rule::Envelope,
        ),
    ] {
        let faults = validate_message(LATEST, Sender::Client, text, |_| None);
        let [fault] = &faults[..] else {
            panic!("{text}: {faults:?}")
        };
        assert_eq!(
            (fault.path().to_string().as_str(), fault.rule()),
            (path, rule),
            "{text}"
        );
    }
}

#[test]
fn what_is_accepted_beyond_the_schema_is_a_fault() {
    let icon = registry::find(LATEST, "Icon").expect("a type");
    for (text, path, expected) in [
        (
            r#"{"src":"a","mimeType":null}"#,
            "$.mimeType",
            "a value, or no such member",
        ),
        (
            r#"{"src":"a","sizes":"48x48 96x96"}"#,
            "$.sizes",
            "an array of strings",
        ),
    ] {
        assert!(icon.round_trip(text).is_ok(), "{text}");
        let found = icon.validate(text);
        let found: Vec<_> = found
            .iter()
            .map(|fault| (fault.path().to_string(), fault.expected().join(", ")))
            .collect();
        assert_eq!(found, [(path.to_owned(), expected.to_owned())], "{text}");
    }
    // The schema of a member may have this value.
    let tool =
        r#"{"name":"t","inputSchema":{"type":"object","x":null},"outputSchema":{"default":null}}"#;
    let tool = registry::find(LATEST, "Tool")
        .expect("a type")
        .validate(tool);
    assert_eq!(tool, []);
}

#[test]
fn text_that_is_not_json_has_the_fault_of_decoding() {
    for text in ["", " \n", "\u{feff}{}", "{", "{]", "{} x", r#"{"a":01}"#] {
        let error = json::from_str::<json::Value>(text).unwrap_err();
        let enabled = |revision: &&Revision| !registry::types(**revision).is_empty();
        for revision in Revision::ALL.iter().filter(enabled) {
            let faults = validate_message(*revision, Sender::Client, text, |_| None);
            assert_eq!(faults, std::slice::from_ref(&error), "{text:?} {revision}");
        }
    }
}

#[cfg(not(feature = "v2024-11-05"))]
#[test]
fn revision_without_its_feature_is_named() {
    let text = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let faults = validate_message(Revision::V2024_11_05, Sender::Server, text, |_| None);
    assert_eq!(shown(&faults), ["$ other"]);
    assert_eq!(
        faults[0].message(),
        "the feature `v2024-11-05` of `mcp-types` is disabled"
    );
}

#[test]
fn first_fault_is_that_of_decoding() {
    let text = r#"{"name":1,"inputSchema":{"type":2}}"#;
    let first = json::from_str::<mcp_types::Tool>(text).unwrap_err();
    assert_eq!(json::all_faults::<mcp_types::Tool>(text, 1), [first]);
}
