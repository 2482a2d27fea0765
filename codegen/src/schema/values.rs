//! The values that a schema allows, as far as a comparison needs them.

use serde_json::Value;

use super::keyword::{Holds, TYPES, holds};

/// The values that `const` or `enum` of a schema allow.
pub(super) enum Values<'a> {
    /// There is neither: any value is allowed.
    Any,
    /// Only these values are allowed.
    These(Vec<&'a Value>),
}

/// Returns the values that `const` or `enum` allow.
pub(super) fn values(schema: &Value) -> Values<'_> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Values::These(vec![value]),
        (None, Some(Value::Array(values))) => Values::These(values.iter().collect()),
        _ => Values::Any,
    }
}

/// Returns the names of the types that a schema allows: all types if it does not restrict them.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ if schema.get("properties").is_some() => vec!["object"],
        _ => match schema.get("const") {
            Some(Value::String(_)) => vec!["string"],
            Some(Value::Number(_)) => vec!["number"],
            _ => TYPES.to_vec(),
        },
    }
}

/// Returns `true` if a keyword with another value may reject values that were valid. Returns `None`
/// if the keyword is compared elsewhere, or has no meaning for values.
pub(super) fn narrower(keyword: &str, old: Option<&Value>, new: Option<&Value>) -> Option<bool> {
    let number = |value: Option<&Value>| value.and_then(Value::as_f64);
    let is_higher = || match (number(old), number(new)) {
        (Some(old), Some(new)) => new > old,
        _ => new.is_some_and(|new| *new != Value::Bool(false)),
    };
    let is_lower = || match (number(old), number(new)) {
        (Some(old), Some(new)) => new < old,
        _ => new.is_some_and(|new| *new != Value::Bool(false)),
    };
    match keyword {
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties"
        | "minContains" => Some(is_higher()),
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties"
        | "maxContains" => Some(is_lower()),
        "multipleOf" => Some(match (number(old), number(new)) {
            (Some(old), Some(new)) => old % new != 0.0,
            _ => new.is_some(),
        }),
        "uniqueItems" => Some(new == Some(&Value::Bool(true))),
        "pattern" | "not" | "if" | "then" | "else" | "dependencies" | "dependentRequired" => {
            Some(new.is_some())
        }
        // They name a schema, and change no value.
        "$schema" | "$id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor" | "$vocabulary"
        | "const" => None,
        _ => match holds(keyword) {
            Holds::Data | Holds::Unknown | Holds::Flag | Holds::Text => Some(false),
            // These have rules of their own, or have no effect.
            _ => None,
        },
    }
}
