//! Helpers that read a single schema.

use serde_json::Value;

/// One alternative of a schema after `allOf` was merged: an object or any other schema.
pub(super) struct Alternative {
    pub(super) label: Option<String>,
    pub(super) schema: Value,
}

pub(super) fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// Returns the only value of a schema: `const`, or an enumeration with one value.
pub(super) fn constant(schema: &Value) -> Option<&Value> {
    schema
        .get("const")
        .or_else(|| match schema.get("enum")?.as_array()?.as_slice() {
            [only] => Some(only),
            _ => None,
        })
}

/// Returns the values of a string enumeration, and whether it is open: it also accepts any string.
pub(super) fn string_enum(schema: &Value) -> Option<(Vec<String>, bool)> {
    let closed = |schema: &Value| {
        let values = schema.get("enum")?.as_array()?;
        values
            .iter()
            .map(|value| value.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
    };
    if let Some(parts) = any_of(schema) {
        let consts: Option<Vec<String>> = parts
            .iter()
            .map(|part| part.get("const")?.as_str().map(str::to_owned))
            .collect();
        if let Some(values) = consts {
            return Some((values, false));
        }
        let [known, rest] = parts.as_slice() else {
            return None;
        };
        let plain = rest.as_object().is_some_and(|rest| {
            rest.get("type").is_some_and(|ty| ty == "string") && rest.len() == 1
        });
        return if plain {
            Some((closed(known)?, true))
        } else {
            None
        };
    }
    Some((closed(schema)?, false))
}

pub(super) fn any_of(schema: &Value) -> Option<&Vec<Value>> {
    schema
        .get("anyOf")
        .or_else(|| schema.get("oneOf"))?
        .as_array()
}

pub(super) fn types_of(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn covers_everything(types: &[&str]) -> bool {
    ["array", "boolean", "null", "number", "object", "string"]
        .iter()
        .all(|ty| types.contains(ty))
}

pub(super) fn is_integer(schema: &Value) -> bool {
    types_of(schema) == ["integer"] && constant(schema).is_none()
}

pub(super) fn is_base64(schema: &Value) -> bool {
    schema.get("format").is_some_and(|format| format == "byte")
        || schema
            .get("contentEncoding")
            .is_some_and(|encoding| encoding == "base64")
}

pub(super) fn is_deprecated(schema: &Value) -> bool {
    schema.get("deprecated") == Some(&Value::Bool(true))
}

/// Returns the proposals with which a schema is marked.
pub(super) fn features(schema: &Value) -> Vec<String> {
    match schema.get("x-feature") {
        Some(Value::String(one)) => vec![one.clone()],
        several => strings(several),
    }
}

pub(super) fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

pub(super) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
