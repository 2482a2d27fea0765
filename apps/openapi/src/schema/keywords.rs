//! Converts the keywords of one schema.

use mcp_server::types::json::{Object, Value};

use super::{Converter, Detail, Direction, EXAMPLE};
use crate::document::Version;

/// The types of JSON Schema.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

/// Formats of numbers and texts that say nothing to a validator of JSON Schema, and formats whose
/// meaning in 3.0 is not that of JSON Schema.
const FORMATS: [&str; 10] = [
    "binary", "byte", "double", "duration", "float", "int32", "int64", "password", "regex", "time",
];

impl<'a> Converter<'a, '_> {
    /// Converts a keyword of `schema`. A keyword with a value that JSON Schema does not permit is left
    /// out, because it would invalidate the whole schema.
    pub(super) fn keyword(
        &mut self,
        keyword: &'a str,
        value: &'a Value,
        schema: &'a Object,
        depth: usize,
        converted: &mut Object,
    ) {
        let is_least = self.detail == Detail::Least;
        let is_response = self.direction == Direction::Response;
        let kept = match keyword {
            // APIs return `null` for members without a value, whatever their documents say.
            "type" if is_response => kind(value).map(or_null),
            "type" => kind(value),
            "title" if is_least || depth > 0 => return,
            "description" => return self.description(schema, converted),
            "properties" | "patternProperties" | "dependentSchemas" => {
                if keyword == "patternProperties" && self.detail != Detail::Full {
                    return;
                }
                self.members(value, depth)
            }
            "items" => match value {
                // Written for an older draft of JSON Schema.
                Value::Array(_) => {
                    if let Some(items) = self.schemas(value, depth) {
                        converted.insert("prefixItems", items);
                    }
                    return;
                }
                _ => Some(self.schema(value, depth + 1)),
            },
            "additionalProperties" if is_response && value.as_bool().is_some() => return,
            "else" | "if" | "not" | "then" | "unevaluatedItems" | "unevaluatedProperties" => {
                if is_response || self.detail != Detail::Full {
                    return;
                }
                self.is_strict = true;
                Some(self.schema(value, depth + 1))
            }
            "additionalProperties" | "contains" | "propertyNames" => {
                Some(self.schema(value, depth + 1))
            }
            // What is left out of alternatives can make a value fit several of them.
            "oneOf" if schema.contains_key("anyOf") => {
                return self.note("`oneOf` beside `anyOf` in a schema is left out");
            }
            "oneOf" => {
                let alternatives = self.schemas(value, depth);
                let Some(alternatives) = alternatives else {
                    return self.note("`oneOf` in a schema has an invalid value");
                };
                converted.insert("anyOf", alternatives);
                return;
            }
            "allOf" | "anyOf" | "prefixItems" => self.schemas(value, depth),
            "required" => self.required(value),
            "enum" if value.as_array().is_none_or(Vec::is_empty) => None,
            "enum" => {
                let values = value.as_array().map(Vec::as_slice).unwrap_or_default();
                return self.values("enum", values, schema, converted);
            }
            "const" => {
                return self.values("const", std::slice::from_ref(value), schema, converted);
            }
            "default" | "examples" | "example" => {
                return self.example(keyword, value, converted);
            }
            // What follows are bounds of values.
            _ if is_response || is_least => return,
            "exclusiveMaximum" | "exclusiveMinimum" => match value {
                Value::Bool(false) => return,
                Value::Bool(true) => {
                    let inclusive = bound_of(keyword);
                    let bound = schema.get(inclusive).and_then(Value::as_number);
                    converted.remove(inclusive);
                    bound.map(|bound| Value::Number(bound.clone()))
                }
                _ => value.as_number().map(|_| value.clone()),
            },
            "maximum" | "minimum" => {
                let exclusive = match keyword {
                    "maximum" => "exclusiveMaximum",
                    _ => "exclusiveMinimum",
                };
                if schema.get(exclusive).and_then(Value::as_bool) == Some(true) {
                    return;
                }
                value.as_number().map(|_| value.clone())
            }
            "multipleOf" => value.as_f64().filter(|it| *it > 0.0).map(|_| value.clone()),
            "maxItems" | "maxLength" | "maxProperties" | "minItems" | "minLength"
            | "minProperties" | "maxContains" | "minContains" => {
                value.as_u64().map(|_| value.clone())
            }
            "uniqueItems" => value.as_bool().map(Value::Bool),
            "pattern" if self.detail == Detail::Less => return,
            "pattern" | "contentEncoding" | "contentMediaType" => value
                .as_str()
                .filter(|text| self.take(text.len()))
                .map(Value::from),
            "format" => match value.as_str() {
                Some("binary" | "byte") => {
                    converted.insert("contentEncoding", "base64");
                    return;
                }
                Some(format) if self.is_useless(format) => return,
                format => format.map(Value::from),
            },
            "$dynamicRef" => {
                return self.note("`$dynamicRef` in a schema is not supported");
            }
            // Keywords of OpenAPI, names of schemas, and members that validators ignore.
            _ => return,
        };
        match kept {
            Some(kept) => {
                self.take(keyword.len());
                converted.insert(keyword, kept);
            }
            None => self.note(format!("`{keyword}` in a schema has an invalid value")),
        }
    }

    fn is_useless(&self, format: &str) -> bool {
        match self.resolver.version {
            Version::V3_0 => FORMATS.contains(&format),
            Version::V3_1 => {
                FORMATS.contains(&format) && !matches!(format, "duration" | "regex" | "time")
            }
        }
    }

    fn members(&mut self, value: &'a Value, depth: usize) -> Option<Value> {
        let mut members = Object::new();
        for (name, schema) in value.as_object()? {
            if !self.take(name.len() + 1) {
                break;
            }
            let schema = self.schema(schema, depth + 1);
            members.push(name, schema);
        }
        Some(members.into())
    }

    fn schemas(&mut self, value: &'a Value, depth: usize) -> Option<Value> {
        let schemas = value.as_array().filter(|it| !it.is_empty())?;
        if schemas.len().saturating_mul(16) > self.budget {
            // Half a list of alternatives would refuse the other half.
            self.take(usize::MAX);
            return Some(Value::Array(vec![Value::Bool(true)]));
        }
        let schemas = schemas.iter();
        Some(schemas.map(|it| self.schema(it, depth + 1)).collect())
    }

    fn required(&mut self, value: &Value) -> Option<Value> {
        let mut seen = std::collections::HashSet::new();
        let mut names = Vec::new();
        for name in value.as_array()? {
            let text = name.as_str()?;
            if !self.take(text.len() + 1) {
                break;
            }
            if seen.insert(text) {
                names.push(name.clone());
            }
        }
        Some(Value::Array(names))
    }

    /// Adds a value that helps the model. Leaves out a large one.
    fn example(&mut self, keyword: &str, value: &Value, converted: &mut Object) {
        let is_valid = keyword != "examples" || value.as_array().is_some();
        let room = self.budget.min(EXAMPLE);
        // Data may contain members such as `$id`, which count as keywords to some validators.
        let is_wanted = self.detail == Detail::Full && self.direction == Direction::Request;
        if !is_wanted || !is_valid || size(value, room).is_none() {
            return;
        }
        self.take(size(value, room).unwrap_or(room));
        match keyword {
            "example" => converted.insert("examples", Value::Array(vec![value.clone()])),
            _ => converted.insert(keyword, value.clone()),
        };
    }

    /// Takes the size of a value from the budget.
    pub(super) fn has_room(&mut self, value: &Value, room: usize) -> bool {
        self.take(size(value, room).unwrap_or(usize::MAX))
    }
}

/// Adds `null` to types.
fn or_null(types: Value) -> Value {
    let mut types = match types {
        Value::Array(types) => types,
        kind => vec![kind],
    };
    if !types.iter().any(|kind| kind.as_str() == Some("null")) {
        types.push("null".into());
    }
    Value::Array(types)
}

/// Returns the types that JSON Schema has.
pub(super) fn kind(value: &Value) -> Option<Value> {
    let is_known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    match value {
        Value::String(_) if is_known(value) => Some(value.clone()),
        Value::Array(kinds)
            if !kinds.is_empty() && kinds.len() <= TYPES.len() && kinds.iter().all(is_known) =>
        {
            let mut known: Vec<Value> = Vec::new();
            for kind in kinds {
                if !known.contains(kind) {
                    known.push(kind.clone());
                }
            }
            Some(Value::Array(known))
        }
        _ => None,
    }
}

/// Returns the approximate size of a value as text; `None` if it is more than `room`.
pub(crate) fn size(value: &Value, room: usize) -> Option<usize> {
    let mut left = room.checked_sub(2)?;
    match value {
        Value::String(text) => left = left.checked_sub(text.len())?,
        Value::Array(items) => {
            for item in items {
                left -= size(item, left)?;
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                left = left.checked_sub(name.len())?;
                left -= size(member, left)?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => left = left.checked_sub(3)?,
    }
    Some(room - left)
}

fn bound_of(keyword: &str) -> &'static str {
    match keyword {
        "exclusiveMaximum" => "maximum",
        _ => "minimum",
    }
}
