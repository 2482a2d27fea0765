//! JSON values: exactness, order, duplicates, conversions.

use mcp_types::json::{self, Members, Number, Object, Value};
use serde::Deserialize as _;

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("valid JSON")
}

/// Returns `true` if the test runs with `serde_json/arbitrary_precision`.
fn arbitrary_precision() -> bool {
    parse("0.10").to_string().len() == 4
}

#[test]
fn text_survives_a_round_trip() {
    for text in [
        "null",
        "true",
        "0",
        "1",
        "1.0",
        "-1",
        "0.6",
        "18446744073709551615",
        "-9223372036854775808",
        r#""a\nb\"\\""#,
        "[]",
        "{}",
        r#"{"z":1,"a":[1.0,{"b":null,"":{}}],"m":"\u0000"}"#,
        r#"{"$serde_json::private::Number":1}"#,
        r#"{"$serde_json::private::Number":"x"}"#,
        r#"{"$serde_json::private::Number":"1","more":2}"#,
        r#"{"more":2,"$serde_json::private::Number":"1"}"#,
        r#"{"$serde_json::private::RawValue":"1"}"#,
    ] {
        let value = parse(text);
        assert_eq!(value.to_string(), text);
        assert_eq!(
            Value::deserialize(&value).unwrap().to_string(),
            text,
            "borrowed"
        );
        assert_eq!(
            Value::deserialize(value.clone()).unwrap().to_string(),
            text,
            "owned"
        );
        assert_eq!(
            json::to_value(&value).unwrap().to_string(),
            text,
            "to_value"
        );
        let theirs: serde_json::Value = value.clone().into();
        assert_eq!(value, theirs);
        assert_eq!(Value::from(theirs), value);
    }
}

#[test]
fn every_digit_is_kept_with_arbitrary_precision() {
    if !arbitrary_precision() {
        return;
    }
    for text in [
        "1.10",
        "1e+400",
        "-0",
        "123456789012345678901234567890",
        "0.0000001",
        "1.0",
    ] {
        let value = parse(text);
        assert_eq!(value.to_string(), text);
        assert_eq!(Value::deserialize(&value).unwrap().to_string(), text);
        assert_eq!(
            json::from_str::<Vec<Value>>(&format!("[{text}]")).unwrap(),
            [value]
        );
    }
}

#[test]
fn object_with_private_name_is_not_a_number() {
    let text = r#"{"$serde_json::private::Number":"1"}"#;
    assert_eq!(parse(text).to_string(), text);
}

#[test]
fn integers_are_not_floats() {
    let number = |text: &str| parse(text).as_number().cloned().expect("a number");
    assert_ne!(number("1"), number("1.0"));
    assert_eq!(number("1"), 1_i64);
    assert_eq!(number("1.0"), 1.0);
    assert_ne!(number("1.0"), 1_i64);
    assert_eq!(number("1.0").as_i64(), None);
    for (text, integer) in [
        ("1", Some(1)),
        ("1.0", Some(1)),
        ("1e2", Some(100)),
        ("1.5e1", Some(15)),
        ("-0.0", Some(0)),
        ("0e5", Some(0)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("9223372036854775808", None),
        ("1e30", None),
        ("1.5", None),
        ("1e-2", None),
        ("100e-2", Some(1)),
        ("101e-2", None),
    ] {
        assert_eq!(number(text).to_i64(), integer, "{text}");
    }
    assert!(number("1e30").is_integer());
    assert!(number("18446744073709551616").is_integer());
    assert!(!number("1.5").is_integer());
    assert_eq!(number("18446744073709551615").to_u64(), Some(u64::MAX));
    assert_eq!(Number::from_f64(f64::NAN), None);
    assert!(serde_json::to_string(&Number::from(f64::INFINITY)).is_err());
}

#[test]
fn integers_are_normalized_and_other_numbers_are_not() {
    let text = r#"{"a":[30.0,3e1,300E-1,-0.0,-2.50e1,{"b":1e38}],"c":[1.5,1e-1,1e400,0.10]}"#;
    let normal = format!(
        r#"{{"a":[30,30,30,0,-25,{{"b":1{}}}],"c":[1.5,1e-1,1e400,0.10]}}"#,
        "0".repeat(38)
    );
    let mut value: Value = mcp_types::json::from_str(text).unwrap();
    value.normalize_integers();
    assert_eq!(value.to_string(), normal);
    value.normalize_integers();
    assert_eq!(value.to_string(), normal);
}

#[test]
fn duplicate_member_is_not_overwritten() {
    let many = |last: &str| {
        let members: Vec<_> = (0..5000).map(|n| format!(r#""m{n}":{n}"#)).collect();
        format!(r#"{{{},"{last}":0}}"#, members.join(","))
    };
    for text in [r#"{"a":1,"a":1}"#, r#"[{"b":1,"a":1,"c":[],"a":2}]"#] {
        let error = serde_json::from_str::<Value>(text).unwrap_err().to_string();
        assert!(error.starts_with("duplicate member `a`"), "{error}");
    }
    assert!(serde_json::from_str::<Value>(&many("m5000")).is_ok());
    let error = serde_json::from_str::<Object>(&many("m77"))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("duplicate member `m77`"), "{error}");
    let error = json::from_str::<Vec<Value>>(r#"[1,{"x":[{"a":1,"a":2}]}]"#).unwrap_err();
    assert_eq!(error.path().to_string(), "$[1].x[0]");
    assert_eq!(error.message(), "duplicate member `a`");
    let twice = vec![("a".to_owned(), Value::Null), ("a".to_owned(), Value::Null)];
    assert!(Object::deserialize(Members::from(twice)).is_err());
}

#[test]
fn members_keep_their_order() {
    let mut object = Object::from([("z", 1), ("a", 2), ("m", 3)]);
    assert_eq!(object.insert("a", 4), Some(Value::from(2)));
    assert_eq!(object.insert("b", 5), None);
    assert_eq!(object.to_string(), r#"{"z":1,"a":4,"m":3,"b":5}"#);
    assert_eq!(object.remove("z"), Some(Value::from(1)));
    assert_eq!(object.keys().collect::<Vec<_>>(), ["a", "m", "b"]);
    assert_eq!(object, Object::from([("b", 5), ("m", 3), ("a", 4)]));
    assert_ne!(object, Object::from([("b", 5), ("m", 3), ("c", 4)]));
    assert_eq!(
        format!("{object:?}"),
        r#"{"a": Number(Number(4)), "m": Number(Number(3)), "b": Number(Number(5))}"#
    );
}

#[test]
fn names_keep_their_values() {
    let object = || Object::from([("é", 1), ("", 2), ("long name", 3), ("z", 4)]);
    let mut forward: Vec<_> = object().into_iter().collect();
    let mut backward: Vec<_> = object().into_iter().rev().collect();
    backward.reverse();
    assert_eq!(forward, backward);
    forward.reverse();
    let mut object = object();
    assert!(
        object
            .iter()
            .rev()
            .eq(forward.iter().map(|(name, value)| (name.as_str(), value)))
    );
    for (name, value) in object.iter_mut().rev() {
        *value = Value::from(name);
    }
    let mut ends = object.iter();
    assert_eq!(
        (ends.next().unwrap().0, ends.next_back().unwrap().0),
        ("é", "z")
    );
    assert_eq!(
        (ends.next_back().unwrap().0, ends.next().unwrap().0),
        ("long name", "")
    );
    assert_eq!((ends.next(), ends.next_back()), (None, None));
    object.retain(|name, _| name != "z");
    assert_eq!(object.remove("é"), Some(Value::from("é")));
    assert_eq!(object.remove("é"), None);
    assert_eq!(object.to_string(), r#"{"":"","long name":"long name"}"#);
    object.push("", Value::Null);
    assert_eq!(object.duplicate(), Some(""));
}

#[test]
fn large_objects_are_compared_and_built_by_name() {
    let members = || (0..20_000).map(|n| (format!("m{n}"), n));
    let forward: Object = members().collect();
    let backward: Object = members().rev().collect();
    assert_eq!(forward, backward);
    let twice: Object = members()
        .chain(members().map(|(name, n)| (name, n + 1)))
        .collect();
    assert_eq!(twice.len(), 20_000);
    assert_eq!(twice.get("m7"), Some(&Value::from(8)));
    assert_ne!(forward, twice);
}

#[test]
fn pointers_reach_into_values() {
    let mut value = parse(r#"{"a/b":[{"~":1},2],"":3}"#);
    assert_eq!(value.pointer("/a~1b/0/~0"), Some(&Value::from(1)));
    assert_eq!(value.pointer("/"), Some(&Value::from(3)));
    assert_eq!(value.pointer(""), Some(&value));
    for missing in [
        "a",
        "/a~1b/01",
        "/a~1b/+1",
        "/a~1b/2",
        "/a~1b/-1",
        "/x",
        "/a~1b/0/~0/x",
    ] {
        assert_eq!(value.pointer(missing), None, "{missing}");
    }
    *value.pointer_mut("/a~1b/1").unwrap() = Value::Null;
    assert_eq!(value.to_string(), r#"{"a/b":[{"~":1},null],"":3}"#);
}
