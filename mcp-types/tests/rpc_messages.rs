//! Valid envelopes, batches, and encoding.

use std::borrow::Cow;
use std::collections::BTreeMap;

use mcp_types::cursor::Cursor;
use mcp_types::id::{ProgressToken, RequestId};
use mcp_types::json::{self, Object, Value};
use mcp_types::rpc::{self, ErrorObject, Fault, Incoming, Message};
use serde_json::value::RawValue;

fn parse(text: &str) -> Message<'_> {
    rpc::parse(text.as_bytes()).expect(text)
}

#[test]
fn members_are_accepted_in_any_order() {
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a": 1.0}}"#,
        r#" { "params" : {"a": 1.0} , "method" : "tools/call" , "id" : 1 , "jsonrpc" : "2.0" } "#,
        r#"{"\u0069d":1,"\u0070arams":{"a": 1.0},"jsonrpc":"\u0032.0","method":"tools\/call"}"#,
    ] {
        match parse(text) {
            Message::Request {
                id,
                method,
                params: Some(params),
                extra,
            } => {
                assert_eq!(
                    (id, &*method, params.get()),
                    (1.into(), "tools/call", r#"{"a": 1.0}"#)
                );
                assert!(extra.is_empty());
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn method_is_borrowed_unless_it_has_escapes() {
    let lent = parse(r#"{"jsonrpc":"2.0","method":"é/日本"}"#);
    let Message::Notification {
        method: Cow::Borrowed("é/日本"),
        params: None,
        ..
    } = lent
    else {
        panic!("{lent:?}");
    };
    let copied = parse(r#"{"jsonrpc":"2.0","method":"a\"\\\u00e9\ud83d\ude00","params":null}"#);
    assert_eq!(copied.method(), Some("a\"\\é😀"));
    assert!(matches!(copied, Message::Notification { params: None, .. }));
}

#[test]
fn ids_are_kept_unchanged() {
    for (text, id) in [
        ("0", RequestId::from(0)),
        ("-0", 0.into()),
        ("1.0", 1.into()),
        ("1e2", 100.into()),
        ("9223372036854775807", i64::MAX.into()),
        ("-9223372036854775808", i64::MIN.into()),
        (r#""0""#, "0".into()),
        (r#""""#, "".into()),
        (r#""\u0000\n""#, "\0\n".into()),
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":{text},"method":"m"}}"#);
        assert_eq!(parse(&message).id(), Some(&id), "{text}");
        assert_eq!(json::from_str::<RequestId>(text).unwrap(), id);
        assert_eq!(
            json::from_value::<RequestId>(json::from_str(text).unwrap()).unwrap(),
            id
        );
    }
    assert_ne!(RequestId::from(0), RequestId::from("0"));
}

#[test]
fn ids_of_other_types_are_rejected() {
    for (text, message) in [
        ("1.5", "expected a string or an integer, not a fraction"),
        ("9223372036854775808", "integer exceeds 64 bits"),
        (
            "null",
            "invalid type: null, expected a string or an integer",
        ),
        (
            "true",
            "invalid type: boolean `true`, expected a string or an integer",
        ),
        (
            "[1]",
            "invalid type: sequence, expected a string or an integer",
        ),
    ] {
        let error = json::from_str::<Vec<ProgressToken>>(&format!("[{text}]")).unwrap_err();
        assert_eq!(
            (error.message(), error.path().to_string()),
            (message, "$[0]".to_owned())
        );
    }
    assert!(json::from_str::<Cursor>("1").is_err());
    assert_eq!(json::from_str::<Cursor>("\"\"").unwrap(), Cursor::default());
}

#[test]
fn results_and_errors_are_distinguished() {
    let text = r#"{"jsonrpc":"2.0","id":"x","result":null}"#;
    assert!(matches!(parse(text), Message::Result { result, .. } if result.get() == "null"));
    for id in [r#","id":null"#, ""] {
        let text = format!(r#"{{"jsonrpc":"2.0","error":{{"code":1}}{id}}}"#);
        assert!(matches!(parse(&text), Message::Error { id: None, .. }));
    }
    let text = r#"{"jsonrpc":"2.0","id":3,"error":{"code":1.0,"message":"m","data":null}}"#;
    let Message::Error {
        id: Some(RequestId::Number(3)),
        error,
        ..
    } = parse(text)
    else {
        panic!("{text}");
    };
    let error: ErrorObject = json::from_str(error.get()).unwrap();
    assert_eq!(error, ErrorObject::new(1, "m").data(Value::Null));
    let error = json::from_str::<ErrorObject>(r#"{"code":1.5,"message":""}"#).unwrap_err();
    assert_eq!(error.path().to_string(), "$.code");
}

#[test]
fn unknown_members_are_kept() {
    let text = r#"{"Method":"n","jsonrpc":"2.0","method":"m","x\n":{"a" :1},"ID":2}"#;
    let message = parse(text);
    assert_eq!(message.method(), Some("m"));
    assert_eq!(message.id(), None);
    let extra: Vec<_> = message
        .extra()
        .iter()
        .map(|(name, raw)| (&**name, raw.get()))
        .collect();
    assert_eq!(
        extra,
        [("Method", "\"n\""), ("x\n", r#"{"a" :1}"#), ("ID", "2")]
    );
}

#[test]
fn batches_are_bounded() {
    const ONE: &str = r#"{"jsonrpc":"2.0","method":"m"}"#;
    let batch = |count: usize| format!("[{}]", vec![ONE; count].join(","));
    let count = |text: &str, limit| match rpc::parse_batch(text.as_bytes(), limit) {
        Ok(Incoming::Batch(messages)) => Ok(messages.iter().filter(|one| one.is_ok()).count()),
        Ok(Incoming::Single(_)) => Ok(0),
        Err(error) => Err(error.fault()),
    };
    assert_eq!(count(ONE, 0), Ok(0));
    assert_eq!(count(&batch(10_000), 10_000), Ok(10_000));
    assert_eq!(count(&batch(10_001), 10_000), Err(Fault::BatchTooLong));
    assert_eq!(count("[]", 10), Err(Fault::EmptyBatch));
    assert_eq!(count("[1]]", 10), Err(Fault::TrailingBytes));
    assert!(matches!(count("[{},", 10), Err(Fault::Syntax { .. })));
    assert!(matches!(count("[{]", 10), Err(Fault::Syntax { .. })));
}

#[test]
fn invalid_element_does_not_invalidate_the_batch() {
    let text = br#"[1,{"jsonrpc":"2.0","id":1,"method":"m"},[],{"jsonrpc":"2.0","id":2}]"#;
    let Ok(Incoming::Batch(messages)) = rpc::parse_batch(text, 10) else {
        panic!("a batch");
    };
    let faults: Vec<_> = messages
        .iter()
        .map(|one| one.as_ref().err().map(rpc::EnvelopeError::fault))
        .collect();
    let expected = [
        Some(Fault::NotAnObject),
        None,
        Some(Fault::BatchNotAllowed),
        Some(Fault::NoKind),
    ];
    assert_eq!(faults, expected);
    let id = messages
        .last()
        .and_then(|one| one.as_ref().err()?.id().cloned());
    assert_eq!(id, Some(2.into()));
}

#[test]
fn messages_are_written_as_one_line() {
    let mut buffer = Vec::new();
    let mut written = |write: &dyn Fn(&mut Vec<u8>) -> serde_json::Result<()>| {
        buffer.clear();
        write(&mut buffer).expect("written");
        assert!(rpc::parse(&buffer).is_ok());
        String::from_utf8(buffer.clone()).expect("text")
    };
    let params = Object::from([("a\nb", "\n")]);
    assert_eq!(
        written(&|buffer| rpc::write_request(buffer, &7.into(), "m", Some(&params))),
        r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"a\nb":"\n"}}"#
    );
    assert_eq!(
        written(&|buffer| rpc::write_notification(buffer, "é\"", None::<&Object>)),
        r#"{"jsonrpc":"2.0","method":"é\""}"#
    );
    assert_eq!(
        written(&|buffer| rpc::write_result(buffer, &"0".into(), &params)),
        r#"{"jsonrpc":"2.0","id":"0","result":{"a\nb":"\n"}}"#
    );
    assert_eq!(
        written(&|buffer| rpc::write_error(buffer, None, &ErrorObject::parse_error("no"))),
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#
    );
}

#[test]
fn line_breaks_in_raw_values_are_replaced() {
    let raw = "{\"a\":\r\n{\"jsonrpc\":\"2.0\",\"method\":\"smuggled\"}\n}";
    let raw: Box<RawValue> = serde_json::from_str(raw).unwrap();
    let mut buffer = Vec::new();
    rpc::write_request(&mut buffer, &1.into(), "m", Some(&raw)).unwrap();
    assert!(!buffer.contains(&b'\n') && !buffer.contains(&b'\r'));
    assert!(rpc::parse(&buffer).is_ok());
}

#[test]
fn failed_write_leaves_no_partial_message() {
    let mut buffer = b"before".to_vec();
    let unwritable = BTreeMap::from([((1, 2), 3)]);
    assert!(rpc::write_result(&mut buffer, &1.into(), &unwritable).is_err());
    assert_eq!(buffer, b"before");
}
