//! Merges `allOf` and expands `anyOf`.

use super::shape::{Alternative, any_of, reference, types_of};

use super::{BuildError, Builder};
use crate::model::{Kind, Ty};
use serde_json::Value;

/// The maximum number of alternatives of a schema. A product of several unions may have more.
const MOST_ALTERNATIVES: usize = 64;

/// The maximum number of schemas that are looked at for one schema: parts of parts may stand twice
/// in each level.
const MOST_PARTS: usize = 4096;

impl Builder<'_> {
    /// Merges `allOf` into one object, or into a union of alternatives.
    pub(super) fn alternatives(
        &mut self,
        name: &str,
        schema: &Value,
        pointer: &str,
    ) -> Result<Kind, BuildError> {
        let mut left = MOST_PARTS;
        let Some(mut found) = self.expand(schema, pointer, 0, &mut left) else {
            self.unchecked(pointer, "allOf");
            return Ok(Kind::Alias(Ty::Any));
        };
        if found.len() == 1 {
            let only = found.remove(0);
            if any_of(schema).is_none() || reference(&only.schema).is_none() {
                return self.kind(name, &only.schema, pointer);
            }
            found.push(only);
        }
        self.union(name, found, pointer)
    }

    /// Returns the alternatives of a schema: expands `anyOf` and merges `allOf` into each of them.
    /// Returns `None` if they cannot be merged.
    fn expand(
        &self,
        schema: &Value,
        pointer: &str,
        depth: usize,
        left: &mut usize,
    ) -> Option<Vec<Alternative>> {
        // Deeper ones are recursive.
        if depth > 32 {
            return None;
        }
        *left = left.checked_sub(1)?;
        if let Some(parts) = any_of(schema) {
            if schema.get("properties").is_some() || schema.get("allOf").is_some() {
                return None;
            }
            let mut all = Vec::new();
            for (at, part) in parts.iter().enumerate() {
                if reference(part).is_some()
                    || part.get("allOf").is_none() && any_of(part).is_none()
                {
                    let label = reference(part).map(str::to_owned);
                    all.push(Alternative {
                        label,
                        schema: part.clone(),
                    });
                } else {
                    all.extend(self.expand(
                        part,
                        &format!("{pointer}/anyOf/{at}"),
                        depth + 1,
                        left,
                    )?);
                }
            }
            return Some(all);
        }
        let Some(parts) = schema.get("allOf").and_then(Value::as_array) else {
            return Some(vec![Alternative {
                label: None,
                schema: schema.clone(),
            }]);
        };
        let mut own = schema.clone();
        if let Some(own) = own.as_object_mut() {
            own.shift_remove("allOf");
        }
        let mut merged = vec![Alternative {
            label: None,
            schema: own,
        }];
        for (at, part) in parts.iter().enumerate() {
            let place = format!("{pointer}/allOf/{at}");
            let target = match reference(part) {
                Some(name) => self.source.definitions.get(name).unwrap_or(part),
                None => part,
            };
            let mut spread = Vec::new();
            for choice in self.expand(target, &place, depth + 1, left)? {
                let body = match reference(&choice.schema) {
                    Some(name) => self.source.definitions.get(name).unwrap_or(&choice.schema),
                    None => &choice.schema,
                };
                // It contains the schema that is expanded, or is another name for one that does.
                if body.get("allOf").is_some() {
                    return None;
                }
                for base in &merged {
                    spread.push(Alternative {
                        label: choice.label.clone().or_else(|| base.label.clone()),
                        schema: merge(&base.schema, body)?,
                    });
                }
            }
            if spread.len() > MOST_ALTERNATIVES {
                return None;
            }
            merged = spread;
        }
        Some(merged)
    }
}

/// Merges two object schemas. The members of the second one narrow those of the first. Returns
/// `None` if they are not schemas of objects.
fn merge(first: &Value, second: &Value) -> Option<Value> {
    let object = |schema: &Value| types_of(schema).iter().all(|ty| *ty == "object");
    let (Value::Object(a), Value::Object(b), true) =
        (first, second, object(first) && object(second))
    else {
        return None;
    };
    let mut merged = a.clone();
    for (key, value) in b {
        match (key.as_str(), merged.get_mut(key)) {
            ("properties", Some(Value::Object(properties))) => {
                for (name, property) in value.as_object().into_iter().flatten() {
                    // One that accepts every value narrows nothing.
                    if !(properties.contains_key(name) && is_anything(property)) {
                        properties.insert(name.clone(), property.clone());
                    }
                }
            }
            ("required", Some(Value::Array(required))) => {
                for name in value.as_array().into_iter().flatten() {
                    if !required.contains(name) {
                        required.push(name.clone());
                    }
                }
            }
            ("description" | "deprecated" | "x-feature" | "$schema", Some(_)) => {}
            (_, None) if key == "description" => {}
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    merged.insert("type".into(), "object".into());
    Some(Value::Object(merged))
}

fn is_anything(schema: &Value) -> bool {
    *schema == Value::Bool(true) || schema.as_object().is_some_and(serde_json::Map::is_empty)
}
