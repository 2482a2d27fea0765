//! JSON Schemas: derives them from types, checks those of definitions, and validates values.

pub(crate) mod one_object;
pub(crate) mod order;
#[cfg(not(feature = "json-schema"))]
pub(crate) mod promises;

use crate::features::definition_error::DefinitionError;
use mcp_types::json::{self, Object, Value};
#[cfg(feature = "json-schema")]
use mcp_types::schema_cost::CostError;
#[cfg(feature = "json-schema")]
use mcp_types::schema_validator::{SchemaError, Validator};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;

/// The maximum nesting depth of a schema.
const DEPTH: usize = 64;
/// The maximum size of a schema as JSON, in bytes.
const SIZE: usize = 256 << 10;

/// Returns the schema of values that are deserialized as `T`; `None` for `()`. Its properties have the
/// order of the fields.
pub(crate) fn of_input<T: JsonSchema + DeserializeOwned>() -> Result<Option<Object>, DefinitionError>
{
    let settings = SchemaSettings::draft2020_12();
    let schema = plain(settings.into_generator().into_root_schema_for::<T>());
    let mut schema = schema?;
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        order::as_declared::<T, _>(properties);
    }
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

/// Removes the formats that only Rust has, such as `uint`: other implementations report formats that
/// they do not know. Their ranges are in the schema as `minimum` and `maximum`.
pub(crate) fn remove_rust_formats(schema: &mut Object) {
    const FORMATS: [&str; 10] = [
        "int", "int8", "int16", "int128", "uint", "uint8", "uint16", "uint32", "uint64", "uint128",
    ];
    let format = schema.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| FORMATS.contains(&format)) {
        schema.remove("format");
    }
    for (_, value) in schema.iter_mut() {
        remove_formats_of_parts(value);
    }
}

fn remove_formats_of_parts(value: &mut Value) {
    match value {
        Value::Object(schema) => remove_rust_formats(schema),
        Value::Array(values) => values.iter_mut().for_each(remove_formats_of_parts),
        _ => {}
    }
}

/// Compiles a schema.
#[cfg(feature = "json-schema")]
pub(crate) fn compile(schema: &Object) -> Result<Validator, DefinitionError> {
    let schema = serde_json::Value::Object(schema.clone().into());
    Validator::new(&schema).map_err(|error| match error {
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
