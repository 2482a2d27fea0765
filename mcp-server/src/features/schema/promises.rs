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

#[cfg(test)]
mod tests {
    use super::*;

    fn object<T: schemars::JsonSchema>() -> Object {
        let schema = serde_json::to_string(&schemars::schema_for!(T)).expect("a schema");
        mcp_types::json::from_str(&schema).expect("an object")
    }

    #[test]
    fn ranges_of_integer_types_are_enforced_by_them() {
        let schemas = [
            object::<u8>(),
            object::<u16>(),
            object::<u32>(),
            object::<u64>(),
            object::<usize>(),
            object::<i8>(),
            object::<i16>(),
            object::<i32>(),
            object::<i64>(),
            object::<(u8, i16)>(),
        ];
        for schema in &schemas {
            assert_eq!(unenforced(schema), None, "{schema:?}");
            assert!(kept_by_types(schema).is_ok());
        }
    }

    #[test]
    fn ranges_that_no_type_has_need_validation() {
        for (text, keyword) in [
            (r#"{"format":"uint8","minimum":1,"maximum":255}"#, "minimum"),
            (r#"{"format":"uint8","minimum":0,"maximum":254}"#, "maximum"),
            (r#"{"format":"int16","minimum":-1}"#, "minimum"),
            (r#"{"minimum":0}"#, "minimum"),
            (r#"{"items":{"maxLength":3}}"#, "maxLength"),
        ] {
            let schema = mcp_types::json::from_str(text).expect("an object");
            assert_eq!(unenforced(&schema), Some(keyword), "{text}");
            assert!(kept_by_types(&schema).is_err());
        }
    }
}
