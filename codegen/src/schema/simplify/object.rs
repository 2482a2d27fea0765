//! Objects: members by pattern, further members, and schemas without a type.

use serde_json::{Map, Value};

use super::{Simplifier, WarningKind};
use crate::schema::pointer;

/// Patterns that every name matches.
const ANY_NAME: [&str; 6] = ["", "^", ".*", "^.*", ".*$", "^.*$"];

impl Simplifier<'_> {
    /// Expresses `unevaluatedProperties` where it means the same as `additionalProperties`: if no
    /// other schema for the same object can declare members.
    pub(super) fn unevaluated(
        &mut self,
        members: &Map<String, Value>,
        simple: &mut Map<String, Value>,
        at: &str,
    ) {
        let Some(value) = members.get("unevaluatedProperties") else {
            return;
        };
        let others = [
            "$dynamicRef",
            "$ref",
            "additionalProperties",
            "allOf",
            "anyOf",
            "dependentSchemas",
            "if",
            "oneOf",
            "patternProperties",
        ];
        if super::accepts_all(value) {
            return;
        }
        if others.iter().any(|other| members.contains_key(*other)) {
            self.unchecked(at, "unevaluatedProperties");
        } else {
            let schema = match value {
                Value::Bool(_) => value.clone(),
                schema => self.schema(schema, &pointer::join(at, "unevaluatedProperties")),
            };
            simple.insert("additionalProperties".to_owned(), schema);
        }
    }

    /// Expresses `patternProperties` by one schema for all members, if there are no others.
    pub(super) fn pattern_properties(
        &mut self,
        members: &Map<String, Value>,
        simple: &mut Map<String, Value>,
        at: &str,
    ) {
        let Some(Value::Object(patterns)) = members.get("patternProperties") else {
            return;
        };
        let place = pointer::join(at, "patternProperties");
        let mut schemas: Vec<(String, Value)> = Vec::new();
        for (pattern, schema) in patterns {
            let schema = self.schema(schema, &pointer::join(&place, pattern));
            schemas.push((pattern.clone(), schema));
        }
        let is_only = members
            .get("properties")
            .is_none_or(|own| own == &Value::Object(Map::new()));
        let rest = members.get("additionalProperties");
        let matches_all = schemas
            .iter()
            .any(|(pattern, _)| ANY_NAME.contains(&pattern.as_str()));
        match schemas.as_slice() {
            [(_, schema)] if is_only && matches_all => {
                simple.insert("additionalProperties".to_owned(), schema.clone());
            }
            [(_, schema)] if is_only && rest == Some(&Value::Bool(false)) => {
                self.unchecked(at, "patternProperties");
                simple.insert("additionalProperties".to_owned(), schema.clone());
            }
            _ => {
                self.unchecked(at, "patternProperties");
                simple.insert("additionalProperties".to_owned(), Value::Bool(true));
            }
        }
    }

    /// Gives a schema that describes members a type, and opens one whose further members have a
    /// schema beside declared ones.
    pub(super) fn object(&mut self, simple: &mut Map<String, Value>, at: &str) {
        let declares = simple
            .get("properties")
            .is_some_and(|own| own.as_object().is_some_and(|own| !own.is_empty()));
        let requires = simple
            .get("required")
            .is_some_and(|all| all.as_array().is_some_and(|all| !all.is_empty()));
        let further = simple.get("additionalProperties");
        let is_typed =
            further.is_some_and(|schema| !schema.is_boolean() && !super::accepts_all(schema));
        if is_typed && (declares || requires) {
            self.unchecked(at, "additionalProperties");
            simple.insert("additionalProperties".to_owned(), Value::Bool(true));
        }
        let combined = ["$ref", "allOf", "anyOf", "oneOf", "enum", "const"];
        let is_plain = !combined.iter().any(|keyword| simple.contains_key(*keyword));
        let describes = declares || requires || simple.contains_key("additionalProperties");
        if is_plain && describes && !simple.contains_key("type") {
            simple.insert("type".to_owned(), "object".into());
            self.warn(at, WarningKind::OnlyObjects);
        }
    }
}
