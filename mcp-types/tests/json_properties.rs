//! Properties of values, errors and envelopes over arbitrary input.

use mcp_types::error::{DecodeError, Path, Segment};
use mcp_types::json::{self, Members, Number, Object, Value};
use mcp_types::rpc;
use proptest::prelude::*;
use serde::de::{Deserialize as _, Error as _, IgnoredAny};

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Few digits: without `float_roundtrip`, serde_json parses some floats with a wrong last
        // bit.
        (-1_000_000_i32..1_000_000)
            .prop_filter_map("finite", |n| { Some(Value::from(f64::from(n) / 1024.0)) }),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..20)
                .prop_map(|members| Value::from(members.into_iter().collect::<Object>())),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{0,2}", ".{0,4}", "[$ ().\\[\\]'\\\\at]{0,12}"]
}

/// Generates texts that are almost messages.
fn message() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        " ",
        "\"",
        "\\",
        "\"jsonrpc\"",
        "\"2.0\"",
        "\"id\"",
        "1",
        "\"method\"",
        "\"params\"",
        "{}",
        "\"result\"",
        "\"error\"",
        "null",
        "-",
        "0",
        ".",
        "e",
        "\\u00",
        "\u{0}",
        "é",
        r#""jsonrpc":"2.0","#,
        r#""id":1,"#,
        r#""method":"m","#,
        r#""params":{}"#,
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// The text of a number, most often a short one.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,6})\\.0{0,4}[0-9]{1,9}",
        "-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?",
    ]
}

proptest! {
    #[test]
    fn numbers_keep_their_digits_and_their_value(text in number()) {
        let number: Number = json::from_str(&text)?;
        prop_assert_eq!(number.to_string(), text.clone());
        prop_assert_eq!(json::to_string(&number)?, text.clone());
        let float: f64 = text.parse()?;
        prop_assert_eq!(number.as_f64().map(f64::to_bits), Some(float.to_bits()));
        // However it was made, a number with the same digits is the same.
        let same = Number::from(float);
        prop_assert_eq!(same == number, same.to_string() == text);
    }

    #[test]
    fn encoding_and_decoding_is_the_identity(value in value()) {
        let text = value.to_string();
        let read: Value = json::from_str(&text)?;
        prop_assert_eq!(&read, &value);
        prop_assert_eq!(read.to_string(), text.clone());
        prop_assert_eq!(json::from_value_ref::<Value>(&value)?.to_string(), text.clone());
        prop_assert_eq!(json::to_value(&value)?.to_string(), text.clone());
        prop_assert_eq!(format!("{value:#}"), serde_json::to_string_pretty(&value)?);
        let theirs: serde_json::Value = serde_json::from_str(&text)?;
        prop_assert_eq!(&value, &theirs);
        prop_assert_eq!(serde_json::Value::deserialize(&value)?, theirs.clone());
        prop_assert_eq!(Value::from(theirs), value.clone());
        prop_assert_eq!(json::from_value::<Value>(value)?.to_string(), text);
    }

    #[test]
    fn objects_behave_like_maps(
        members in prop::collection::vec((name(), any::<i32>()), 0..40),
        removed in name(),
    ) {
        let mut object: Object = members.iter().map(|(name, n)| (name, *n)).collect();
        let mut map: std::collections::BTreeMap<_, _> = members.iter().cloned().collect();
        prop_assert_eq!(object.len(), map.len());
        prop_assert_eq!(object.duplicate(), None);
        prop_assert_eq!(object.remove(&removed), map.remove(&removed).map(Value::from));
        prop_assert!(object.iter().all(|(name, value)| *value == map[name]));
        let list: Vec<(String, Value)> =
            members.iter().map(|(name, n)| (name.clone(), Value::from(*n))).collect();
        let unique = members.iter().enumerate().all(|(at, (name, _))| {
            members.iter().take(at).all(|(other, _)| other != name)
        });
        prop_assert_eq!(Object::deserialize(Members::from(list)).is_ok(), unique);
    }

    #[test]
    fn paths_survive_as_text(
        steps in prop::collection::vec(
            prop_oneof![name().prop_map(Segment::Member), any::<usize>().prop_map(Segment::Index)],
            0..6,
        ),
        message in "[a-z ()$.]{0,20}",
    ) {
        let path: Path = steps.into_iter().collect();
        prop_assert_eq!(Path::parse(&path.to_string()), Some(path.clone()));
        if !path.is_root() {
            let error = DecodeError::data(message).with_path(path);
            prop_assert_eq!(DecodeError::custom(&error), error);
        }
    }

    #[test]
    fn parse_error_is_reported_exactly_for_invalid_json(text in message()) {
        let sound = serde_json::from_str::<IgnoredAny>(&text).is_ok();
        match rpc::parse_str(&text) {
            Ok(_) => prop_assert!(sound),
            Err(error) => prop_assert_eq!(error.code() == -32700, !sound, "{}", error),
        }
        let _ = rpc::parse_batch(text.as_bytes(), 3);
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = rpc::parse_batch(&bytes, 3);
        let _ = json::from_slice::<Value>(&bytes);
        let _ = json::from_slice::<Vec<Object>>(&bytes);
    }
}
