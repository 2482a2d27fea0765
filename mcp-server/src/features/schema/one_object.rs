//! Joins the variants of an enum into the schema of one object.

use mcp_types::json::{Object, Value};

use crate::features::definition_error::DefinitionError;

/// How many references are followed from a variant.
const REFERENCES: usize = 4;

/// The members of a variant, or of several variants together.
struct Variant {
    properties: Object,
    /// The names of the members that are required.
    required: Vec<Value>,
    /// `true` if other members are rejected.
    closed: bool,
}

/// Replaces `oneOf` or `anyOf` at the root of a schema by the members of all variants. Members that
/// all variants require stay required.
pub(crate) fn one_object(schema: &mut Object) -> Result<(), DefinitionError> {
    let keyword = ["oneOf", "anyOf"]
        .into_iter()
        .find(|keyword| schema.contains_key(keyword));
    let Some(Value::Array(variants)) = keyword.and_then(|keyword| schema.remove(keyword)) else {
        return Ok(());
    };
    let mut joined: Option<Variant> = None;
    for variant in &variants {
        let variant = variant_of(variant, schema, REFERENCES)?;
        joined = Some(match joined {
            Some(joined) => joined.or(variant),
            None => variant,
        });
    }
    let Some(joined) = joined else {
        return Ok(());
    };
    let whole = own_members(schema).and(joined);
    schema.insert("properties", whole.properties);
    schema.insert("required", Value::Array(whole.required));
    if whole.closed {
        schema.insert("additionalProperties", false);
    }
    Ok(())
}

/// Returns the members of a variant, those of a referenced definition included.
fn variant_of(
    schema: &Value,
    root: &Object,
    references: usize,
) -> Result<Variant, DefinitionError> {
    const NO_OBJECT: &str = "a variant of the arguments is not an object, so that they cannot be \
                             listed as one object: give the enum a tag with `#[serde(tag = \"...\")]`";
    let schema = schema.as_object().ok_or(NO_OBJECT)?;
    let own = own_members(schema);
    let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
        let is_object = schema.contains_key("properties")
            || schema.get("type").and_then(Value::as_str) == Some("object");
        return is_object.then_some(own).ok_or_else(|| NO_OBJECT.into());
    };
    let name = reference.strip_prefix("#/$defs/").ok_or(NO_OBJECT)?;
    let definition = root
        .get("$defs")
        .and_then(|definitions| definitions.get(name));
    let references = references.checked_sub(1).ok_or(NO_OBJECT)?;
    let inner = variant_of(definition.ok_or(NO_OBJECT)?, root, references)?;
    Ok(own.and(inner))
}

/// Returns the members that a schema itself declares. Its description becomes that of the tag.
fn own_members(schema: &Object) -> Variant {
    let mut properties = Object::new();
    let declared = schema.get("properties").and_then(Value::as_object);
    for (name, property) in declared.into_iter().flatten() {
        let mut property = property.clone();
        let tag = property.get("const").and_then(Value::as_str);
        let text = tag.zip(schema.get("description").and_then(Value::as_str));
        let text = text.map(|(tag, text)| format!("{tag}: {text}"));
        if let (Some(member), Some(text)) = (property.as_object_mut(), text) {
            member.insert("description", text);
        }
        properties.insert(name, property);
    }
    let required = schema.get("required").and_then(Value::as_array);
    Variant {
        properties,
        required: required.cloned().unwrap_or_default(),
        closed: schema.get("additionalProperties").and_then(Value::as_bool) == Some(false),
    }
}

impl Variant {
    /// Returns the members of objects that are one or the other.
    fn or(mut self, other: Self) -> Self {
        for (name, property) in other.properties {
            let property = match self.properties.get_mut(&name) {
                Some(known) => either(known.take(), property),
                None => property,
            };
            self.properties.insert(name, property);
        }
        self.required.retain(|name| other.required.contains(name));
        self.closed &= other.closed;
        self
    }

    /// Returns the members of objects that are both.
    fn and(mut self, other: Self) -> Self {
        for (name, property) in other.properties {
            self.properties.insert(name, property);
        }
        for name in other.required {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
        self.closed |= other.closed;
        self
    }
}

/// Returns the schema of a member that has one schema or the other.
fn either(first: Value, second: Value) -> Value {
    if first == second {
        return first;
    }
    if let (Some(mut values), Some(more)) = (constants(&first), constants(&second)) {
        for value in more {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let mut schema = Object::from([("type", Value::from("string"))]);
        let texts = [&first, &second].map(|it| it.get("description").and_then(Value::as_str));
        let texts: Vec<&str> = texts.into_iter().flatten().collect();
        if !texts.is_empty() {
            schema.insert("description", texts.join("\n"));
        }
        schema.insert("enum", Value::Array(values));
        return schema.into();
    }
    let mut any = match first.get("anyOf").and_then(Value::as_array) {
        Some(any) => any.clone(),
        None => vec![first],
    };
    if !any.contains(&second) {
        any.push(second);
    }
    Object::from([("anyOf", Value::Array(any))]).into()
}

/// Returns the values of a schema that lists strings.
fn constants(schema: &Value) -> Option<Vec<Value>> {
    let values = match schema.get("const") {
        Some(value) => vec![value.clone()],
        None => schema.get("enum")?.as_array()?.clone(),
    };
    values
        .iter()
        .all(|value| value.as_str().is_some())
        .then_some(values)
}
