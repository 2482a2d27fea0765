//! Rewrites a schema without references, and with an object at its root.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use mcp_types::json::{Object, Value};
use mcp_types::uri::percent_decode;

/// The maximum depth of schemas within schemas.
const DEPTH: usize = 64;
/// The maximum size of what references add to a schema, in bytes.
const ADDED: usize = 256 << 10;
/// The maximum number of schemas of one property that are compared with each other.
const COMPARED: usize = 32;
/// The size that a value is counted with, in addition to its texts, in bytes.
const VALUE: usize = 16;

/// Keywords whose value is a schema, a list of schemas, or an object of schemas.
const SCHEMA: [&str; 11] = [
    "additionalItems",
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
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const OBJECT: [&str; 3] = ["dependentSchemas", "patternProperties", "properties"];
/// The values of `type`.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];
/// Keywords that have no meaning without references.
const DROPPED: [&str; 8] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$schema",
    "$vocabulary",
    "definitions",
];

/// Returns a schema without references whose root describes an object.
pub(super) fn inlined(schema: &Value) -> Object {
    let mut inliner = Inliner {
        root: schema,
        left: size(schema).saturating_add(ADDED),
        open: Vec::new(),
    };
    let Value::Object(mut root) = inliner.schema(schema, 0) else {
        return object();
    };
    for keyword in ["allOf", "anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = root.remove(keyword) {
            merge(&mut root, branches, keyword == "allOf");
        }
    }
    for keyword in ["not", "enum", "if", "then", "else"] {
        root.remove(keyword);
    }
    let properties = root.remove("properties");
    let properties = properties.filter(|it| it.as_object().is_some());
    let mut result = Object::with_capacity(root.len() + 2);
    result.push("type", Value::from("object"));
    result.push("properties", properties.unwrap_or_else(anything));
    for (name, value) in root {
        if name != "type" {
            result.push(&name, value);
        }
    }
    result
}

/// Returns an empty object, which is also the schema that accepts anything.
fn anything() -> Value {
    Value::Object(Object::new())
}

/// Returns the schema of an object with any members.
fn object() -> Object {
    Object::from([("type", Value::from("object")), ("properties", anything())])
}

/// Moves the properties of branches to the root. If the object has to fit `all` branches, it needs
/// what any of them requires, and otherwise what each of them requires.
fn merge(root: &mut Object, branches: Vec<Value>, all: bool) {
    let mut properties = match root.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Object::new(),
    };
    let mut required = match root.remove("required") {
        Some(Value::Array(required)) => required,
        _ => Vec::new(),
    };
    let count = branches.len();
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut indexes: HashMap<String, Option<usize>> = HashMap::new();
    // The root says more about its own properties than that they exist.
    indexes.extend(properties.keys().map(|name| (name.to_owned(), None)));
    let mut merged: Vec<(String, Vec<Value>)> = Vec::new();
    for branch in branches {
        let Value::Object(mut branch) = branch else {
            continue;
        };
        if let Some(Value::Object(own)) = branch.remove("properties") {
            for (name, schema) in own {
                let name: String = (*name).to_owned();
                let next = Some(merged.len());
                let Some(at) = *indexes.entry(name.clone()).or_insert(next) else {
                    continue;
                };
                match merged.get_mut(at) {
                    Some((_, known)) if known.len() < COMPARED && known.contains(&schema) => {}
                    Some((_, known)) => known.push(schema),
                    None => merged.push((name, vec![schema])),
                }
            }
        }
        let names = branch.get("required").and_then(Value::as_array);
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        for name in names.collect::<HashSet<_>>() {
            *times.entry(name.to_owned()).or_default() += 1;
        }
    }
    let keyword = if all { "allOf" } else { "anyOf" };
    for (name, mut schemas) in merged {
        let last = schemas.pop();
        if schemas.is_empty() {
            properties.push(&name, last.unwrap_or_default());
        } else {
            schemas.extend(last);
            let choice = Object::from([(keyword, Value::Array(schemas))]);
            properties.push(&name, Value::Object(choice));
        }
    }
    root.insert("properties", Value::Object(properties));
    for name in required.iter().filter_map(Value::as_str) {
        times.remove(name);
    }
    times.retain(|_, times| all || *times == count);
    let mut names: Vec<String> = times.into_keys().collect();
    names.sort_unstable();
    required.extend(names.into_iter().map(Value::from));
    if !required.is_empty() {
        root.insert("required", Value::Array(required));
    }
    // The branches may have further members, which the root must not exclude.
    root.remove("additionalProperties");
    root.remove("unevaluatedProperties");
}

struct Inliner<'a> {
    root: &'a Value,
    /// How many bytes may still be written or searched.
    left: usize,
    /// The schemas that references name and that are being copied.
    open: Vec<&'a Value>,
}

impl<'a> Inliner<'a> {
    fn schema(&mut self, schema: &'a Value, depth: usize) -> Value {
        let Value::Object(members) = schema else {
            let fits = self.take(size(schema));
            return if fits { schema.clone() } else { anything() };
        };
        if depth >= DEPTH || !self.take(names(members)) {
            return anything();
        }
        let mut result = Object::with_capacity(members.len());
        let reference = members.get("$ref").or_else(|| members.get("$dynamicRef"));
        if let Some(pointer) = reference.and_then(Value::as_str)
            && let Value::Object(target) = self.referenced(pointer, depth + 1)
        {
            result = target;
            // Keywords beside the reference apply, too, such as a description.
            let own: HashSet<&str> = members.keys().collect();
            result.retain(|name, _| !own.contains(name));
        }
        // Draft 2020-12 has another keyword for a list of schemas.
        let has_list = members.get("items").and_then(Value::as_array).is_some();
        if has_list {
            result.remove("prefixItems");
        }
        for (name, value) in members {
            let is_replaced = name == "prefixItems" && has_list;
            if DROPPED.contains(&name) || matches!(name, "$ref" | "$dynamicRef") || is_replaced {
                continue;
            }
            if let Some(value) = self.keyword(name, value, depth + 1) {
                let is_list = name == "items" && has_list;
                result.push(if is_list { "prefixItems" } else { name }, value);
            }
        }
        // Interfaces reject all tools because of one without it.
        let types = result.get("type").map_or(&[][..], type_names);
        if types.iter().any(|it| *it == "array") && !result.contains_key("items") {
            result.push("items", anything());
        }
        Value::Object(result)
    }

    /// Returns the value of a keyword; `None` if it is too large, or no type.
    fn keyword(&mut self, name: &str, value: &'a Value, depth: usize) -> Option<Value> {
        Some(match value {
            Value::Object(members) if OBJECT.contains(&name) => {
                if !self.take(names(members)) {
                    return None;
                }
                let mut schemas = Object::with_capacity(members.len());
                for (name, schema) in members {
                    schemas.push(name, self.schema(schema, depth));
                }
                Value::Object(schemas)
            }
            // `items` may be a list in older dialects.
            Value::Array(schemas) if LIST.contains(&name) || name == "items" => {
                if !self.take(VALUE + schemas.len() * VALUE) {
                    return None;
                }
                let schemas = schemas.iter().map(|schema| self.schema(schema, depth));
                Value::Array(schemas.collect())
            }
            value if SCHEMA.contains(&name) => self.schema(value, depth),
            // Data, such as `default` and `enum`.
            value if !self.take(size(value)) || (name == "type" && !is_type(value)) => return None,
            value => value.clone(),
        })
    }

    /// Returns the schema that a reference names. If the reference cannot be resolved or its schema
    /// contains itself, returns a schema that accepts anything.
    fn referenced(&mut self, reference: &'a str, depth: usize) -> Value {
        let Some(pointer) = reference.strip_prefix('#') else {
            return anything();
        };
        let Some(target) = self.find(pointer) else {
            return anything();
        };
        if self.open.iter().any(|open| std::ptr::eq(*open, target)) {
            return anything();
        }
        self.open.push(target);
        let schema = self.schema(target, depth);
        self.open.pop();
        schema
    }

    /// Resolves a JSON pointer. What is searched counts as work.
    fn find(&mut self, pointer: &str) -> Option<&'a Value> {
        if pointer.is_empty() {
            return Some(self.root);
        }
        if !self.take(pointer.len()) {
            return None;
        }
        let mut value = self.root;
        for step in pointer.strip_prefix('/')?.split('/') {
            let step = String::from_utf8(percent_decode(step)?).ok()?;
            let step = step.replace("~1", "/").replace("~0", "~");
            value = match value {
                Value::Object(members) => {
                    if !self.take(members.len() * VALUE) {
                        return None;
                    }
                    members.get(&step)?
                }
                Value::Array(elements) => elements.get(step.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Reserves bytes. Returns `false` if too few are left.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

/// Returns the names in a value of the keyword `type`.
fn type_names(value: &Value) -> &[Value] {
    let names = value.as_array();
    names.map_or(std::slice::from_ref(value), Vec::as_slice)
}

/// Returns `true` for a value of the keyword `type`.
fn is_type(value: &Value) -> bool {
    let mut names = type_names(value).iter().map(Value::as_str);
    value != &Value::Array(Vec::new()) && names.all(|it| it.is_some_and(|it| TYPES.contains(&it)))
}

/// Returns the size of an object without the values of its members.
fn names(members: &Object) -> usize {
    VALUE + members.keys().map(|name| VALUE + name.len()).sum::<usize>()
}

/// Returns an estimate of the size of a value, in bytes. Elements and members count twice, as a
/// value and as a place for it.
fn size(value: &Value) -> usize {
    VALUE
        + match value {
            Value::String(text) => text.len(),
            Value::Array(elements) => elements.iter().map(|element| VALUE + size(element)).sum(),
            Value::Object(members) => {
                let members = members.iter();
                members
                    .map(|(name, value)| VALUE + name.len() + size(value))
                    .sum()
            }
            _ => 0,
        }
}
