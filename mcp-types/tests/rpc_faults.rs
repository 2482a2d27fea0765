//! One invalid message for each error of the envelope, and the code for the response.

use mcp_types::error::Rule;
use mcp_types::id::RequestId;
use mcp_types::json;
use mcp_types::rpc::{self, EnvelopeError, Fault, Message};

fn assert_rejected(text: &str) -> EnvelopeError {
    let error = rpc::parse(text.as_bytes()).expect_err(text);
    assert_eq!(rpc::parse_str(text).expect_err(text), error);
    error
}

/// Checks the error, the code for the response, and whether the id 7 was read.
#[track_caller]
fn check(text: &str, fault: Fault, code: i64, has_id: bool) {
    let error = assert_rejected(text);
    assert_eq!((error.fault(), error.code()), (fault, code), "{text}");
    assert_eq!(
        error.id(),
        has_id.then_some(&RequestId::Number(7)),
        "{text}"
    );
}

/// Checks the members in the given order and in reverse.
#[track_caller]
fn check_orders(members: &[&str], fault: Fault, code: i64, has_id: bool) {
    let mut members = members.to_vec();
    for _ in 0..2 {
        check(&format!("{{{}}}", members.join(",")), fault, code, has_id);
        members.reverse();
    }
}

const VERSION: &str = r#""jsonrpc":"2.0""#;
const ID: &str = r#""id":7"#;
const METHOD: &str = r#""method":"m""#;
const RESULT: &str = r#""result":{}"#;
const ERROR: &str = r#""error":{"code":1,"message":""}"#;

#[test]
fn invalid_json_is_a_parse_error() {
    for text in [
        "{",
        r#"{"id":7"#,
        r#"{"id":7,}"#,
        "nul",
        r#"{"a":"\x"}"#,
        "[1,",
        "{]",
        r#"{"method":"\ud800"}"#,
    ] {
        let error = assert_rejected(text);
        assert!(
            matches!(error.fault(), Fault::Syntax { .. }),
            "{text}: {error}"
        );
        assert_eq!((error.code(), error.id()), (-32700, None));
    }
}

#[test]
fn empty_text_and_byte_order_mark_are_named() {
    for text in ["", " ", "\r\n\t"] {
        check(text, Fault::Empty, -32700, false);
    }
    for text in ["\u{feff}", "\u{feff}[]", "\u{feff}{}"] {
        check(text, Fault::ByteOrderMark, -32700, false);
        let batch = rpc::parse_batch(text.as_bytes(), 10).unwrap_err();
        assert_eq!(batch.fault(), Fault::ByteOrderMark);
    }
    let message = |text| json::from_str::<json::Value>(text).unwrap_err();
    assert_eq!(message("").message(), "text is empty");
    assert_eq!(message("\n").rule(), Rule::Eof);
    assert_eq!(
        message("\u{feff}{}").to_string(),
        "text begins with a byte order mark at line 1 column 1"
    );
    let tool = json::from_str::<mcp_types::Tool>("\u{feff}{}").unwrap_err();
    assert_eq!(tool, message("\u{feff}{}"));
    let tool = json::from_slice::<mcp_types::Tool>(b" ").unwrap_err();
    assert_eq!(tool, message(" "));
}

#[test]
fn invalid_utf8_is_rejected() {
    for bytes in [b"{\"x\":\"\xff\"}".as_slice(), b"\xff", b"{} \xc3"] {
        let error = rpc::parse(bytes).unwrap_err();
        assert!(matches!(error.fault(), Fault::NotUtf8 { .. }), "{error}");
        assert_eq!(error.code(), -32700);
    }
}

#[test]
fn trailing_bytes_are_rejected() {
    for tail in ["x", "{}", ",", "}", "\0"] {
        let text = format!("{{{VERSION},{METHOD}}}{tail}");
        check(&text, Fault::TrailingBytes, -32700, false);
    }
    check("[] 1", Fault::TrailingBytes, -32700, false);
    assert!(rpc::parse_str(&format!(" {{{VERSION},{METHOD}}}\r\n")).is_ok());
}

#[test]
fn array_or_scalar_is_rejected() {
    for text in ["1", "null", "\"x\"", " true "] {
        check(text, Fault::NotAnObject, -32600, false);
    }
    for text in ["[]", "[[]]", r#"["2.0",7,"m"]"#] {
        check(text, Fault::BatchNotAllowed, -32600, false);
    }
}

#[test]
fn missing_version_is_rejected() {
    check_orders(&[ID, METHOD], Fault::MissingVersion, -32600, true);
    check_orders(
        &[r#""JSONRPC":"2.0""#, ID, METHOD],
        Fault::MissingVersion,
        -32600,
        true,
    );
}

#[test]
fn other_version_is_rejected() {
    for version in [
        "\"1.0\"",
        "2.0",
        "\"2\"",
        "null",
        "\"2.0 \"",
        "[\"2.0\"]",
        "\"2.0\\u0000\"",
    ] {
        let version = format!("\"jsonrpc\":{version}");
        check_orders(&[&version, ID, METHOD], Fault::WrongVersion, -32600, true);
    }
}

#[test]
fn message_without_method_result_and_error_is_rejected() {
    check_orders(&[VERSION, ID], Fault::NoKind, -32600, true);
    check_orders(&[VERSION], Fault::NoKind, -32600, false);
    check_orders(
        &[VERSION, ID, r#""Method":"m""#],
        Fault::NoKind,
        -32600,
        true,
    );
    check_orders(
        &[VERSION, ID, r#""RESULT":{}"#],
        Fault::NoKind,
        -32600,
        true,
    );
    check("{}", Fault::MissingVersion, -32600, false);
}

#[test]
fn result_with_error_is_rejected() {
    check_orders(
        &[VERSION, ID, RESULT, ERROR],
        Fault::ResultAndError,
        -32600,
        true,
    );
    check_orders(
        &[VERSION, ID, RESULT, "\"error\":null"],
        Fault::ResultAndError,
        -32600,
        true,
    );
    check_orders(
        &[VERSION, ID, "\"result\":null", ERROR],
        Fault::ResultAndError,
        -32600,
        true,
    );
}

#[test]
fn method_with_result_or_error_is_rejected() {
    for other in [RESULT, ERROR, "\"result\":null"] {
        check_orders(
            &[VERSION, ID, METHOD, other],
            Fault::MethodAndResponse,
            -32600,
            true,
        );
    }
}

#[test]
fn method_that_is_not_a_string_is_rejected() {
    for method in ["1", "null", "{}", "[\"m\"]", "true"] {
        let method = format!("\"method\":{method}");
        check_orders(&[VERSION, ID, &method], Fault::MethodType, -32600, true);
    }
}

#[test]
fn null_id_is_rejected() {
    check_orders(
        &[VERSION, "\"id\":null", METHOD],
        Fault::NullId,
        -32600,
        false,
    );
    check_orders(
        &[VERSION, "\"id\":null", RESULT],
        Fault::NullId,
        -32600,
        false,
    );
}

#[test]
fn fractional_id_is_rejected() {
    for id in ["7.5", "1e-1", "-0.1", "7.0000001"] {
        let id = format!("\"id\":{id}");
        for kind in [METHOD, RESULT, ERROR] {
            check_orders(&[VERSION, &id, kind], Fault::FractionalId, -32600, false);
        }
    }
}

#[test]
fn id_beyond_64_bits_is_rejected() {
    for id in [
        "9223372036854775808",
        "-9223372036854775809",
        "1e30",
        "1e400",
    ] {
        let id = format!("\"id\":{id}");
        check_orders(&[VERSION, &id, METHOD], Fault::IdOutOfRange, -32600, false);
    }
}

#[test]
fn id_of_other_type_is_rejected() {
    for id in ["true", "{}", "[7]", "\"\\udc00\""] {
        let id = format!("\"id\":{id}");
        for kind in [METHOD, RESULT, ERROR] {
            check_orders(&[VERSION, &id, kind], Fault::IdType, -32600, false);
        }
    }
}

#[test]
fn result_without_id_is_rejected() {
    check_orders(&[VERSION, RESULT], Fault::MissingId, -32600, false);
}

#[test]
fn duplicate_method_is_rejected() {
    check_orders(
        &[VERSION, ID, METHOD, r#""method":"n""#],
        Fault::DuplicateMember,
        -32600,
        true,
    );
    let escaped = r#""\u006dethod":"n""#;
    check_orders(
        &[VERSION, ID, METHOD, escaped],
        Fault::DuplicateMember,
        -32600,
        true,
    );
}

#[test]
fn duplicate_id_is_rejected() {
    check_orders(
        &[VERSION, ID, METHOD, r#""id":8"#],
        Fault::DuplicateMember,
        -32600,
        false,
    );
    check_orders(
        &[VERSION, ID, METHOD, ID],
        Fault::DuplicateMember,
        -32600,
        false,
    );
}

#[test]
fn duplicate_of_any_member_is_rejected() {
    for twice in [VERSION, METHOD, RESULT, ERROR, r#""params":{}"#, r#""x":1"#] {
        check_orders(
            &[twice, ID, VERSION, METHOD, twice],
            Fault::DuplicateMember,
            -32600,
            true,
        );
    }
    let many: Vec<_> = (0..1_000).map(|n| format!("\"x{}\":0", n % 999)).collect();
    check(
        &format!("{{{VERSION},{METHOD},{}}}", many.join(",")),
        Fault::DuplicateMember,
        -32600,
        false,
    );
}

#[test]
fn more_than_a_thousand_unknown_members_are_rejected_with_the_id() {
    let unknown = |count: usize| {
        let members: Vec<_> = (0..count).map(|n| format!("\"x{n}\":[{n}]")).collect();
        format!("{{{VERSION},{METHOD},{},{ID}}}", members.join(","))
    };
    let kept = rpc::parse(unknown(1_000).as_bytes()).map(|message| match message {
        Message::Request { extra, .. } => extra.len(),
        _ => 0,
    });
    assert_eq!(kept, Ok(1_000));
    for count in [1_001, 50_000] {
        check(&unknown(count), Fault::TooManyMembers, -32600, true);
    }
}

#[test]
fn params_that_are_not_an_object_are_rejected() {
    for params in ["[]", "1", "\"x\"", "false"] {
        let params = format!("\"params\":{params}");
        check_orders(
            &[VERSION, ID, METHOD, &params],
            Fault::ParamsType,
            -32602,
            true,
        );
        check_orders(
            &[VERSION, METHOD, &params],
            Fault::ParamsType,
            -32600,
            false,
        );
    }
}

#[test]
fn invalid_response_is_reported_as_a_response() {
    for members in [
        ["\"id\":1.5", ERROR],
        ["\"id\":null", RESULT],
        [RESULT, ERROR],
    ] {
        assert!(assert_rejected(&format!("{{{VERSION},{}}}", members.join(","))).is_response());
    }
    assert!(!assert_rejected(&format!("{{{VERSION},{METHOD},{RESULT}}}")).is_response());
    assert!(!assert_rejected(&format!("{{{ID},{METHOD}}}")).is_response());
    assert!(!assert_rejected("{").is_response());
}

#[test]
fn deep_nesting_does_not_lose_the_id() {
    for levels in [200, 500_000] {
        let deep = "[".repeat(levels) + &"]".repeat(levels);
        let text = format!(r#"{{{VERSION},{METHOD},"params":{{"a":{deep}}},{ID}}}"#);
        match rpc::parse_str(&text).unwrap() {
            Message::Request {
                id,
                params: Some(params),
                ..
            } => {
                assert_eq!(id, RequestId::Number(7));
                assert!(mcp_types::json::from_str::<mcp_types::json::Value>(params.get()).is_err());
            }
            other => panic!("{other:?}"),
        }
        check(&deep, Fault::BatchNotAllowed, -32600, false);
    }
}

#[test]
fn errors_do_not_repeat_the_input() {
    for text in [
        "secret",
        r#"{"secret"#,
        r#"{"jsonrpc":"secret"}"#,
        r#"{"secret":1,"secret":2}"#,
    ] {
        assert!(!assert_rejected(text).to_string().contains("secret"));
        assert!(!format!("{:?}", assert_rejected(text)).contains("secret"));
    }
}
