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

/// Returns `true` if a changed keyword rejects values that were valid. Returns `None` if the
/// keyword did not change or is compared elsewhere.
pub(super) fn narrower_bound(
    keyword: &str,
    old: Option<&Value>,
    new: Option<&Value>,
) -> Option<bool> {
    if old == new {
        return None;
    }
    let higher = || match (old.and_then(Value::as_f64), new.and_then(Value::as_f64)) {
        (Some(old), Some(new)) => new > old,
        (None, Some(_)) => true,
        _ => false,
    };
    let lower = || match (old.and_then(Value::as_f64), new.and_then(Value::as_f64)) {
        (Some(old), Some(new)) => new < old,
        (None, Some(_)) => true,
        _ => false,
    };
    match keyword {
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
            Some(higher())
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            Some(lower())
        }
        "multipleOf" | "pattern" | "uniqueItems" | "propertyNames" | "not" | "allOf" => {
            Some(new.is_some())
        }
        "format" | "default" | "deprecated" | "readOnly" | "writeOnly" => Some(false),
        // These have rules of their own, or have no effect.
        _ => match holds(keyword) {
            Holds::Data | Holds::Unknown if keyword != "const" => Some(false),
            _ => None,
        },
    }
}
