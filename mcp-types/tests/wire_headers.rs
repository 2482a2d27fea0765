//! Header values, and headers that repeat parts of the body.

use mcp_types::Revision;
use mcp_types::headers::{
    self, HeaderValueError, MismatchReason, check_method, check_name, check_version, decode_value,
    encode_value, name_member,
};
use proptest::prelude::*;
use serde_json::Value;
use std::borrow::Cow;
use std::path::Path;

#[test]
fn unsafe_values_are_encoded() {
    let cases = [
        ("us-west1", "us-west1"),
        ("us west 1", "us west 1"),
        ("", ""),
        ("!~", "!~"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        (" x", "=?base64?IHg=?="),
        ("x ", "=?base64?eCA=?="),
        (" ", "=?base64?IA==?="),
        ("a\tb", "=?base64?YQli?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("a\r\nb", "=?base64?YQ0KYg==?="),
        ("\u{7f}", "=?base64?fw==?="),
        ("\0", "=?base64?AA==?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
        ("=?base64?x", "=?base64?x"),
        ("x?=", "x?="),
        ("=?BASE64?x?=", "=?BASE64?x?="),
    ];
    for (text, value) in cases {
        assert_eq!(encode_value(text), value, "{text:?}");
        assert_eq!(
            decode_value(value.as_bytes()).as_deref(),
            Ok(text),
            "{value:?}"
        );
    }
}

#[test]
fn values_are_decoded_strictly() {
    use HeaderValueError::{Base64, Character, NotUtf8};
    let cases: &[(&[u8], Result<&str, HeaderValueError>)] = &[
        (b"=?base64?SGVsbG8=?=", Ok("Hello")),
        (b"=?base64??=", Ok("")),
        (b" \t x \t", Ok("x")),
        (b" =?base64?SGVsbG8=?= ", Ok("Hello")),
        (b"a\tb", Ok("a\tb")),
        // A value without both markers is returned unchanged.
        (b"SGVsbG8=", Ok("SGVsbG8=")),
        (b"=?base64?SGVsbG8=", Ok("=?base64?SGVsbG8=")),
        (b"SGVsbG8=?=", Ok("SGVsbG8=?=")),
        (b"=?Base64?SGVsbG8=?=", Ok("=?Base64?SGVsbG8=?=")),
        (b"=?base64?=", Ok("=?base64?=")),
        (b"=?base64?SGVsbG8?=", Err(Base64)),
        (b"=?base64?SGVs!!!bG8=?=", Err(Base64)),
        (b"=?base64?SGVsbG8==?=", Err(Base64)),
        // The unused bits of the last character are not zero.
        (b"=?base64?SGVsbG9=?=", Err(Base64)),
        (b"=?base64?_-8=?=", Err(Base64)),
        (b"=?base64?SGVs bG8=?=", Err(Base64)),
        (b"=?base64?/w==?=", Err(NotUtf8)),
        (b"a\nb", Err(Character { at: 1 })),
        (b"ab\0", Err(Character { at: 2 })),
        ("é".as_bytes(), Err(Character { at: 0 })),
        (b"\xFF", Err(Character { at: 0 })),
        (b"\x7f", Err(Character { at: 0 })),
    ];
    for (value, text) in cases {
        let shown = String::from_utf8_lossy(value);
        assert_eq!(
            decode_value(value).as_deref(),
            text.as_ref().map(|text| *text),
            "{shown:?}"
        );
    }
}

proptest! {
    #[test]
    fn any_text_survives_a_header(text in "(.|[\r\n\t\0])*|=\\?base64\\?.*\\?=| .*|.* ") {
        let value = encode_value(&text);
        prop_assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{}", value);
        prop_assert_eq!(value.trim(), &*value);
        prop_assert_eq!(decode_value(value.as_bytes()), Ok(Cow::from(&text)));
    }

    #[test]
    fn decoding_a_header_value_never_panics(value in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Ok(text) = decode_value(&value) {
            let again = encode_value(&text);
            prop_assert_eq!(decode_value(again.as_bytes()), Ok(Cow::from(&*text)));
        }
    }
}

#[test]
fn methods_and_versions_are_compared_without_decoding() {
    assert_eq!(check_method(Some("tools/list"), "tools/list"), Ok(()));
    assert_eq!(check_method(Some(" tools/list "), "tools/list"), Ok(()));
    assert_eq!(check_version(Some(b"2026-07-28"), "2026-07-28"), Ok(()));

    let upper = check_method(Some("TOOLS/LIST"), "tools/list").unwrap_err();
    assert_eq!(upper.header(), headers::METHOD);
    assert_eq!(
        upper.to_string(),
        "header mismatch: mcp-method is \"TOOLS/LIST\", but the body has \"tools/list\""
    );
    // These two headers are never encoded.
    let encoded = encode_value("é");
    let error = check_method(Some(&*encoded), "é").unwrap_err();
    assert!(
        matches!(error.reason(), MismatchReason::Differs { .. }),
        "{error}"
    );

    let missing = check_version(None::<&str>, "2026-07-28").unwrap_err();
    assert_eq!(
        missing.to_string(),
        "header mismatch: mcp-protocol-version is missing"
    );
    let invalid = check_version(Some("2026\u{2d0}"), "2026-07-28").unwrap_err();
    assert_eq!(
        invalid.to_string(),
        "header mismatch: mcp-protocol-version has no valid value: invalid character at byte 4"
    );
    assert!(std::error::Error::source(&invalid).is_none());
}

#[test]
fn names_are_decoded_and_compared() {
    assert_eq!(check_name(Some("echo"), "echo"), Ok(()));
    assert_eq!(check_name(Some(&*encode_value("écho")), "écho"), Ok(()));
    // A value may be encoded although that is not necessary.
    assert_eq!(check_name(Some("=?base64?ZWNobw==?="), "echo"), Ok(()));
    let error = check_name(Some("=?base64?ZWNobw?="), "echo").unwrap_err();
    assert_eq!(
        error.reason(),
        &MismatchReason::Invalid(HeaderValueError::Base64)
    );
    let error = check_name(Some("Echo"), "echo").unwrap_err();
    assert_eq!(error.header(), headers::NAME);
}

#[test]
fn second_value_is_rejected_even_if_it_is_equal() {
    let error = check_name(["echo", "echo"], "echo").unwrap_err();
    assert_eq!(error.reason(), &MismatchReason::Repeated);
    assert_eq!(
        error.to_string(),
        "header mismatch: mcp-name is present more than once"
    );
}

#[test]
fn errors_shorten_and_escape_values() {
    let long = "x".repeat(10_000);
    let error = check_name(Some(&*long), "a\r\nb\u{1b}[31m\u{202e}").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "header mismatch: mcp-name is \"{}…\", but the body has \"a\\r\\nb\\u{{1b}}[31m\\u{{202e}}\"",
            "x".repeat(32)
        )
    );
}

#[test]
fn name_member_is_known_for_each_method() {
    let cases = [
        ("tools/call", Some("name")),
        ("prompts/get", Some("name")),
        ("resources/read", Some("uri")),
        ("tasks/get", Some("taskId")),
        ("tasks/update", Some("taskId")),
        ("tasks/cancel", Some("taskId")),
        ("tools/list", None),
        ("Tools/Call", None),
    ];
    for (method, member) in cases {
        assert_eq!(name_member(method), member, "{method}");
    }
}

/// The proposed annotations of the newest schema say the same as the code.
#[test]
fn name_member_is_what_the_annotations_say() {
    let revision = Revision::LATEST.as_str();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let file = root.join(format!("schema/annotations/{revision}.json"));
    // There are annotations of one revision only.
    let Ok(text) = std::fs::read_to_string(file) else {
        return;
    };
    let annotations: Value = serde_json::from_str(&text).unwrap();
    let changes = annotations["errata"].as_array().unwrap().iter();
    let changes: Vec<&Value> = changes
        .flat_map(|part| part["changes"].as_array().unwrap())
        .collect();
    for message in Revision::LATEST.messages() {
        let at = format!("/{}/x-message", message.name);
        let about = changes.iter().find(|change| change["at"] == at);
        let header = about.and_then(|about| about["now"]["header"].as_str());
        let member = header.map(|at| at.rsplit('/').next().unwrap());
        if !message.method.starts_with("tasks/") {
            assert_eq!(name_member(message.method), member, "{}", message.method);
        }
    }
}
