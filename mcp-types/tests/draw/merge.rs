//! Merges `allOf`, and references that have other keywords next to them, into one schema.

use serde_json::{Map, Value, json};

use super::node::{keywords, target};

/// Merges the schema's own `$ref` and `allOf` into it. Its members are unchanged.
pub(crate) fn flat(definitions: &Map<String, Value>, schema: &Value) -> Value {
    let Value::Object(schema) = schema else {
        return schema.clone();
    };
    let mut own = keywords(schema);
    let mut parts = Vec::new();
    if let Some(reference) = own.remove("$ref") {
        let name = target(&reference);
        let definition = definitions.get(name);
        parts.push(
            definition
                .unwrap_or_else(|| panic!("no definition {name}"))
                .clone(),
        );
    }
    if let Some(Value::Array(all)) = own.remove("allOf") {
        parts.extend(all);
    }
    let mut merged = Value::Object(own);
    for part in &parts {
        merged = merge(definitions, &merged, part);
    }
    merged
}

/// Returns a schema for the values that are valid for both.
pub(crate) fn merge(definitions: &Map<String, Value>, a: &Value, b: &Value) -> Value {
    let (a, b) = (flat(definitions, a), flat(definitions, b));
    let (a, b) = match (a, b) {
        (Value::Object(a), Value::Object(b)) => (a, b),
        (Value::Bool(true), other) | (other, Value::Bool(true)) => return other,
        _ => return Value::Bool(false),
    };
    for (union, other) in [(&a, &b), (&b, &a)] {
        for keyword in ["anyOf", "oneOf"] {
            let Some(Value::Array(variants)) = union.get(keyword) else {
                continue;
            };
            let mut company = union.clone();
            company.remove(keyword);
            let company = merge(definitions, &json!(company), &json!(other));
            let variants = variants.iter().map(|v| merge(definitions, v, &company));
            return json!({ keyword: variants.collect::<Vec<_>>() });
        }
    }
    if a.contains_key("not") || b.contains_key("not") {
        return Value::Bool(false);
    }
    let mut both = Map::new();
    let rest = |schema: &Map<String, Value>| schema.get("additionalProperties").cloned();
    let mut properties = Map::new();
    for (mine, theirs) in [(&a, &b), (&b, &a)] {
        for (name, schema) in mine
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let declared = theirs.get("properties").and_then(|p| p.get(name)).cloned();
            let other = declared
                .or_else(|| rest(theirs))
                .unwrap_or(Value::Bool(true));
            properties.entry(name.clone()).or_insert_with(|| {
                if trivial(&other) {
                    schema.clone()
                } else {
                    all(schema, &other)
                }
            });
        }
    }
    if !properties.is_empty() {
        both.insert("properties".to_owned(), Value::Object(properties));
    }
    let merged = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
    for key in merged.filter(|key| *key != "properties") {
        let value = match (a.get(key), b.get(key)) {
            (Some(a), Some(b)) => combine(key, a, b),
            (Some(one), None) | (None, Some(one)) => one.clone(),
            (None, None) => continue,
        };
        both.insert(key.clone(), value);
    }
    if both
        .get("type")
        .and_then(Value::as_array)
        .is_some_and(Vec::is_empty)
    {
        return Value::Bool(false);
    }
    if let (Some(value), Some(Value::Array(values))) = (both.get("const"), both.get("enum"))
        && !values.contains(value)
    {
        return Value::Bool(false);
    }
    Value::Object(both)
}

fn trivial(schema: &Value) -> bool {
    schema == &Value::Bool(true) || schema.as_object().is_some_and(Map::is_empty)
}

fn all(a: &Value, b: &Value) -> Value {
    json!({ "allOf": [a, b] })
}

/// Combines one keyword that both schemas have.
fn combine(key: &str, a: &Value, b: &Value) -> Value {
    let list = |value: &Value| {
        value
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![value.clone()])
    };
    match key {
        "required" => {
            let mut names = list(a);
            names.extend(list(b).into_iter().filter(|name| !list(a).contains(name)));
            Value::Array(names)
        }
        "enum" => list(a)
            .into_iter()
            .filter(|value| list(b).contains(value))
            .collect(),
        "const" if a == b => a.clone(),
        "const" => panic!("two constants at one place: {a} and {b}"),
        "type" => {
            let integer = json!("integer");
            let number = json!("number");
            let has = |types: &[Value], one: &Value| {
                types.contains(one) || (*one == integer && types.contains(&number))
            };
            let (a, b) = (list(a), list(b));
            let mut types: Vec<Value> = a.iter().filter(|one| has(&b, one)).cloned().collect();
            let narrower = b.iter().filter(|one| has(&a, one) && !types.contains(one));
            let narrower: Vec<Value> = narrower.cloned().collect();
            types.extend(narrower);
            if types.len() == 1 {
                types.remove(0)
            } else {
                Value::Array(types)
            }
        }
        "minimum" | "minItems" | "minLength" => {
            if a.as_f64() >= b.as_f64() {
                a.clone()
            } else {
                b.clone()
            }
        }
        "maximum" | "maxItems" | "maxLength" => {
            if a.as_f64() <= b.as_f64() {
                a.clone()
            } else {
                b.clone()
            }
        }
        "items" | "additionalProperties" => all(a, b),
        other => panic!("{other} cannot be merged"),
    }
}
