//! Headers that repeat parts of a body: encoded values can be decoded, and headers written by the
//! client pass the checks of the server. The first line is the value of a header, the second a
//! tool's schema, the third the arguments.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_types::headers::{
    ANNOTATION, check_method, check_name, check_version, decode_value, encode_value, header_params,
};
use mcp_types::json::{self, Object, Value};

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (value, schema, arguments) = (line(), line(), line());

    for text in [value, arguments] {
        if let Ok(text) = std::str::from_utf8(text) {
            round(text);
        }
    }
    if let Ok(text) = decode_value(value) {
        check_name(Some(value), &text).expect("the decoded value matches the text");
        round(&text);
    }
    let _ = check_method(Some(value), "tools/call");
    let _ = check_version([value, value], "2026-07-28").expect_err("of two, none counts");

    let (Ok(schema), Ok(arguments)) = (
        json::from_slice::<Object>(schema),
        json::from_slice::<Object>(arguments),
    ) else {
        return;
    };
    let params = match header_params(&schema) {
        Ok(params) => params,
        Err(error) => {
            assert!(error.to_string().contains(&error.path().to_string()));
            return;
        }
    };
    for param in &params {
        assert!(has_header_mark(&schema), "the mark is found");
        match param.value_in(&arguments) {
            Ok(Some(text)) => {
                let header = encode_value(&text);
                let sent = Some(header.as_bytes());
                param
                    .matches(sent, Some(&arguments))
                    .expect("the header matches the argument");
                param.matches(sent, None).expect_err("the body has none");
                param
                    .matches(None::<&[u8]>, Some(&arguments))
                    .expect_err("the header is missing");
            }
            Ok(None) => {
                param
                    .matches(None::<&[u8]>, Some(&arguments))
                    .expect("both are absent");
                param
                    .matches(Some(value), Some(&arguments))
                    .expect_err("the body has none");
            }
            Err(_) => {
                param
                    .matches(Some(value), Some(&arguments))
                    .expect_err("the value cannot be encoded");
            }
        }
    }
});

fn round(text: &str) {
    let value = encode_value(text);
    let safe = |byte: u8| matches!(byte, b' '..=b'~');
    assert!(value.bytes().all(safe), "{value:?}");
    let back = decode_value(value.as_bytes()).expect("an encoded value can be decoded");
    assert_eq!(back, text);
    check_name(Some(value.as_bytes()), text).expect("the decoded value is the original");
}

/// Returns `true` if a schema marks any of its properties for a header.
fn has_header_mark(schema: &Object) -> bool {
    let mut open: Vec<Value> = vec![Value::Object(schema.clone())];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(object) => {
                if object.contains_key(ANNOTATION) {
                    return true;
                }
                open.extend(object.values().cloned());
            }
            Value::Array(elements) => open.extend(elements),
            _ => {}
        }
    }
    false
}
