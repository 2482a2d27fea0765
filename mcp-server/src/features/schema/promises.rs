//! Finds keywords of a schema that deserializing the type does not enforce.

use mcp_types::json::{Object, Value};

use crate::features::definition_error::DefinitionError;

/// Rejects a schema that requires more than deserializing the type does: without the feature
/// `json-schema`, nothing would enforce it.
pub(crate) fn kept_by_types(schema: &Object) -> Result<(), DefinitionError> {
    match unenforced(schema) {
        None => Ok(()),
        Some(keyword) => Err(format!(
            "`{keyword}` in the schema is only enforced with the feature `json-schema`"
        )
        .into()),
    }
}

/// Returns the first keyword in the schema of a type that its decoder does not enforce.
fn unenforced(schema: &Object) -> Option<&str> {
    const PROMISES: [&str; 17] = [
        "contains",
        "dependentRequired",
        "dependentSchemas",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "if",
        "maxItems",
        "maxLength",
        "maxProperties",
        "minItems",
        "minLength",
        "minProperties",
        "multipleOf",
        "not",
        "pattern",
        "propertyNames",
        "uniqueItems",
    ];
    // The keywords of the fixed lengths and ranges of Rust types.
    let tuple = schema.contains_key("prefixItems");
    let natural = |keyword: &str, value: &Value| match keyword {
        "minItems" | "maxItems" => tuple,
        "minimum" | "maximum" => {
            let format = schema.get("format").and_then(Value::as_str);
            let bound = format.and_then(|format| range(format, keyword == "minimum"));
            bound.is_some() && bound == value.as_i64()
        }
        keyword => !PROMISES.contains(&keyword),
    };
    schema.iter().find_map(|(keyword, value)| {
        if !natural(keyword, value) {
            return Some(keyword);
        }
        match (keyword, value) {
            ("properties" | "$defs" | "patternProperties", Value::Object(members)) => members
                .values()
                .filter_map(Value::as_object)
                .find_map(unenforced),
            ("enum" | "const" | "default" | "examples", _) => None,
            (_, Value::Object(schema)) => unenforced(schema),
            (_, Value::Array(schemas)) => schemas
                .iter()
                .filter_map(Value::as_object)
                .find_map(unenforced),
            _ => None,
        }
    })
}

/// Returns the limit of an integer type that its schema repeats.
fn range(format: &str, least: bool) -> Option<i64> {
    match (format, least) {
        (unsigned, true) if unsigned.starts_with("uint") => Some(0),
        ("uint8", false) => Some(u8::MAX.into()),
        ("uint16", false) => Some(u16::MAX.into()),
        ("int8", true) => Some(i8::MIN.into()),
        ("int8", false) => Some(i8::MAX.into()),
        ("int16", true) => Some(i16::MIN.into()),
        ("int16", false) => Some(i16::MAX.into()),
        _ => None,
    }
}
