//! `allOf`, `anyOf` and `oneOf`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::value::{describes, type_of};
use super::{Simplifier, accepts_all};
use crate::schema::keyword::restricts;
use crate::schema::reference;

/// Keywords that say something about the members of an object.
const OF_OBJECTS: [&str; 3] = ["properties", "required", "additionalProperties"];

impl Simplifier<'_> {
    /// Reduces `allOf` to schemas of objects, which are merged later, or to one schema.
    pub(super) fn all_of(&mut self, simple: &mut Map<String, Value>, at: &str) {
        let Some(Value::Array(parts)) = simple.shift_remove("allOf") else {
            return;
        };
        let mut parts: Vec<Value> = parts
            .into_iter()
            .filter(|part| !accepts_all(part))
            .collect();
        let mut own = simple.clone();
        own.retain(|keyword, _| restricts(keyword));
        let all_objects = parts.iter().all(|part| self.is_object(part));
        let own_is_object = own.iter().all(|(keyword, value)| match keyword.as_str() {
            "type" => value == "object",
            other => OF_OBJECTS.contains(&other),
        });
        if own.is_empty() && parts.len() == 1 {
            let only = parts.remove(0);
            let described: Vec<(String, Value)> = simple.clone().into_iter().collect();
            simple.clear();
            simple.extend(only.as_object().cloned().unwrap_or_default());
            for (keyword, value) in described {
                simple.insert(keyword, value);
            }
            return;
        }
        if parts.is_empty() || (all_objects && own_is_object) {
            if !parts.is_empty() {
                simple.insert("allOf".to_owned(), Value::Array(parts));
            }
            return;
        }
        // Schemas of simple values: the most specific one is kept.
        self.unchecked(at, "allOf");
        if own.is_empty() {
            let best = parts
                .iter()
                .position(|part| self.is_object(part))
                .unwrap_or(0);
            let best = parts.swap_remove(best);
            simple.extend(best.as_object().cloned().unwrap_or_default());
        }
    }

    /// Returns `true` if a schema only accepts objects, or says something about objects only.
    fn is_object(&self, schema: &Value) -> bool {
        self.only_objects(schema, &mut BTreeSet::new())
    }

    /// `seen` are the definitions that were looked at. A second look would find nothing new.
    fn only_objects(&self, schema: &Value, seen: &mut BTreeSet<String>) -> bool {
        if reference(schema).is_some_and(|name| !seen.insert(name.to_owned())) {
            return true;
        }
        let target = self.resolve(schema);
        let Some(members) = target.as_object() else {
            return false;
        };
        let mut all = |keyword: &str| match members.get(keyword) {
            Some(Value::Array(parts)) => parts.iter().all(|part| self.only_objects(part, seen)),
            _ => true,
        };
        let combined = ["allOf", "anyOf", "oneOf"];
        let mut of_objects = OF_OBJECTS.iter().chain(&combined);
        let is_typed = members.get("type").map_or_else(
            || of_objects.any(|keyword| members.contains_key(*keyword)),
            |ty| ty == "object",
        );
        is_typed
            && !members.contains_key("enum")
            && !members.contains_key("const")
            && all("allOf")
            && all("anyOf")
            && all("oneOf")
    }

    /// Distributes what stands beside a union over its alternatives.
    pub(super) fn union(&mut self, simple: &mut Map<String, Value>, at: &str) {
        let both = simple.contains_key("anyOf") && simple.contains_key("oneOf");
        if both {
            self.unchecked(at, "anyOf");
            simple.shift_remove("anyOf");
        }
        let keyword = if simple.contains_key("anyOf") {
            "anyOf"
        } else {
            "oneOf"
        };
        let Some(Value::Array(parts)) = simple.get(keyword).cloned() else {
            return;
        };
        let mut base = simple.clone();
        base.retain(|other, _| other != keyword && restricts(other));
        if parts.iter().any(accepts_all) {
            // A part that says nothing, maybe because what it says cannot be expressed.
            if keyword == "oneOf" || !base.is_empty() {
                self.unchecked(at, keyword);
            }
            simple.shift_remove(keyword);
            return;
        }
        if base.is_empty() {
            self.plain_union(simple, keyword, parts, at);
            return;
        }
        let only_type = base.len() == 1 && base.contains_key("type");
        if only_type {
            let typed = |part: &Value| {
                let mut part = part.clone();
                let is_bare = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"]
                    .iter()
                    .all(|keyword| part.get(*keyword).is_none());
                if let (true, Some(members)) = (is_bare, part.as_object_mut()) {
                    members.insert("type".to_owned(), base["type"].clone());
                }
                part
            };
            simple.shift_remove("type");
            let parts: Vec<Value> = parts.iter().map(typed).collect();
            self.plain_union(simple, keyword, parts, at);
            return;
        }
        // Alternatives that only demand members of the base are no types of their own.
        let is_constraint = |part: &Value| {
            let mut members = part.as_object().into_iter().flatten();
            members.all(|(keyword, value)| match keyword.as_str() {
                "required" => true,
                "type" => value == "object",
                "properties" => value
                    .as_object()
                    .is_some_and(|own| own.values().all(accepts_all)),
                other => describes(other),
            })
        };
        let base_is_object = base.iter().all(|(keyword, value)| match keyword.as_str() {
            "type" => value == "object",
            "allOf" => true,
            other => OF_OBJECTS.contains(&other),
        });
        let all_objects = parts.iter().all(|part| self.is_object(part));
        if !base_is_object || !all_objects || parts.iter().all(is_constraint) {
            self.unchecked(at, keyword);
            simple.shift_remove(keyword);
            return;
        }
        simple.retain(|other, _| other != keyword && !restricts(other));
        let own = Value::Object(base);
        let parts: Vec<Value> = parts
            .into_iter()
            .map(|part| json!({ "allOf": [own.clone(), part] }))
            .collect();
        simple.insert("anyOf".to_owned(), Value::Array(parts));
    }

    /// Stores the alternatives of a union with nothing beside it. If only one is left, it takes the
    /// place of the union.
    fn plain_union(
        &mut self,
        simple: &mut Map<String, Value>,
        keyword: &str,
        parts: Vec<Value>,
        at: &str,
    ) {
        let count = parts.len();
        let mut parts = self.constants(parts, at);
        if parts.len() == 1 && count > 1 {
            simple.shift_remove(keyword);
            let only = parts.remove(0);
            simple.extend(only.as_object().cloned().unwrap_or_default());
        } else {
            simple.insert(keyword.to_owned(), Value::Array(parts));
        }
    }

    /// Collects the alternatives that are constants: strings become one enumeration.
    fn constants(&mut self, parts: Vec<Value>, at: &str) -> Vec<Value> {
        let strings = |part: &Value| -> Option<Vec<Value>> {
            match (part.get("const"), part.get("enum")) {
                (Some(only @ Value::String(_)), _) => Some(vec![only.clone()]),
                (None, Some(Value::Array(all))) if all.iter().all(Value::is_string) => {
                    Some(all.clone())
                }
                _ => None,
            }
        };
        let found = parts.iter().filter_map(strings).count();
        let mut known: Vec<Value> = Vec::new();
        let mut rest: Vec<Value> = Vec::new();
        for part in parts.iter().cloned() {
            match (strings(&part), part.get("const")) {
                (Some(all), _) => {
                    let new = all.into_iter().filter(|text| !known.contains(text));
                    let new: Vec<Value> = new.collect();
                    known.extend(new);
                }
                (None, Some(value)) => {
                    let ty = json!({ "type": type_of(value) });
                    self.unchecked(at, "const");
                    if !rest.contains(&ty) {
                        rest.push(ty);
                    }
                }
                (None, None) if is_plain_string(&part) => rest.push(json!({ "type": "string" })),
                _ => rest.push(part),
            }
        }
        // A type without restrictions covers the constants of this type.
        if parts.iter().any(|part| part.get("const").is_some()) {
            let only_type = |part: &Value| {
                let members = part.as_object()?;
                let mut restricting = members.keys().filter(|keyword| restricts(keyword));
                let ty = part.get("type")?.as_str()?;
                (restricting.next()? == "type" && restricting.next().is_none())
                    .then_some(ty.to_owned())
            };
            let mut seen: BTreeSet<String> = BTreeSet::new();
            rest.retain(|part| only_type(part).is_none_or(|ty| seen.insert(ty)));
        }
        // An enumeration with nothing beside it is understood as it is.
        if found < 2 && rest.len() + found == parts.len() || rest.is_empty() {
            return if known.is_empty() { rest } else { parts };
        }
        if !known.is_empty() {
            rest.insert(0, json!({ "type": "string", "enum": known }));
        }
        rest
    }
}

/// Returns `true` for a schema that accepts all strings and nothing else.
fn is_plain_string(part: &Value) -> bool {
    let mut members = part.as_object().into_iter().flatten();
    part.get("type").is_some_and(|ty| ty == "string")
        && members.all(|(keyword, _)| keyword == "type" || !restricts(keyword))
}
