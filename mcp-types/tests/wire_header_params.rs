//! Parameters of tools that are repeated in headers.

use mcp_types::headers::{HeaderParam, HeaderParamReason as Reason, ParamKind};
use mcp_types::headers::{encode_value, header_params};
use mcp_types::json::{self, Object};
use proptest::prelude::*;

pub(crate) fn object(text: &str) -> Object {
    json::from_str(text).unwrap()
}

pub(crate) fn params(schema: &str) -> Vec<HeaderParam> {
    header_params(&object(schema)).unwrap()
}

/// Returns the parameter `value` with the given type.
pub(crate) fn param(kind: &str) -> HeaderParam {
    let schema = format!(r#"{{"properties":{{"value":{{"type":"{kind}","x-mcp-header":"V"}}}}}}"#);
    params(&schema).remove(0)
}

#[test]
fn marks_are_found_along_properties_in_order() {
    let found = params(
        r#"{
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "query": {"type": "string"},
                "options": {
                    "type": "object",
                    "properties": {
                        "dry-run": {"type": "boolean", "x-mcp-header": "Dry_Run"},
                        "properties": {"properties": {"n": {"x-mcp-header": "n", "type": "integer"}}}
                    }
                }
            }
        }"#,
    );
    let seen: Vec<_> = found
        .iter()
        .map(|param| {
            (
                param.name(),
                param.header(),
                param.path().to_string(),
                param.kind(),
            )
        })
        .collect();
    let path = |text: &str| text.to_owned();
    assert_eq!(
        seen,
        [
            (
                "Region",
                "mcp-param-region",
                path("$.region"),
                ParamKind::String
            ),
            (
                "Dry_Run",
                "mcp-param-dry_run",
                path("$.options['dry-run']"),
                ParamKind::Boolean
            ),
            (
                "n",
                "mcp-param-n",
                path("$.options.properties.n"),
                ParamKind::Integer
            ),
        ]
    );
}

#[test]
fn data_that_looks_like_a_mark_is_ignored() {
    let schemas = [
        "{}",
        r#"{"properties": true}"#,
        r#"{"properties": {"a": true, "b": 1}}"#,
        // A property with that name.
        r#"{"properties": {"x-mcp-header": {"type": "string"}}}"#,
        r#"{"$defs": {"x-mcp-header": {"type": "string"}}}"#,
        // Data.
        r#"{"properties": {"a": {"default": {"x-mcp-header": "A"}}}}"#,
        r#"{"properties": {"a": {"const": {"x-mcp-header": "A"}}}}"#,
        r#"{"properties": {"a": {"enum": [{"x-mcp-header": "A"}]}}}"#,
        r#"{"examples": [{"x-mcp-header": "A"}]}"#,
        r#"{"required": ["x-mcp-header"]}"#,
    ];
    for schema in schemas {
        assert_eq!(params(schema), [], "{schema}");
    }
}

#[test]
fn mark_that_violates_a_rule_is_rejected_with_its_path() {
    let not_token = |name: &str| Reason::NotToken {
        name: name.to_owned(),
    };
    let property = |schema: &str| format!(r#"{{"properties":{{"a":{schema}}}}}"#);
    let string = |mark: &str| property(&format!(r#"{{"type":"string","x-mcp-header":{mark}}}"#));
    let typed = |kind: &str| property(&format!(r#"{{"x-mcp-header":"A","type":{kind}}}"#));
    let at = |path: &str| format!("$.properties.a{path}['x-mcp-header']");
    let a = r#"{"type":"string","x-mcp-header":"A"}"#;

    let mut cases = vec![
        (string("1"), at(""), Reason::NotText),
        (string("null"), at(""), Reason::NotText),
        (string("\"\""), at(""), Reason::Empty),
        (string("\"My Region\""), at(""), not_token("My Region")),
        (string("\"a:b\""), at(""), not_token("a:b")),
        (string("\"Région\""), at(""), not_token("Région")),
        (string(r#""a\r\nb""#), at(""), not_token(r"a\r\nb")),
        (string(r#""a\tb""#), at(""), not_token(r"a\tb")),
        (
            property(r#"{"x-mcp-header":"A"}"#),
            at(""),
            Reason::NotPrimitive,
        ),
        (
            a.to_owned(),
            "$['x-mcp-header']".to_owned(),
            Reason::Unreachable,
        ),
        (
            format!(
                r#"{{"properties":{{"b":{{"properties":{{"c":{a}}}}},"a":{{"type":"string","x-mcp-header":"a"}}}}}}"#
            ),
            at(""),
            Reason::Duplicate {
                other: "$.b.c".parse_path(),
            },
        ),
        (
            format!(r#"{{"properties":{{"b":{a},"a":{a}}}}}"#),
            at(""),
            Reason::Duplicate {
                other: "$.b".parse_path(),
            },
        ),
    ];
    for kind in [
        "\"number\"",
        "\"object\"",
        "\"array\"",
        "\"null\"",
        "[\"string\",\"null\"]",
        "1",
    ] {
        cases.push((typed(kind), at(""), Reason::NotPrimitive));
    }
    for keyword in [
        "items",
        "additionalProperties",
        "not",
        "if",
        "then",
        "else",
        "contains",
        "propertyNames",
        "unevaluatedProperties",
        "x-other",
    ] {
        cases.push((
            property(&format!(r#"{{"{keyword}":{a}}}"#)),
            at(&path_of(keyword)),
            Reason::Unreachable,
        ));
        let inside = format!(r#"{{"{keyword}":{{"properties":{{"b":{a}}}}}}}"#);
        cases.push((
            property(&inside),
            at(&format!("{}.properties.b", path_of(keyword))),
            Reason::Unreachable,
        ));
    }
    for keyword in ["oneOf", "anyOf", "allOf", "prefixItems", "items"] {
        let list = format!(r#"{{"{keyword}":[true,{a}]}}"#);
        cases.push((
            property(&list),
            at(&format!(".{keyword}[1]")),
            Reason::Unreachable,
        ));
    }
    for keyword in [
        "$defs",
        "definitions",
        "patternProperties",
        "dependentSchemas",
        "dependencies",
    ] {
        let named = format!(r#"{{"{keyword}":{{"const":{a}}}}}"#);
        cases.push((
            property(&named),
            at(&format!(".{keyword}.const")),
            Reason::Unreachable,
        ));
        let inside = format!(r#"{{"{keyword}":{{"properties":{{"properties":{{"b":{a}}}}}}}}}"#);
        cases.push((
            property(&inside),
            at(&format!(".{keyword}.properties.properties.b")),
            Reason::Unreachable,
        ));
    }
    for (schema, path, reason) in cases {
        let error = header_params(&object(&schema)).unwrap_err();
        assert_eq!(
            (error.path().to_string(), error.reason()),
            (path, &reason),
            "{schema}"
        );
    }
}

fn path_of(keyword: &str) -> String {
    match keyword {
        "x-other" => "['x-other']".to_owned(),
        _ => format!(".{keyword}"),
    }
}

trait ParsePath {
    fn parse_path(&self) -> mcp_types::error::Path;
}

impl ParsePath for str {
    fn parse_path(&self) -> mcp_types::error::Path {
        mcp_types::error::Path::parse(self).unwrap()
    }
}

#[test]
fn error_has_the_reason_and_the_path() {
    let schema = object(r#"{"properties":{"a":{"items":{"type":"string","x-mcp-header":"A"}}}}"#);
    assert_eq!(
        header_params(&schema).unwrap_err().to_string(),
        "only a property reached through `properties` alone can have a header \
         (at $.properties.a.items['x-mcp-header'])"
    );
}

#[test]
fn nested_values_are_found_at_their_exact_path() {
    let params = params(
        r#"{"properties":{"a":{"properties":{"b.c":{"type":"string","x-mcp-header":"B"}}}}}"#,
    );
    let [param] = params.as_slice() else {
        panic!("{params:?}");
    };
    let cases = [
        (r#"{"a":{"b.c":"x"}}"#, Some("x")),
        (r#"{"a":{"b":{"c":"x"}}}"#, None),
        (r#"{"a":{}}"#, None),
        (r#"{"a":"x"}"#, None),
        (r#"{"a":[{"b.c":"x"}]}"#, None),
        (r#"{"b.c":"x"}"#, None),
    ];
    for (arguments, text) in cases {
        let arguments = object(arguments);
        assert_eq!(param.value_in(&arguments).unwrap().as_deref(), text);
    }
}

proptest! {
    #[test]
    fn header_sent_by_the_client_is_accepted_by_the_server(
        value in prop_oneof![
            ".*".prop_map(json::Value::from),
            any::<bool>().prop_map(json::Value::from),
            any::<i64>().prop_map(json::Value::from),
            any::<f64>().prop_filter_map("finite", |n| json::Number::from_f64(n).map(json::Value::Number)),
            Just(json::Value::Null),
        ],
    ) {
        let param = param("string");
        let arguments = Object::from([("value", value)]);
        if let Ok(text) = param.value_in(&arguments) {
            let sent = text.as_deref().map(encode_value);
            prop_assert_eq!(param.matches(sent.as_deref(), Some(&arguments)), Ok(()));
        }
    }
}

#[test]
fn marks_below_a_name_of_more_than_512_bytes_are_rejected() {
    let marked = |length: usize| {
        let param = json::Value::from(Object::from([("type", "string"), ("x-mcp-header", "A")]));
        let inner = Object::from([("properties", Object::from([("a", param)]))]);
        let outer = Object::from([("b".repeat(length), inner)]);
        header_params(&Object::from([("properties", outer)]))
    };
    assert_eq!(marked(509).unwrap().len(), 1);
    let error = marked(510).unwrap_err();
    assert_eq!(*error.reason(), Reason::TooDeep);
    assert!(error.to_string().len() < 512, "{error}");
}
