//! Decoding with paths: from text, from values, and through other deserializers.

use std::collections::BTreeMap;
use std::fmt;

use mcp_types::error::{DecodeError, ErrorKind, Path, Segment};
use mcp_types::json::{self, Members, NESTING_LIMIT, Object, Value};
use mcp_types::{ContentBlock, Role};
use serde::de::value::SeqDeserializer;
use serde::de::{Deserialize, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

type Lists = BTreeMap<String, Vec<BTreeMap<String, u8>>>;

fn path<T: serde::de::DeserializeOwned + fmt::Debug>(text: &str) -> String {
    json::from_str::<T>(text).unwrap_err().path().to_string()
}

#[test]
fn errors_have_their_path() {
    assert_eq!(path::<Lists>(r#"{"a":[{"b":1},{"c":"x"}]}"#), "$.a[1].c");
    assert_eq!(
        path::<Lists>(r#"{"io.x/y":[{"b":1.5}]}"#),
        "$['io.x/y'][0].b"
    );
    assert_eq!(path::<Lists>(r#"{"a":null}"#), "$.a");
    assert_eq!(path::<Lists>("3"), "$");
    let error = json::from_str::<Lists>(r#"{"a":[{"b":null}]}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid type: null, expected u8 (at $.a[0].b)"
    );
    assert_eq!(error.kind(), ErrorKind::Data);
    let value: Value = json::from_str(r#"{"a":[{"b":300}]}"#).unwrap();
    let borrowed = json::from_value_ref::<Lists>(&value).unwrap_err();
    let owned = json::from_value::<Lists>(value).unwrap_err();
    assert_eq!(borrowed, owned);
    assert_eq!(owned.path().to_string(), "$.a[0].b");
}

#[test]
fn syntax_errors_have_line_and_column() {
    for (text, kind) in [
        ("{\"a\":\n1,}", ErrorKind::Syntax { line: 2, column: 3 }),
        ("[1] 2", ErrorKind::Syntax { line: 1, column: 5 }),
        ("[1", ErrorKind::Eof { line: 1, column: 2 }),
        ("", ErrorKind::Eof { line: 1, column: 0 }),
    ] {
        let error = json::from_str::<Value>(text).unwrap_err();
        assert_eq!(error.kind(), kind, "{text}");
        assert!(error.path().is_root());
        assert!(!error.message().contains(" at line"), "{error}");
    }
}

#[test]
fn syntax_error_takes_precedence_over_data_error() {
    let error = json::from_str::<Lists>(r#"{"a":1,"b":}"#).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Syntax { .. }), "{error}");
    let error = json::from_str::<Lists>(r#"{"a":1} x"#).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Syntax { .. }), "{error}");
}

#[test]
fn invalid_utf8_is_a_syntax_error() {
    let error = json::from_slice::<Value>(b"{\"a\":\n \"\xff\"}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Syntax { line: 2, column: 3 });
    assert!(json::from_slice::<BTreeMap<String, Value>>(b"{\"a\xc3\":1}").is_err());
}

#[test]
fn deep_nesting_is_an_error_not_a_stack_overflow() {
    let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(json::from_str::<Value>(&deep(NESTING_LIMIT)).is_ok());
    for levels in [NESTING_LIMIT + 1, 200, 1_000_000] {
        assert!(json::from_str::<Value>(&deep(levels)).is_err());
    }
    let mut value = Value::Null;
    for _ in 0..NESTING_LIMIT {
        value = Value::Array(vec![value]);
    }
    assert!(json::from_value::<Value>(value.clone()).is_ok());
    let value = Object::from([("a", value)]);
    assert!(Value::deserialize(&value).is_err());
    assert!(Value::deserialize(value).is_err());
}

#[test]
fn paths_are_parsed_from_their_text() {
    for name in [
        "a",
        "a b",
        "",
        "'",
        "\\",
        "']",
        "\n",
        "é",
        "x (at $.y",
        " (at $['",
        "0",
        "$a",
        "\u{7f}",
    ] {
        let path: Path = [
            Segment::Member(name.into()),
            Segment::Index(7),
            Segment::Member("z".into()),
        ]
        .into_iter()
        .collect();
        assert_eq!(Path::parse(&path.to_string()).as_ref(), Some(&path));
        let error = DecodeError::data("m (at $.x)").with_path(path.clone());
        let again = DecodeError::custom(&error);
        assert_eq!(again, error);
    }
    for text in [
        "", "a", "$.", "$[", "$[01]", "$[+1]", "$[-1]", "$['a]", "$.a b", "$['a'", "$x",
    ] {
        assert_eq!(Path::parse(text), None, "{text}");
    }
}

/// Buffers its members in an object and decodes a list from them, as a union does.
#[derive(Debug)]
struct Buffered(#[expect(dead_code, reason = "only the errors are looked at")] Lists);

impl<'de> Deserialize<'de> for Buffered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BufferedVisitor;

        impl<'de> Visitor<'de> for BufferedVisitor {
            type Value = Buffered;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Buffered, A::Error> {
                let mut members: Vec<(String, Value)> = Vec::new();
                while let Some(member) = access.next_entry()? {
                    members.push(member);
                }
                let lists = Lists::deserialize(Members::from(members)).map_err(A::Error::custom)?;
                Ok(Buffered(lists))
            }
        }

        deserializer.deserialize_map(BufferedVisitor)
    }
}

#[test]
fn path_survives_a_buffered_union() {
    let text = r#"[{"x":{"a":[{"b":"s"}]}}]"#;
    assert_eq!(
        path::<Vec<BTreeMap<String, Buffered>>>(text),
        "$[0].x.a[0].b"
    );
    let error = serde_json::from_str::<Vec<BTreeMap<String, Buffered>>>(text).unwrap_err();
    // The deserializer of another crate only passes the text, and no path is parsed from it.
    let error = DecodeError::from(error);
    assert!(error.path().is_root(), "{error}");
    assert!(
        error.message().ends_with("expected u8 (at $.a[0].b)"),
        "{error}"
    );
}

#[test]
fn values_decode_like_text() {
    let text = r#"{"n":1,"f":1.5,"big":340282366920938463463374607431768211455}"#;
    let raw: BTreeMap<String, Box<RawValue>> =
        json::from_value(json::from_str(r#"{"a":[1,{"b":"c"}]}"#).unwrap()).unwrap();
    assert_eq!(raw["a"].get(), r#"[1,{"b":"c"}]"#);
    let value: Value = json::from_str(text).unwrap();
    let theirs: serde_json::Value = json::from_value_ref(&value).unwrap();
    assert_eq!(value, theirs);
    assert_eq!(
        theirs,
        serde_json::from_str::<serde_json::Value>(text).unwrap()
    );
    assert!(json::from_value::<()>(Value::Null).is_ok());
    assert_eq!(json::from_value::<Option<u8>>(Value::Null).unwrap(), None);
    assert_eq!(
        json::from_value::<Option<f64>>(Value::from(1)).unwrap(),
        Some(1.0)
    );
    let result: Result<u8, String> = json::from_str(r#"{"Err":"x"}"#).unwrap();
    assert_eq!(result, Err("x".to_owned()));
    let result = json::from_str::<Result<u8, String>>(r#"{"Ok":"x"}"#).unwrap_err();
    assert_eq!(result.path().to_string(), "$.Ok");
    let text = String::from("moved");
    let at = text.as_ptr();
    let moved: String = json::from_value(Value::from(text)).unwrap();
    assert_eq!(moved.as_ptr(), at);
}

#[test]
fn tag_with_a_lone_surrogate_is_an_error_not_a_stack_overflow() {
    for text in [
        r#"{"type":"\ud800","text":"a"}"#,
        r#"{"text":"a","type":"te\udc00xt"}"#,
    ] {
        assert_eq!(path::<ContentBlock>(text), "$.type", "{text}");
        serde_json::from_str::<ContentBlock>(text).unwrap_err();
        assert_eq!(path::<Vec<ContentBlock>>(&format!("[{text}]")), "$[0].type");
    }
}

/// A format that nests without end.
struct Endless;

impl IntoDeserializer<'_, DecodeError> for Endless {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Endless {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_seq(SeqDeserializer::new(std::iter::once(Self)))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

#[test]
fn values_of_formats_without_names_are_decoded() {
    let role = Role::deserialize("user".into_deserializer()).map_err(|error: DecodeError| error);
    assert_eq!(role, Ok(Role::User));
    let by_role: BTreeMap<Role, u8> = json::from_str(r#"{"assistant":1}"#).unwrap();
    assert_eq!(by_role.get(&Role::Assistant), Some(&1));
    let list = SeqDeserializer::<_, DecodeError>::new([1_u8, 2].into_iter());
    assert_eq!(Value::deserialize(list).unwrap().to_string(), "[1,2]");
}

#[test]
fn nesting_of_other_formats_is_limited() {
    let error = Value::deserialize(Endless).unwrap_err();
    assert!(error.message().contains("127 levels"), "{error}");
}
