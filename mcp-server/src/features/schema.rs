//! JSON Schemas: derives them from types, checks those of definitions, and validates values.

pub(crate) mod one_object;
pub(crate) mod order;
#[cfg(not(feature = "json-schema"))]
pub(crate) mod promises;

#[cfg(feature = "json-schema")]
use mcp_guard::schema_cost::CostError;
#[cfg(feature = "json-schema")]
use mcp_guard::schema_validator::{SchemaError, Validator};
use mcp_types::json::{self, Object, Value};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;

use crate::features::definition_error::DefinitionError;

/// The maximum nesting depth of a schema.
const DEPTH: usize = 64;
/// The maximum size of a schema as JSON, in bytes.
const SIZE: usize = 256 << 10;

/// Returns the schema of values that are deserialized as `T`; `None` for `()`. Its properties, and
/// those of nested structs, have the order of the fields.
pub(crate) fn of_input<T: JsonSchema + DeserializeOwned>() -> Result<Option<Object>, DefinitionError>
{
    let settings = SchemaSettings::draft2020_12();
    let schema = plain(settings.into_generator().into_root_schema_for::<T>());
    let mut schema = schema?;
    order::schema_as_declared::<T>(&mut schema);
    let nothing = schema.get("type").and_then(Value::as_str) == Some("null");
    Ok((!nothing).then_some(schema))
}

/// Returns the schema of values that are serialized from `T`.
pub(crate) fn of_output<T: JsonSchema>() -> Result<Object, DefinitionError> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = plain(settings.into_generator().into_root_schema_for::<T>())?;
    remove_rust_formats(&mut schema);
    Ok(schema)
}

/// Converts the schema to our JSON type and removes redundant members: the dialect is the
/// protocol's default, and the title is the name of a Rust type.
fn plain(schema: Schema) -> Result<Object, DefinitionError> {
    match Value::from(schema.to_value()) {
        Value::Object(mut schema) => {
            schema.remove("$schema");
            schema.remove("title");
            Ok(schema)
        }
        Value::Bool(true) => Ok(Object::new()),
        _ => Err("no value fits the type".into()),
    }
}

/// Replaces the formats of Rust's numbers, such as `uint32`, by their ranges: other implementations
/// report formats that they do not know. Bounds of 2^53 and more, which JavaScript cannot represent,
/// are left out: the type itself rejects what is beyond them.
pub(crate) fn remove_rust_formats(schema: &mut Object) {
    for keyword in ["allOf", "anyOf", "oneOf", "prefixItems"] {
        if let Some(Value::Array(schemas)) = schema.get_mut(keyword) {
            schemas.iter_mut().for_each(remove_formats_of);
        }
    }
    for keyword in [
        "$defs",
        "dependentSchemas",
        "patternProperties",
        "properties",
    ] {
        if let Some(Value::Object(schemas)) = schema.get_mut(keyword) {
            schemas
                .iter_mut()
                .for_each(|(_, part)| remove_formats_of(part));
        }
    }
    // The values of all other keywords, such as `default` and `enum`, are data.
    for keyword in SCHEMAS {
        if let Some(part) = schema.get_mut(keyword) {
            remove_formats_of(part);
        }
    }
    let (least, most): (Option<Value>, Option<Value>) =
        match schema.get("format").and_then(Value::as_str) {
            Some("int32") => (Some(i32::MIN.into()), Some(i32::MAX.into())),
            Some("uint32") => (None, Some(u32::MAX.into())),
            // These have their ranges, or none below 2^53.
            Some(
                "int8" | "int16" | "int64" | "int128" | "int" | "uint8" | "uint16" | "uint64"
                | "uint128" | "uint" | "float" | "double",
            ) => (None, None),
            _ => return,
        };
    schema.remove("format");
    for (keyword, bound) in [("minimum", least), ("maximum", most)] {
        if let (false, Some(bound)) = (schema.contains_key(keyword), bound) {
            schema.insert(keyword, bound);
        }
    }
}

/// Keywords whose value is a schema.
const SCHEMAS: [&str; 10] = [
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

fn remove_formats_of(part: &mut Value) {
    if let Value::Object(schema) = part {
        remove_rust_formats(schema);
    }
}

/// Compiles the schema of arguments, which checks formats such as `date`, too: a client learns all
/// faults at once, not those that the type finds in a second attempt.
#[cfg(feature = "json-schema")]
pub(crate) fn compile_input(schema: &Object) -> Result<Validator, DefinitionError> {
    compiled(Validator::with_formats(&json_of(schema)))
}

/// Compiles the schema of a result.
#[cfg(feature = "json-schema")]
pub(crate) fn compile_output(schema: &Object) -> Result<Validator, DefinitionError> {
    compiled(Validator::new(&json_of(schema)))
}

#[cfg(feature = "json-schema")]
fn json_of(schema: &Object) -> serde_json::Value {
    serde_json::Value::Object(schema.clone().into())
}

#[cfg(feature = "json-schema")]
fn compiled(result: Result<Validator, SchemaError>) -> Result<Validator, DefinitionError> {
    result.map_err(|error| match error {
        SchemaError::Dialect(_)
        | SchemaError::DialectType
        | SchemaError::Cost(CostError::Costly(_)) => error.to_string().into(),
        SchemaError::Cost(_) | SchemaError::Invalid(_) => format!("in the schema: {error}").into(),
    })
}

/// Returns the schema of a tool without arguments.
pub(crate) fn nothing() -> Object {
    Object::from([
        ("type", Value::from("object")),
        ("properties", Object::new().into()),
        ("additionalProperties", Value::from(false)),
    ])
}

/// Adds the type `object` to the schema of arguments, which the protocol requires, and properties,
/// which some clients require.
pub(crate) fn object_at_root(schema: &mut Object) -> Result<(), DefinitionError> {
    match schema.get("type") {
        Some(kind) if kind.as_str() == Some("object") => {}
        Some(_) => return Err("the schema of arguments must have the type `object`".into()),
        None => {
            let rest = std::mem::take(schema);
            schema.insert("type", "object");
            for (name, value) in rest {
                schema.insert(name, value);
            }
        }
    }
    if !schema.contains_key("properties") {
        schema.insert("properties", Object::new());
    }
    Ok(())
}

/// Rejects a schema that is too large to send to every client and to walk for every call.
pub(crate) fn bounded(schema: &Object) -> Result<(), DefinitionError> {
    if !schema.values().all(|value| fits(value, DEPTH)) {
        return Err(format!("the schema nests deeper than {DEPTH} levels").into());
    }
    let text = json::to_string(schema).map_err(|error| error.to_string())?;
    if text.len() > SIZE {
        return Err(format!("the schema has more than {SIZE} bytes").into());
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
