//! The reader of JSON text agrees with that of `serde_json` about every text.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::ops::{Bound, Range};

use mcp_types::error::ErrorKind;
use mcp_types::json;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;

/// Asserts that both readers accept a text with the same value, or reject it. A text that is not
/// JSON has the same error.
fn agree<T: DeserializeOwned + PartialEq + Debug>(text: &str) {
    let theirs = serde_json::from_str::<T>(text);
    match (json::from_str::<T>(text), theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{text}"),
        (Err(ours), Err(theirs)) => {
            let is_syntax = serde_json::from_str::<IgnoredAny>(text).is_err();
            assert_eq!(
                ours.kind() != ErrorKind::Data,
                is_syntax,
                "{text}: {ours}, {theirs}"
            );
        }
        (ours, theirs) => panic!("{text}: {ours:?}, {theirs:?}"),
    }
}

fn agree_in_all_types(text: &str) {
    agree::<serde_json::Value>(text);
    agree::<String>(text);
    agree::<Option<bool>>(text);
    agree::<Vec<f64>>(text);
    agree::<Vec<f32>>(text);
    agree::<(u8, i128)>(text);
    agree::<Vec<u64>>(text);
    agree::<BTreeMap<String, serde_json::Value>>(text);
    // Enums and structs, for which `serde` has implementations of its own.
    agree::<Result<u8, String>>(text);
    agree::<HashMap<String, Bound<i64>>>(text);
    agree::<Vec<Result<Bound<f64>, char>>>(text);
    agree::<Range<Option<i32>>>(text);
    agree::<()>(text);
    let raw = |text: Result<Box<RawValue>, String>| text.map(|raw| raw.get().to_owned());
    let ours = raw(json::from_str(text).map_err(|error| error.to_string()));
    let theirs = raw(serde_json::from_str(text).map_err(|error| error.to_string()));
    assert_eq!(ours.ok(), theirs.ok(), "{text}");
}

/// Parts of texts. Most sequences of them are no JSON.
const PARTS: [&str; 58] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    " ",
    "\n",
    "\t",
    "null",
    "true",
    "false",
    "nul",
    "0",
    "-",
    "1",
    "12",
    ".",
    "5",
    "e",
    "E",
    "+",
    "-1",
    "0.5",
    "1e9",
    "1e999",
    "01",
    "-0",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "\"a\"",
    "\"a\":",
    "\"\"",
    "\\n",
    "\\u0041",
    "\\ud83d\\ude00",
    "\\ud83d",
    "\\x",
    "\u{0}",
    "\u{1f}",
    "é",
    "字",
    "a",
    "\"b\":",
    "\"Unbounded\"",
    "\"Ok\":",
    "\"Included\":",
    "[1,\"x\"]",
    "{\"Ok\":1}",
    "{\"start\":1,\"end\":null}",
    "\"a long string without escapes, of more than 32 bytes\"",
    "[[[[",
    "]]]]",
    "\r",
];

fn texts() -> impl Strategy<Value = String> {
    vec(select(&PARTS[..]), 0..12).prop_map(|parts| parts.concat())
}

/// Texts of values, with one part of them replaced.
fn almost() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        select(&PARTS[..]).prop_map(str::to_owned),
        any::<f64>().prop_map(|number| format!("{number:e}")),
        any::<f32>().prop_map(|number| format!("{}", f64::from(number) * 1.000_000_06)),
        any::<i128>().prop_map(|number| number.to_string()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    leaf.prop_recursive(5, 30, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|all| format!("[{}]", all.join(", "))),
            vec(("[a-c]{0,2}", inner), 0..4).prop_map(|all| {
                let members = all
                    .iter()
                    .map(|(name, value)| format!("\"{name}\" :{value}"));
                format!("{{ {} }}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn parts_in_any_order(text in texts()) {
        agree_in_all_types(&text);
    }

    #[test]
    fn values_with_faults(text in almost()) {
        agree_in_all_types(&text);
    }

    #[test]
    fn any_characters(text in any::<String>()) {
        agree_in_all_types(&text);
        agree_in_all_types(&serde_json::to_string(&text).unwrap());
    }
}

#[test]
fn every_part_alone_and_every_pair() {
    for first in PARTS {
        agree_in_all_types(first);
        for second in PARTS {
            agree_in_all_types(&format!("{first}{second}"));
            agree_in_all_types(&format!("[{first}{second}]"));
            agree_in_all_types(&format!("{{\"a\":{first}{second}}}"));
            agree_in_all_types(&format!("\"{first}{second}\""));
        }
    }
}

#[test]
fn nesting_is_limited_in_the_same_way() {
    for depth in [1, 126, 127, 128, 129, 100_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = format!("{}0{}", open.repeat(depth), close.repeat(depth));
            let ours = json::from_str::<serde_json::Value>(&text);
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            assert_eq!(ours.is_ok(), theirs.is_ok(), "{depth}");
            // What is skipped is not decoded, but is bounded, too.
            let skipped = json::from_str::<IgnoredAny>(&text);
            assert_eq!(skipped.is_ok(), depth <= json::NESTING_LIMIT, "{depth}");
        }
    }
}

/// The memory for a string with escapes is known in advance only if the string is short.
#[test]
fn strings_with_escapes_of_any_length() {
    for length in (0..40).chain(1000..1050).chain(2040..2060) {
        for escape in ["\\n", "\\u00e9", "\\ud83d\\ude00", "\\\"", "é", "\\"] {
            let plain = "a".repeat(length);
            agree::<String>(&format!("\"{plain}{escape}\""));
            agree::<String>(&format!("\"{escape}{plain}{escape}b{escape}\""));
            agree::<String>(&format!("\"{escape}{plain}"));
        }
        agree::<String>(&format!("\"{}\"", "\\u0041".repeat(length)));
    }
}
