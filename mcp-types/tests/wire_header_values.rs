//! Values of tool parameters that are repeated in headers.

use mcp_types::headers::{MismatchReason, encode_value};

use crate::wire_header_params::{object, param};

#[test]
fn values_are_converted_to_a_canonical_text() {
    let cases = [
        (r#""us west""#, Some("us west")),
        (r#""""#, Some("")),
        ("42", Some("42")),
        ("-7", Some("-7")),
        ("42.0", Some("42")),
        ("4.2e1", Some("42")),
        ("-0", Some("0")),
        ("9007199254740991", Some("9007199254740991")),
        ("-9007199254740991", Some("-9007199254740991")),
        ("true", Some("true")),
        ("false", Some("false")),
        ("null", None),
    ];
    // The text depends on the value, not on the type in the schema.
    for param in [param("string"), param("integer"), param("boolean")] {
        for (value, text) in cases {
            let arguments = object(&format!(r#"{{"value":{value}}}"#));
            let found = param.value_in(&arguments).unwrap();
            assert_eq!(found.as_deref(), text, "{value}");
            let sent = text.map(encode_value);
            let sent = sent.as_deref();
            assert_eq!(param.matches(sent, Some(&arguments)), Ok(()), "{value}");
        }
    }
}

#[test]
fn value_that_a_header_cannot_represent_is_an_error_on_both_sides() {
    let unfit = [
        "1.5",
        "9007199254740992",
        "-9007199254740992",
        "18446744073709551615",
        "1e300",
        "[1]",
        r#"{"a":1}"#,
    ];
    for value in unfit {
        let arguments = object(&format!(r#"{{"value":{value}}}"#));
        let param = param("integer");
        let error = param.value_in(&arguments).unwrap_err();
        assert!(
            matches!(error.reason(), MismatchReason::Unfit { .. }),
            "{value}"
        );
        assert_eq!(
            param.matches(None::<&str>, Some(&arguments)),
            Err(error.clone()),
            "{value}"
        );
        assert_eq!(
            param.matches(Some(value), Some(&arguments)),
            Err(error),
            "{value}"
        );
    }
}

#[test]
fn integers_are_compared_by_value_and_exactly() {
    let param = param("integer");
    let arguments = object(r#"{"value":42}"#);
    for same in [
        "42",
        "42.0",
        "42.000",
        "4.2e1",
        "4.2E+01",
        "420e-1",
        " 42 ",
        "=?base64?NDI=?=",
    ] {
        assert_eq!(
            param.matches(Some(same), Some(&arguments)),
            Ok(()),
            "{same}"
        );
    }
    let others = [
        "43",
        "-42",
        "42.5",
        "42.00000000000000000000001",
        "042",
        "+42",
        "0x2a",
        "42,",
        "",
        "42 0",
        "NaN",
        "[42]",
        "=?base64?NDIg?=",
        "=?base64?NGUxIA==?=",
        "4.2e",
        "42.",
        "\"42\"",
        "true",
        "420e-2",
        "1e999999999999999999999",
    ];
    for other in others {
        let error = param.matches(Some(other), Some(&arguments)).unwrap_err();
        assert!(
            matches!(error.reason(), MismatchReason::Differs { .. }),
            "{other}: {error}"
        );
    }
    // Strings are not numbers.
    let text = object(r#"{"value":"42"}"#);
    assert!(param.matches(Some("42.0"), Some(&text)).is_err());
    assert!(param.matches(Some("4.2e1"), Some(&text)).is_err());
}

#[test]
fn header_is_required_exactly_if_the_value_is_present() {
    let param = param("string");
    let given = object(r#"{"value":"x"}"#);
    let absent = [None, Some(object("{}")), Some(object(r#"{"value":null}"#))];

    let error = param.matches(None::<&str>, Some(&given)).unwrap_err();
    assert_eq!(error.reason(), &MismatchReason::Missing);
    assert_eq!(error.to_string(), "header mismatch: mcp-param-v is missing");
    for arguments in &absent {
        assert_eq!(param.matches(None::<&str>, arguments.as_ref()), Ok(()));
        let error = param.matches(Some(""), arguments.as_ref()).unwrap_err();
        assert_eq!(error.reason(), &MismatchReason::Unexpected);
    }
    let error = param.matches(["x", "x"], Some(&given)).unwrap_err();
    assert_eq!(error.reason(), &MismatchReason::Repeated);
    let error = param
        .matches(Some("=?base64?eA?="), Some(&given))
        .unwrap_err();
    assert!(matches!(error.reason(), MismatchReason::Invalid(_)));
    let error = param.matches(Some("X"), Some(&given)).unwrap_err();
    assert!(matches!(error.reason(), MismatchReason::Differs { .. }));
}
