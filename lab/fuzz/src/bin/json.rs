//! JSON text: our reader and that of `serde_json` agree about every text, and nothing is lost.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use mcp_types::json::{self, NESTING_LIMIT, Value};
use serde::de::IgnoredAny;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Corpus::Reject;
    };
    let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
    // `serde_json` has no limit for what it skips.
    if let Err(error) = json::from_str::<IgnoredAny>(text) {
        let is_deep = text.matches(['[', '{']).count() > NESTING_LIMIT;
        assert!(!is_json || is_deep, "{error}");
    } else {
        assert!(is_json);
    }
    let ours = json::from_str::<serde_json::Value>(text);
    let theirs = serde_json::from_str::<serde_json::Value>(text);
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs),
        (Err(_), Err(_)) => {}
        (ours, theirs) => panic!("{ours:?}, {theirs:?}"),
    }
    let Ok(value) = json::from_str::<Value>(text) else {
        return Corpus::Keep;
    };
    let written = value.to_string();
    assert_eq!(json::from_str::<Value>(&written).as_ref(), Ok(&value));
    // Apart from white space and escapes, the text is the same.
    if !text.contains(['\\', ' ', '\n', '\r', '\t']) {
        assert_eq!(written, text);
    }
    Corpus::Keep
});
