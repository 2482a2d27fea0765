//! JSON Schemas: derived from types, checked when a definition is, and validated against.

use mcp_types::json::{Object, Value};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

/// Levels that a schema may nest.
const DEPTH: usize = 64;
/// Bytes that a schema may have as JSON.
const SIZE: usize = 256 << 10;

/// The schema of what is read as `T`; `None` for `()`, which takes nothing.
pub(crate) fn of_input<T: JsonSchema>() -> Result<Option<Object>, String> {
    let settings = SchemaSettings::draft2020_12();
    let schema = plain(settings.into_generator().into_root_schema_for::<T>());
    let schema = schema?;
    let nothing = schema.get("type").and_then(Value::as_str) == Some("null");
    Ok((!nothing).then_some(schema))
}

/// The schema of what `T` is written as.
pub(crate) fn of_output<T: JsonSchema>() -> Result<Object, String> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    plain(settings.into_generator().into_root_schema_for::<T>())
}

/// The schema as our own JSON, without what goes without saying: the dialect is the protocol's
/// default, and the title is the name of a Rust type.
fn plain(schema: Schema) -> Result<Object, String> {
    match Value::from(schema.to_value()) {
        Value::Object(mut schema) => {
            schema.remove("$schema");
            schema.remove("title");
            Ok(schema)
        }
        Value::Bool(true) => Ok(Object::new()),
        _ => Err("no value fits the type".to_owned()),
    }
}

/// The schema of a tool without arguments.
pub(crate) fn nothing() -> Object {
    Object::from([
        ("type", Value::from("object")),
        ("additionalProperties", Value::from(false)),
    ])
}

/// Makes the schema of arguments say that they are an object, as the protocol asks.
pub(crate) fn object_at_root(schema: &mut Object) -> Result<(), String> {
    match schema.get("type") {
        Some(kind) if kind.as_str() == Some("object") => Ok(()),
        Some(_) => Err("the schema of arguments must have the type `object`".to_owned()),
        None => {
            let rest = std::mem::take(schema);
            schema.insert("type", "object");
            for (name, value) in rest {
                schema.insert(name, value);
            }
            Ok(())
        }
    }
}

/// Refuses what is too large to be given to every peer, and to be walked for every call.
pub(crate) fn bounded(schema: &Object) -> Result<(), String> {
    if !schema.values().all(|value| fits(value, DEPTH)) {
        return Err(format!("the schema nests deeper than {DEPTH} levels"));
    }
    let text = serde_json::to_string(schema).map_err(|error| error.to_string())?;
    if text.len() > SIZE {
        return Err(format!("the schema has more than {SIZE} bytes"));
    }
    Ok(())
}

fn fits(value: &Value, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else {
        return false;
    };
    match value {
        Value::Array(elements) => elements.iter().all(|element| fits(element, levels)),
        Value::Object(members) => members.values().all(|member| fits(member, levels)),
        _ => true,
    }
}

/// Refuses a schema that promises more than reading the type does: without the feature
/// `json-schema` nothing would hold the peer to it.
#[cfg(not(feature = "json-schema"))]
pub(crate) fn kept_by_types(schema: &Object) -> Result<(), String> {
    match promised(schema) {
        None => Ok(()),
        Some(keyword) => Err(format!(
            "`{keyword}` in the schema is only enforced with the feature `json-schema`"
        )),
    }
}

/// The first keyword in the schema of a type that its decoder does not enforce.
#[cfg(not(feature = "json-schema"))]
fn promised(schema: &Object) -> Option<&str> {
    const PROMISES: [&str; 16] = [
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
    ];
    // What the fixed lengths and ranges of Rust's types come out as.
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
                .find_map(promised),
            ("enum" | "const" | "default" | "examples", _) => None,
            (_, Value::Object(schema)) => promised(schema),
            (_, Value::Array(schemas)) => schemas
                .iter()
                .filter_map(Value::as_object)
                .find_map(promised),
            _ => None,
        }
    })
}

/// The bound of an integer type that its schema repeats.
#[cfg(not(feature = "json-schema"))]
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

#[cfg(feature = "json-schema")]
pub(crate) use validator::Validator;

#[cfg(feature = "json-schema")]
mod validator {
    use jsonschema::error::ValidationErrorKind;
    use jsonschema::paths::{Location, LocationSegment};
    use jsonschema::{Draft, PatternOptions, ValidationError};
    use mcp_types::error::{Path, Segment};
    use mcp_types::json::{Object, Value};

    use crate::error::short;

    /// Faults that are told at once.
    const FAULTS: usize = 8;
    /// Characters of a fault that are told.
    const FAULT: usize = 256;
    /// Steps back that matching a pattern may take, so that no text makes it take forever.
    const BACKTRACKING: usize = 100_000;

    /// A schema, ready to validate.
    pub(crate) struct Validator(jsonschema::Validator);

    impl Validator {
        /// Compiles a schema of its dialect, 2020-12 by default. Nothing is fetched.
        pub(crate) fn new(schema: &Object) -> Result<Self, String> {
            let draft = match schema.get("$schema") {
                None => Draft::Draft202012,
                Some(Value::String(dialect)) => {
                    draft(dialect).ok_or_else(|| format!("the dialect `{dialect}` is not known"))?
                }
                Some(_) => return Err("`$schema` is no string".to_owned()),
            };
            let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKING);
            jsonschema::options()
                .with_draft(draft)
                .with_pattern_options(patterns)
                .offline()
                .build(&serde_json::Value::Object(schema.clone().into()))
                .map(Self)
                .map_err(|error| format!("in the schema: {}", said(&error)))
        }

        /// What is wrong with a value, and where. Values are not repeated, they may be large or
        /// secret.
        pub(crate) fn check(&self, value: Value) -> Result<(), String> {
            let value = serde_json::Value::from(value);
            if self.0.is_valid(&value) {
                return Ok(());
            }
            let mut faults = self.0.iter_errors(&value);
            let mut told: Vec<String> = faults
                .by_ref()
                .take(FAULTS)
                .map(|error| unexpected(&error, &value).unwrap_or_else(|| said(&error)))
                .collect();
            if faults.next().is_some() {
                told.push("and more".to_owned());
            }
            Err(told.join("; "))
        }
    }

    fn draft(dialect: &str) -> Option<Draft> {
        match dialect.strip_suffix('#').unwrap_or(dialect) {
            "https://json-schema.org/draft/2020-12/schema" => Some(Draft::Draft202012),
            "https://json-schema.org/draft/2019-09/schema" => Some(Draft::Draft201909),
            "http://json-schema.org/draft-07/schema" => Some(Draft::Draft7),
            "http://json-schema.org/draft-06/schema" => Some(Draft::Draft6),
            "http://json-schema.org/draft-04/schema" => Some(Draft::Draft4),
            _ => None,
        }
    }

    /// The names of members where none may be: the validator does not say them.
    fn unexpected(error: &ValidationError<'_>, value: &serde_json::Value) -> Option<String> {
        if !matches!(error.kind(), ValidationErrorKind::FalseSchema) {
            return None;
        }
        let object = value.pointer(error.instance_path().as_str())?.as_object()?;
        let names: Vec<String> = object.keys().take(FAULTS).map(|name| short(name)).collect();
        let path = path(error.instance_path());
        Some(format!("{path}: unexpected: `{}`", names.join("`, `")))
    }

    fn said(error: &ValidationError<'_>) -> String {
        let text = format!("{}: {}", path(error.instance_path()), error.masked());
        match text.char_indices().nth(FAULT) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text,
        }
    }

    fn path(location: &Location) -> Path {
        let step = |segment| match segment {
            LocationSegment::Property(name) => Segment::Member(name.into_owned()),
            LocationSegment::Index(index) => Segment::Index(index),
        };
        location.into_iter().map(step).collect()
    }
}
