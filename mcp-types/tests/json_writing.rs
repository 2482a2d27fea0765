//! The output of a `Writer`: the text of `serde_json` in one line, the `_meta` that it adds, and
//! the members that it separates.

use std::collections::BTreeMap;

use mcp_types::json::{self, Encoded, Object, Value, Writer};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{CallToolResult, Revision, TextContent, rpc};
use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::value::RawValue;

/// Compares the output for a value, alone and nested, with a text and with `serde_json`.
macro_rules! writes {
    ($(|$s:ident| $call:expr => $text:expr;)*) => {$({
        struct Calls;
        impl Serialize for Calls {
            fn serialize<S: Serializer>(&self, $s: S) -> Result<S::Ok, S::Error> {
                $call
            }
        }
        assert_eq!(json::to_string(&Calls).unwrap(), $text);
        let within = BTreeMap::from([("a", vec![Calls, Calls]), ("b", vec![])]);
        let text = json::to_string(&within).unwrap();
        assert_eq!(text, serde_json::to_string(&within).unwrap());
        assert_eq!(text, format!(r#"{{"a":[{0},{0}],"b":[]}}"#, $text));
    })*};
}

#[test]
fn every_call_of_a_serializer_writes_what_serde_json_writes() {
    writes! {
        |s| s.serialize_bool(true) => "true";
        |s| s.serialize_i8(-1) => "-1";
        |s| s.serialize_i16(-2) => "-2";
        |s| s.serialize_i32(-3) => "-3";
        |s| s.serialize_i64(i64::MIN) => "-9223372036854775808";
        |s| s.serialize_i128(i128::MIN) => "-170141183460469231731687303715884105728";
        |s| s.serialize_u8(1) => "1";
        |s| s.serialize_u16(2) => "2";
        |s| s.serialize_u32(3) => "3";
        |s| s.serialize_u64(u64::MAX) => "18446744073709551615";
        |s| s.serialize_u128(u128::MAX) => "340282366920938463463374607431768211455";
        |s| s.serialize_f32(0.1) => "0.1";
        |s| s.serialize_f64(1.0) => "1.0";
        |s| s.serialize_f64(f64::NAN) => "null";
        |s| s.serialize_char('"') => r#""\"""#;
        |s| s.serialize_str("{[,é\n\u{1}\u{7f}\\") => "\"{[,é\\n\\u0001\u{7f}\\\\\"";
        |s| s.serialize_bytes(&[1, 2]) => "[1,2]";
        |s| s.serialize_none() => "null";
        |s| s.serialize_some(&[1, 2]) => "[1,2]";
        |s| s.serialize_unit() => "null";
        |s| s.serialize_unit_struct("N") => "null";
        |s| s.serialize_unit_variant("N", 0, "{") => r#""{""#;
        |s| s.serialize_newtype_struct("N", "[") => r#""[""#;
        |s| s.serialize_newtype_variant("N", 0, "V", &()) => r#"{"V":null}"#;
        |s| s.collect_str(&format_args!("{}\"", 1)) => r#""1\"""#;
        |s| s.serialize_seq(Some(0))?.end() => "[]";
        |s| {
            let mut seq = s.serialize_seq(None)?;
            seq.serialize_element(&[(); 0])?;
            seq.serialize_element(&Object::new())?;
            seq.serialize_element("[")?;
            seq.serialize_element("{")?;
            seq.end()
        } => r#"[[],{},"[","{"]"#;
        |s| {
            let mut tuple = s.serialize_tuple(2)?;
            tuple.serialize_element(&1)?;
            tuple.serialize_element("2")?;
            tuple.end()
        } => r#"[1,"2"]"#;
        |s| {
            let mut fields = s.serialize_tuple_struct("N", 2)?;
            fields.serialize_field(&1)?;
            fields.serialize_field("2")?;
            fields.end()
        } => r#"[1,"2"]"#;
        |s| {
            let mut fields = s.serialize_tuple_variant("N", 0, "V", 2)?;
            fields.serialize_field(&1)?;
            fields.serialize_field("2")?;
            fields.end()
        } => r#"{"V":[1,"2"]}"#;
        |s| s.serialize_map(Some(0))?.end() => "{}";
        |s| {
            let mut map = s.serialize_map(None)?;
            map.serialize_entry("a\"", "{")?;
            map.serialize_entry(&1, &Object::new())?;
            map.serialize_key(&true)?;
            map.serialize_value(&[(); 0])?;
            map.serialize_entry(&'c', &())?;
            map.serialize_entry(&0.5, &())?;
            map.serialize_entry(&Value::from("v"), &())?;
            map.end()
        } => r#"{"a\"":"{","1":{},"true":[],"c":null,"0.5":null,"v":null}"#;
        |s| s.collect_map([(1, "a"), (2, "b")]) => r#"{"1":"a","2":"b"}"#;
        |s| {
            let mut fields = s.serialize_struct("N", 2)?;
            fields.serialize_field("a", &Some(1))?;
            fields.skip_field("b")?;
            fields.serialize_field("c", &None::<u8>)?;
            fields.end()
        } => r#"{"a":1,"c":null}"#;
        |s| {
            let mut fields = s.serialize_struct_variant("N", 0, "V", 1)?;
            fields.serialize_field("a", "b")?;
            fields.serialize_field("c", &())?;
            fields.end()
        } => r#"{"V":{"a":"b","c":null}}"#;
        |s| raw(r#"{"a" : [1.50]}"#).serialize(s) => r#"{"a" : [1.50]}"#;
    }
    let map = BTreeMap::from([(vec![1], 1)]);
    let ours = json::to_string(&map).unwrap_err().to_string();
    assert_eq!(ours, serde_json::to_string(&map).unwrap_err().to_string());
}

#[test]
fn characters_are_escaped_at_every_place_as_serde_json_does() {
    let escaped = ('\0'..=' ').chain(['"', '\\', '/', '\u{7f}', '\u{80}', '\u{2028}', '😀']);
    for special in escaped {
        for length in 0..40 {
            for after in 0..10 {
                let text = format!("{}{special}{}", "a".repeat(length), "b".repeat(after));
                let map = BTreeMap::from([(&text, &text)]);
                let written = json::to_string(&map).unwrap();
                assert_eq!(written, serde_json::to_string(&map).unwrap());
            }
            let text = special.to_string().repeat(length);
            let written = json::to_string(&text).unwrap();
            assert_eq!(written, serde_json::to_string(&text).unwrap());
        }
    }
}

#[test]
fn number_is_written_as_serde_json_keeps_it() {
    // Keeps all digits if `arbitrary_precision` is enabled.
    for text in ["0.10", "-0", "1E5", "18446744073709551616"] {
        let number: serde_json::Number = serde_json::from_str(text).unwrap();
        let written = json::to_string(&number).unwrap();
        assert_eq!(written, serde_json::to_string(&number).unwrap());
        assert_eq!(
            json::to_raw(&[number]).unwrap().get(),
            format!("[{written}]")
        );
    }
}

fn raw(text: &str) -> Box<RawValue> {
    serde_json::from_str(text).unwrap()
}

/// A result of any type that is the same in all revisions.
struct Anything<T>(T);

impl<T: Serialize> Versioned for Anything<T> {
    fn decode_at(revision: Revision, _: &str) -> Result<Self, VersionError> {
        Err(VersionError::Unmapped {
            kind: "Result",
            revision,
        })
    }

    fn write_at(self, _: Revision, out: &mut Writer<'_>) -> Result<(), VersionError> {
        Ok(out.write(&self.0)?)
    }
}

const INFO: &str = r#"{"name":"n","version":"1"}"#;

/// Returns the result in the response, encoded with the server info.
fn signed(revision: Revision, result: impl Versioned) -> String {
    let (info, mut message) = (raw(INFO), b"before".to_vec());
    rpc::write_result_at(&mut message, &7.into(), result, revision, Some(&info)).unwrap();
    let message = String::from_utf8(message).unwrap();
    let result = message.strip_prefix(r#"before{"jsonrpc":"2.0","id":7,"result":"#);
    result.unwrap().strip_suffix('}').unwrap().to_owned()
}

fn object(text: &str) -> Object {
    json::from_str(text).unwrap()
}

#[test]
fn result_identifies_the_server_exactly_once() {
    let ours = format!(r#""io.modelcontextprotocol/serverInfo":{INFO}"#);
    let theirs = r#""io.modelcontextprotocol/serverInfo":{"name":"other"}"#;
    for (result, expected) in [
        ("{}".to_owned(), format!(r#"{{"_meta":{{{ours}}}}}"#)),
        (
            r#"{"a":[1,{}]}"#.to_owned(),
            format!(r#"{{"a":[1,{{}}],"_meta":{{{ours}}}}}"#),
        ),
        (
            r#"{"_meta":{},"a":1}"#.to_owned(),
            format!(r#"{{"_meta":{{{ours}}},"a":1}}"#),
        ),
        (
            r#"{"a":1,"_meta":{"b":{"c":[]}}}"#.to_owned(),
            format!(r#"{{"a":1,"_meta":{{"b":{{"c":[]}},{ours}}}}}"#),
        ),
        // A server info that the result already has is kept.
        (format!(r#"{{"_meta":{{{theirs}}}}}"#), String::new()),
        (
            format!(r#"{{"_meta":{{"a":{{}},{theirs},"b":[]}},"a":{{}}}}"#),
            String::new(),
        ),
        // A `_meta` that is not an object cannot contain it.
        (r#"{"_meta":null}"#.to_owned(), String::new()),
        (
            r#"{"_meta":[{"a":{}},{}],"b":{}}"#.to_owned(),
            String::new(),
        ),
        // Members with this name elsewhere do not count.
        (
            format!(r#"{{"b":{{"_meta":{{{theirs}}}}},{theirs},"_meta ":{{}}}}"#),
            format!(
                r#"{{"b":{{"_meta":{{{theirs}}}}},{theirs},"_meta ":{{}},"_meta":{{{ours}}}}}"#
            ),
        ),
        (
            format!(r#"{{"_meta":{{"a":{{{theirs}}}}},"c":{{}}}}"#),
            format!(r#"{{"_meta":{{"a":{{{theirs}}},{ours}}},"c":{{}}}}"#),
        ),
    ] {
        let expected = if expected.is_empty() {
            &result
        } else {
            &expected
        };
        assert_eq!(
            &signed(Revision::LATEST, Anything(object(&result))),
            expected
        );
        assert_eq!(
            &signed(Revision::LATEST, Anything(Some(object(&result)))),
            expected
        );
        // The same for a map that is encoded directly.
        let map: BTreeMap<String, Value> = object(&result)
            .iter()
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        let from_map = signed(Revision::LATEST, Anything(map));
        assert_eq!(object(&from_map), object(expected));
        // Older revisions do not have this member.
        assert_eq!(
            signed(Revision::V2025_11_25, Anything(object(&result))),
            result
        );
    }
}

#[test]
fn result_that_is_not_an_object_is_unchanged() {
    for text in ["null", "[]", r#"[{"_meta":{}},{}]"#, r#""{}""#, "1"] {
        let value: Value = json::from_str(text).unwrap();
        assert_eq!(signed(Revision::LATEST, Anything(value)), text);
    }
    // Raw values are not parsed.
    for text in [r#"{ "a": 1 }"#, "{}"] {
        assert_eq!(signed(Revision::LATEST, Anything(raw(text))), text);
    }
    let meta = BTreeMap::from([("_meta", raw(r#"{ "a": 1 }"#))]);
    assert_eq!(
        signed(Revision::LATEST, Anything(meta)),
        r#"{"_meta":{ "a": 1 }}"#
    );
}

#[test]
fn meta_of_content_blocks_is_unchanged() {
    let block = TextContent::new("t").meta(Object::from([("a", 1)]));
    let meta = json::from_object(Object::from([("b", 2)])).unwrap();
    let result = CallToolResult::new([block.into()]).meta(meta);
    let block = r#"{"type":"text","text":"t","_meta":{"a":1}}"#;
    let meta = format!(r#"{{"b":2,"io.modelcontextprotocol/serverInfo":{INFO}}}"#);
    let text = signed(Revision::LATEST, result.clone());
    assert!(text.contains(&format!("[{block}]")), "{text}");
    assert!(text.contains(&format!("\"_meta\":{meta}")), "{text}");
    assert_eq!(text.matches("serverInfo").count(), 1);
    let older = signed(Revision::V2025_11_25, result);
    assert_eq!(
        older,
        format!(r#"{{"content":[{block}],"_meta":{{"b":2}}}}"#)
    );
}

#[test]
fn error_at_a_revision_leaves_no_partial_message() {
    let result = || Anything(BTreeMap::from([(vec![1], 1)]));
    let (id, mut buffer) = (1.into(), b"before".to_vec());
    for revision in [Revision::LATEST, Revision::V2025_11_25] {
        let info = raw(INFO);
        assert!(rpc::write_result_at(&mut buffer, &id, result(), revision, Some(&info)).is_err());
        assert!(rpc::write_request_at(&mut buffer, &id, "m", result(), revision).is_err());
        assert!(rpc::write_notification_at(&mut buffer, "m", result(), revision).is_err());
        assert_eq!(buffer, b"before");
    }
}

#[test]
fn absent_params_are_omitted() {
    let mut buffer = Vec::new();
    let revision = Revision::LATEST;
    rpc::write_notification_at(&mut buffer, "m", None::<Anything<()>>, revision).unwrap();
    rpc::write_notification_at(&mut buffer, "m", Some(Anything("null")), revision).unwrap();
    rpc::write_request_at(
        &mut buffer,
        &1.into(),
        "m",
        Anything(Object::new()),
        revision,
    )
    .unwrap();
    let expected = concat!(
        r#"{"jsonrpc":"2.0","method":"m"}"#,
        r#"{"jsonrpc":"2.0","method":"m","params":"null"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{}}"#,
    );
    assert_eq!(String::from_utf8(buffer).unwrap(), expected);
}

#[test]
fn encoded_text_is_written_in_one_line() {
    let members = BTreeMap::from([("a", Encoded("{\"b\":\n1}")), ("c", Encoded("[]"))]);
    assert_eq!(
        json::to_string(&members).unwrap(),
        r#"{"a":{"b": 1},"c":[]}"#
    );
}
