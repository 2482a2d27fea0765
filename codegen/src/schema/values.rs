//! What values a schema allows, as far as a comparison needs it.

use serde_json::Value;

use super::keyword::{Holds, TYPES, holds};

/// The values that a schema lists.
pub(super) enum Values<'a> {
    /// It lists none, so that any will do.
    Any,
    /// These and no others.
    These(Vec<&'a Value>),
}

/// The values that `const` or `enum` allow.
pub(super) fn values(schema: &Value) -> Values<'_> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Values::These(vec![value]),
        (None, Some(Value::Array(values))) => Values::These(values.iter().collect()),
        _ => Values::Any,
    }
}

/// The names of the types that a schema allows; all where it does not say.
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

/// Whether the change of a keyword's value refuses what was valid; nothing where the keyword did
/// not change or is compared elsewhere.
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
        // Compared by rules of their own, or of no consequence.
        _ => match holds(keyword) {
            Some(Holds::Data) if keyword != "const" => Some(false),
            _ => None,
        },
    }
}
