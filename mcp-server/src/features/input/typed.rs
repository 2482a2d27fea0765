//! Derives the fields of a form from the JSON Schema of a Rust type.

use mcp_types::{
    BooleanSchema, NumberSchema, PrimitiveSchemaDefinition, RequestedSchema, StringSchema,
    json::{self, Map, Object, Value},
};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;

use crate::features::input::error::InputError;
use crate::features::schema::order::as_declared;

/// Returns the form of a type, or the member that a form cannot have.
pub(crate) fn schema<T: JsonSchema + DeserializeOwned>() -> Result<RequestedSchema, InputError> {
    let settings = SchemaSettings::draft2020_12().with(|it| it.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let whole = |reason: String| field_error("", reason);
    let schema = json::to_value(&schema).map_err(|error| whole(error.to_string()))?;
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(whole("a form is a struct with named members".to_owned()));
    }
    let mut properties = Map::new();
    let members = schema.get("properties").and_then(Value::as_object);
    for (name, schema) in members.into_iter().flatten() {
        let field = field(schema).map_err(|reason| field_error(name, reason))?;
        properties.insert(name, field);
    }
    as_declared::<T, _>(&mut properties);
    let mut form = RequestedSchema::new(properties);
    form.required = schema.get("required").and_then(strings);
    Ok(form)
}

fn field_error(field: &str, reason: String) -> InputError {
    InputError::Field {
        field: field.to_owned(),
        reason,
    }
}

/// Reads a list of strings and skips `null`s, which stand for omitted values.
fn strings(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array()?.iter().filter(|item| !item.is_null());
    items.map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Converts a member's schema to a field.
fn field(schema: &Value) -> Result<PrimitiveSchemaDefinition, String> {
    const NOT_FLAT: &str = "is not a string, number, boolean or choice of strings";
    let object = schema.as_object().ok_or(NOT_FLAT)?;
    if let Some(inner) = object.get("anyOf").and_then(Value::as_array) {
        return optional(object, inner)
            .ok_or(NOT_FLAT.to_owned())
            .and_then(|it| field(&it));
    }
    if let Some(options) = options(object)? {
        return single(object, options);
    }
    let read = || {
        let mut schema = object.clone();
        // Keywords that forms do not have, or that do not restrict the value.
        schema.retain(|name, value| {
            let format = name == "format" && !is_format(value);
            !(value.is_null() || format || name == "examples")
        });
        schema.insert("type", kind(object).unwrap_or_default());
        schema
    };
    let known: &[&str] = match kind(object) {
        Some("string") => &[
            "type",
            "title",
            "description",
            "minLength",
            "maxLength",
            "format",
            "default",
        ],
        Some("number" | "integer") => &[
            "type",
            "title",
            "description",
            "minimum",
            "maximum",
            "default",
        ],
        Some("boolean") => &["type", "title", "description", "default"],
        Some("array") => return multiple(object),
        _ => return Err(NOT_FLAT.to_owned()),
    };
    let schema = read();
    if let Some(word) = schema.keys().find(|word| !known.contains(word)) {
        return Err(format!("has `{word}`, which forms do not have"));
    }
    let from = |error: mcp_types::error::DecodeError| error.to_string();
    Ok(match kind(object) {
        Some("string") => json::from_object::<StringSchema>(schema)
            .map_err(from)?
            .into(),
        Some("boolean") => json::from_object::<BooleanSchema>(schema)
            .map_err(from)?
            .into(),
        _ => json::from_object::<NumberSchema>(schema)
            .map_err(from)?
            .into(),
    })
}

fn is_format(value: &Value) -> bool {
    matches!(value.as_str(), Some("email" | "uri" | "date" | "date-time"))
}

/// Returns the type, without `null`.
fn kind(schema: &Object) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => {
            let mut kinds = kinds
                .iter()
                .filter_map(Value::as_str)
                .filter(|it| *it != "null");
            kinds.next().filter(|_| kinds.next().is_none())
        }
        _ => None,
    }
}

/// Returns the schema inside of an `Option`, with the keywords next to it.
fn optional(outer: &Object, inner: &[Value]) -> Option<Value> {
    let is_null = |value: &&Value| value.get("type").and_then(Value::as_str) == Some("null");
    let mut others = inner.iter().filter(|value| !is_null(value));
    let mut schema = others
        .next()
        .filter(|_| others.next().is_none())?
        .as_object()?
        .clone();
    for (word, value) in outer.iter().filter(|(word, _)| *word != "anyOf") {
        schema.insert(word, value.clone());
    }
    Some(Value::Object(schema))
}

/// Returns the values of a choice; those with a description get a title.
enum Options {
    Plain(Vec<String>),
    /// Objects with `const` and `title`.
    Titled(Vec<Value>),
}

fn options(schema: &Object) -> Result<Option<Options>, String> {
    const NOT_STRINGS: &str = "is a choice of something other than strings";
    if let Some(values) = schema.get("enum") {
        return strings(values)
            .map(|values| Some(Options::Plain(values)))
            .ok_or_else(|| NOT_STRINGS.to_owned());
    }
    if let Some(value) = schema.get("const") {
        let value = value.as_str().ok_or(NOT_STRINGS)?;
        return Ok(Some(Options::Plain(vec![value.to_owned()])));
    }
    let Some(variants) = schema.get("oneOf").and_then(Value::as_array) else {
        return Ok(None);
    };
    let mut titled = Vec::new();
    for variant in variants {
        let text = |word| variant.get(word).and_then(Value::as_str);
        if let Some(value) = text("const") {
            let title = text("title").or(text("description")).unwrap_or(value);
            titled.push(option(value, title));
        } else {
            let values = variant.get("enum").and_then(strings).ok_or(NOT_STRINGS)?;
            titled.extend(values.iter().map(|value| option(value, value)));
        }
    }
    Ok(Some(Options::Titled(titled)))
}

fn option(value: &str, title: &str) -> Value {
    Object::from([("const", Value::from(value)), ("title", title.into())]).into()
}

fn text(schema: &Object, word: &str) -> Option<String> {
    schema.get(word).and_then(Value::as_str).map(str::to_owned)
}

/// Returns a choice of one value.
fn single(schema: &Object, options: Options) -> Result<PrimitiveSchemaDefinition, String> {
    let mut choice = described(schema, "string");
    match options {
        Options::Plain(values) => choice.insert("enum", values),
        Options::Titled(options) => choice.insert("oneOf", options),
    };
    insert(&mut choice, "default", text(schema, "default"));
    decoded(choice)
}

/// Returns a choice of several values.
fn multiple(schema: &Object) -> Result<PrimitiveSchemaDefinition, String> {
    let items = schema.get("items").and_then(Value::as_object);
    let mut choices = Object::new();
    match items.map(options).transpose()?.flatten() {
        Some(Options::Plain(values)) => {
            choices.insert("type", "string");
            choices.insert("enum", values);
        }
        Some(Options::Titled(options)) => {
            choices.insert("anyOf", options);
        }
        None => return Err("is a list of something other than a choice of strings".to_owned()),
    }
    let mut choice = described(schema, "array");
    choice.insert("items", choices);
    for word in ["minItems", "maxItems"] {
        insert(&mut choice, word, schema.get(word).and_then(Value::as_i64));
    }
    insert(
        &mut choice,
        "default",
        schema.get("default").and_then(strings),
    );
    decoded(choice)
}

/// Returns the beginning of a choice: its type, title and description.
fn described(schema: &Object, kind: &str) -> Object {
    let mut choice = Object::new();
    choice.insert("type", kind);
    insert(&mut choice, "title", text(schema, "title"));
    insert(&mut choice, "description", text(schema, "description"));
    choice
}

fn insert(schema: &mut Object, word: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        schema.insert(word, value);
    }
}

/// Converts a choice by its JSON, which does not depend on the names that the newest revision has
/// for the kinds of fields.
fn decoded(choice: Object) -> Result<PrimitiveSchemaDefinition, String> {
    json::from_object(choice).map_err(|error| error.to_string())
}
