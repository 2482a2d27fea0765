//! [`repair`]: messages whose envelope deviates from JSON-RPC, but whose meaning is clear.

use mcp_types::json::{self, Map};
use mcp_types::rpc::{EnvelopeError, ErrorObject, Fault, INTERNAL_ERROR};
use serde_json::value::RawValue;

use super::surrogates;

/// The byte order mark, in UTF-8.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Returns the message without one of these faults, or `None` if it has another one:
///
/// * It begins with byte order marks.
/// * It is not UTF-8. The invalid bytes are replaced by U+FFFD.
/// * It is a response with a `result` and an `error` of which one is `null`, or without a valid
///   `jsonrpc`. Servers with an implementation of JSON-RPC 1.0 send both.
///
/// The result of a tool that has run would otherwise be lost.
#[cold]
pub(crate) fn repair(fault: &EnvelopeError, text: &[u8]) -> Option<Vec<u8>> {
    match fault.fault() {
        Fault::NotUtf8 { .. } => Some(String::from_utf8_lossy(text).into_owned().into_bytes()),
        Fault::ByteOrderMark => {
            let mut rest = text.strip_prefix(BOM)?;
            while let Some(after) = rest.strip_prefix(BOM) {
                rest = after;
            }
            Some(rest.to_vec())
        }
        Fault::ResultAndError | Fault::MissingVersion | Fault::WrongVersion
            if fault.is_response() =>
        {
            let mut members: Map<Box<RawValue>> = serde_json::from_slice(text).ok()?;
            if members.contains_key("result") && members.contains_key("error") {
                let is_null = |value: &RawValue| value.get() == "null";
                let result_is_null = members.get("result").is_some_and(|value| is_null(value));
                let error_is_null = members.get("error").is_some_and(|value| is_null(value));
                match (result_is_null, error_is_null) {
                    (_, true) => members.remove("error"),
                    (true, false) => members.remove("result"),
                    (false, false) => return None,
                };
            }
            members.insert("jsonrpc", json::to_raw("2.0").ok()?);
            serde_json::to_vec(&members).ok()
        }
        _ => None,
    }
}

/// Reads the error object of a response. If it is malformed, its code is the number that `code`
/// contains, or -32603, and its message is `message`, or the whole error as JSON.
pub(crate) fn error_object(text: &str) -> ErrorObject {
    json::from_str(text).unwrap_or_else(|fault| {
        tracing::warn!(%fault, "the server answered with a malformed error");
        let replaced = surrogates::replace(text);
        let text = replaced.as_ref().map_or(text, |(text, _)| text);
        let members: Map<Box<RawValue>> = serde_json::from_str(text).unwrap_or_default();
        let string = |name: &str| {
            let value = members.get(name)?.get();
            serde_json::from_str::<String>(value).ok()
        };
        let number = members
            .get("code")
            .map(|code| code.get())
            .and_then(|code| code.trim_matches('"').parse::<f64>().ok());
        #[expect(clippy::cast_possible_truncation, reason = "codes are small")]
        let code = number.map_or(INTERNAL_ERROR, |code| code as i64);
        let message = string("message")
            .or_else(|| serde_json::from_str(text).ok())
            .unwrap_or_else(|| text.chars().take(SHOWN).collect());
        let data = members.get("data");
        let data = data.and_then(|data| json::from_str(data.get()).ok());
        let mut error = ErrorObject::new(code, message);
        error.data = data;
        error
    })
}

/// The maximum number of characters of a malformed error that become its message.
const SHOWN: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_errors_keep_what_can_be_read() {
        for (text, code, message) in [
            (r#"{"code":-1,"message":"no"}"#, -1, "no"),
            (r#"{"code":"-32001","message":"no"}"#, -32001, "no"),
            (r#"{"code":"ENOENT","message":"no"}"#, INTERNAL_ERROR, "no"),
            (r#"{"code":404.0,"message":"no"}"#, 404, "no"),
            (r#"{"message":"no"}"#, INTERNAL_ERROR, "no"),
            (r#"{"code":5}"#, 5, r#"{"code":5}"#),
            (
                r#"{"code":5,"message":null}"#,
                5,
                r#"{"code":5,"message":null}"#,
            ),
            (r#"{"code":5,"message":"\ud800"}"#, 5, "\u{fffd}"),
            (r#""no""#, INTERNAL_ERROR, "no"),
            ("null", INTERNAL_ERROR, "null"),
        ] {
            let error = error_object(text);
            assert_eq!((error.code, &*error.message), (code, message), "{text}");
        }
        let error = error_object(r#"{"code":"7","message":"no","data":{"path":"/x"}}"#);
        assert!(
            error
                .data
                .is_some_and(|data| data.to_string().contains("/x"))
        );
    }
}
