//! Values that a document lists for a schema.

use mcp_server::types::json::{self, Object, Value};

use super::keywords::kind;
use super::{Converter, Direction};
use crate::document::{MEMBERS, Version};

impl<'a> Converter<'a, '_> {
    /// Converts `enum`, or `const` as a list with one value.
    ///
    /// An API adds values to its results, so those of a result are only examples. Values that do not fit
    /// the type beside them would refuse every argument, so they become values of that type, or are
    /// left out.
    pub(super) fn values(
        &mut self,
        keyword: &'static str,
        values: &'a [Value],
        schema: &Object,
        converted: &mut Object,
    ) {
        if self.direction == Direction::Response {
            let is_plain = |it: &Value| !matches!(it, Value::Array(_) | Value::Object(_));
            if values.iter().all(is_plain) && self.take_values(values) {
                converted.insert("examples", Value::Array(values.to_vec()));
            }
            return;
        }
        if !self.take_values(values) {
            return;
        }
        let types = self.types(schema);
        let fitting = values
            .iter()
            .filter_map(|value| fitting(value, types.as_deref()));
        let mut fitting: Vec<Value> = fitting.collect();
        if fitting != values {
            self.note(format!(
                "`{keyword}` in a schema has a value that does not fit `type`"
            ));
        }
        match keyword {
            _ if fitting.is_empty() => {}
            "const" => {
                converted.insert(keyword, fitting.swap_remove(0));
            }
            _ => {
                converted.insert(keyword, Value::Array(fitting));
            }
        }
    }

    /// Returns the types that a schema permits, if it lists any.
    fn types(&self, schema: &Object) -> Option<Vec<String>> {
        let mut types = match kind(schema.get("type")?)? {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            _ => return None,
        };
        let is_nullable = schema.get("nullable").and_then(Value::as_bool) == Some(true);
        if self.resolver.version == Version::V3_0 && is_nullable {
            types.push("null".to_owned());
        }
        Some(types)
    }

    fn take_values(&mut self, values: &[Value]) -> bool {
        values.iter().all(|value| self.has_room(value, self.budget))
    }

    /// Requires that an alternative has its value of the `discriminator`: a model cannot know
    /// it otherwise.
    pub(super) fn discriminate(&mut self, schema: &'a Object, converted: &mut Object) {
        let discriminator = schema.get("discriminator");
        let property = discriminator.and_then(|it| it.get("propertyName")?.as_str());
        let parts = ["oneOf", "anyOf"].map(|keyword| schema.get(keyword)?.as_array());
        let parts = parts.into_iter().flatten().next();
        let alternatives = converted.get_mut("anyOf").and_then(Value::as_array_mut);
        let (Some(property), Some(parts), Some(alternatives)) = (property, parts, alternatives)
        else {
            return;
        };
        let mapping = discriminator.and_then(|it| it.get("mapping")?.as_object());
        if self.direction == Direction::Response
            || parts.len() != alternatives.len()
            || mapping.is_some_and(|mapping| mapping.len() > MEMBERS)
        {
            return;
        }
        for (part, alternative) in parts.iter().zip(alternatives) {
            let reference = part.get("$ref").and_then(Value::as_str);
            let alternative = alternative.as_object_mut();
            let (Some(reference), Some(alternative)) = (reference, alternative) else {
                continue;
            };
            let is_free = |keyword| !alternative.contains_key(keyword);
            if is_free("$ref") || !is_free("properties") || !is_free("required") {
                continue;
            }
            let values = self.discriminators(reference, property, mapping);
            if values.is_empty() || !self.take_values(&values) {
                continue;
            }
            let value = match <[Value; 1]>::try_from(values) {
                Ok([value]) => Object::from([("const", value)]),
                Err(values) => Object::from([("enum", Value::Array(values))]),
            };
            alternative.insert("properties", Object::from([(property, value)]));
            alternative.insert("required", Value::Array(vec![property.into()]));
        }
    }

    /// Returns the values of a discriminator that mean this schema: those of `mapping`, otherwise its
    /// name. Returns none if the schema has the value itself.
    fn discriminators(
        &self,
        reference: &str,
        property: &str,
        mapping: Option<&'a Object>,
    ) -> Vec<Value> {
        let name = reference.rsplit('/').next().unwrap_or_default();
        let mapped = mapping.into_iter().flatten();
        let mapped = mapped.filter(|(_, target)| {
            let target = target.as_str();
            target == Some(reference) || target == Some(name)
        });
        let mapped: Vec<Value> = mapped.map(|(value, _)| value.into()).collect();
        let schema = self.resolver.resolve(reference);
        let schema = schema.and_then(|it| self.resolver.follow(it)).ok();
        let own = schema.and_then(|it| it.get("properties")?.as_object());
        let own = own.and_then(|own| self.resolver.member(own, property));
        let own = own.and_then(|own| self.resolver.follow(own).ok());
        let listed = own.and_then(|own| own.get("enum")?.as_array());
        let has_one = own.is_some_and(|own| own.get("const").is_some())
            || listed.is_some_and(|listed| listed.len() == 1);
        match (has_one, listed) {
            (true, _) => Vec::new(),
            (false, Some(listed)) => {
                let is_listed = |value: &Value| listed.contains(value);
                mapped.into_iter().filter(is_listed).collect()
            }
            (false, None) if mapped.is_empty() => vec![name.into()],
            (false, None) => mapped,
        }
    }
}

/// Returns a value of one of the types: the value itself if it has one, or what its text means.
fn fitting(value: &Value, types: Option<&[String]>) -> Option<Value> {
    let Some(types) = types else {
        return Some(value.clone());
    };
    if types.iter().any(|kind| is_of(value, kind)) {
        return Some(value.clone());
    }
    let converted = match value {
        Value::String(text) => json::from_str::<Value>(text).ok()?,
        Value::Number(_) | Value::Bool(_) => json::to_string(value).ok()?.into(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    let fits = types.iter().any(|kind| is_of(&converted, kind));
    fits.then_some(converted)
}

fn is_of(value: &Value, kind: &str) -> bool {
    match (value, kind) {
        (Value::Null, "null")
        | (Value::Bool(_), "boolean")
        | (Value::Number(_), "number")
        | (Value::String(_), "string")
        | (Value::Array(_), "array")
        | (Value::Object(_), "object") => true,
        (Value::Number(number), "integer") => number.is_integer(),
        _ => false,
    }
}
