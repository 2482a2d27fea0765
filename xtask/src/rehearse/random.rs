//! Random changes of a schema that keep it a valid one.

use anyhow::{Context as _, Result};
use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::change::Change;

/// The number of changes of one rehearsal.
const CHANGES: usize = 8;

/// Changes the definitions at random, and says what was changed.
///
/// Members become required or optional only if a change before has added them; a sweep changes the
/// others.
///
/// # Errors
///
/// Returns an error if the definitions are not an object.
pub(super) fn change(definitions: &mut Value, seed: u64) -> Result<Vec<String>> {
    let mut random = Rng::with_seed(seed);
    let mut done = Vec::new();
    // Some kinds of change may find no place, so more are tried than are made.
    for number in 0..CHANGES * 10 {
        if done.len() == CHANGES {
            break;
        }
        let object = definitions.as_object().context("no definitions")?;
        let Some(changes) = propose(object, &mut random, number) else {
            continue;
        };
        let mut next = definitions.clone();
        if changes.iter().all(|change| change.apply(&mut next).is_ok()) {
            *definitions = next;
            done.extend(changes.first().map(|change| format!("{change:?}")));
        }
    }
    Ok(done)
}

fn propose(
    definitions: &Map<String, Value>,
    random: &mut Rng,
    number: usize,
) -> Option<Vec<Change>> {
    match random.u8(..8) {
        0 => optional_member(definitions, random, number),
        1 => optional_member_with_a_union(definitions, random, number),
        2 => new_variant(definitions, random, number),
        3 => wider_enumeration(definitions, random, number),
        4 => required_becomes_optional(definitions, random),
        5 => optional_becomes_required(definitions, random),
        6 => new_request(definitions, random, number),
        _ => other_order(definitions, random),
    }
}

/// Adds a member of a random simple type to an object.
fn optional_member(
    definitions: &Map<String, Value>,
    random: &mut Rng,
    number: usize,
) -> Option<Vec<Change>> {
    let name = pick(random, objects(definitions))?;
    let names: Vec<&String> = definitions.keys().collect();
    let schema = match random.u8(..6) {
        0 => json!({"type": "string"}),
        1 => json!({"type": "integer", "minimum": 0}),
        2 => json!({"type": "boolean"}),
        3 => json!({"type": "array", "items": {"type": "string"}}),
        4 => json!({"type": "object", "additionalProperties": {"type": "number"}}),
        _ => json!({"$ref": format!("#/$defs/{}", pick(random, names)?)}),
    };
    let at = format!("/{name}/properties/rehearsed{number}");
    Some(vec![Change::Set(at, schema)])
}

/// Adds a member whose type is a union without a name.
fn optional_member_with_a_union(
    definitions: &Map<String, Value>,
    random: &mut Rng,
    number: usize,
) -> Option<Vec<Change>> {
    let name = pick(random, objects(definitions))?;
    let schema = json!({"anyOf": [
        {"type": "string"},
        {"type": "object", "properties": {"label": {"type": "string"}}, "required": ["label"]},
    ]});
    let at = format!("/{name}/properties/rehearsed{number}");
    Some(vec![Change::Set(at, schema)])
}

/// Adds a variant to a union that is told apart by a constant of its variants.
fn new_variant(
    definitions: &Map<String, Value>,
    random: &mut Rng,
    number: usize,
) -> Option<Vec<Change>> {
    let tagged = definitions.iter().filter_map(|(name, schema)| {
        let variants = schema.get("anyOf")?.as_array()?;
        let first = definition(definitions, variants.first()?)?;
        // A union of messages is told apart by their methods; those are added by `new_request`.
        let tag = constant_member(first)?;
        let all = variants.iter().all(|variant| {
            definition(definitions, variant)
                .is_some_and(|schema| constant_member(schema).as_ref() == Some(&tag))
        });
        (all && tag != "method").then(|| (name.clone(), tag))
    });
    let (union, tag) = pick(random, tagged.collect())?;
    let name = format!("Rehearsed{number}Content");
    let mut properties = Map::new();
    properties.insert(
        tag.clone(),
        json!({"const": format!("rehearsed_{number}"), "type": "string"}),
    );
    properties.insert("value".to_owned(), json!({"type": "string"}));
    Some(vec![
        Change::Set(
            format!("/{name}"),
            json!({"properties": properties, "required": [tag, "value"], "type": "object"}),
        ),
        Change::Append(
            format!("/{union}/anyOf"),
            json!({"$ref": format!("#/$defs/{name}")}),
        ),
    ])
}

/// Adds a value to an enumeration, in one of the places that have it.
fn wider_enumeration(
    definitions: &Map<String, Value>,
    random: &mut Rng,
    number: usize,
) -> Option<Vec<Change>> {
    let mut places = Vec::new();
    for (name, schema) in definitions {
        if schema.get("enum").is_some() {
            places.push(format!("/{name}/enum"));
        }
        for (member, schema) in properties(schema) {
            if schema.get("enum").is_some() {
                places.push(format!("/{name}/properties/{}/enum", escape(member)));
            }
        }
    }
    let value = Value::String(format!("rehearsed_{number}"));
    Some(vec![Change::Append(pick(random, places)?, value)])
}

fn required_becomes_optional(
    definitions: &Map<String, Value>,
    random: &mut Rng,
) -> Option<Vec<Change>> {
    let candidates = definitions.iter().flat_map(|(name, schema)| {
        let required = schema.get("required").and_then(Value::as_array);
        let members = required.into_iter().flatten().filter(|member| {
            // Constants tell variants and messages apart.
            let member = member.as_str().unwrap_or_default();
            let schema = &schema["properties"][member];
            schema.get("const").is_none() && !["id", "jsonrpc", "method"].contains(&member)
        });
        members.map(move |member| (name.clone(), member.clone()))
    });
    // Only members that the rehearsal itself has added: no code of the workspace uses them.
    let mut candidates: Vec<(String, Value)> = candidates.collect();
    candidates.retain(|(name, member)| {
        let member = member.as_str().unwrap_or_default();
        name.contains("Rehearsed") || member.starts_with("rehearsed")
    });
    let (name, member) = pick(random, candidates)?;
    Some(vec![Change::Without(format!("/{name}/required"), member)])
}

fn optional_becomes_required(
    definitions: &Map<String, Value>,
    random: &mut Rng,
) -> Option<Vec<Change>> {
    let candidates = definitions.iter().flat_map(|(name, schema)| {
        let required = schema.get("required").and_then(Value::as_array);
        let is_required =
            move |member: &str| required.is_some_and(|all| all.iter().any(|name| name == member));
        let members = properties(schema).filter(move |(member, _)| !is_required(member));
        let has_list = schema.get("required").is_some();
        members
            .filter(move |_| has_list)
            .map(move |(member, _)| (name.clone(), member.clone()))
    });
    let mut candidates: Vec<(String, String)> = candidates.collect();
    candidates.retain(|(_, member)| member.starts_with("rehearsed"));
    let (name, member) = pick(random, candidates)?;
    Some(vec![Change::Append(
        format!("/{name}/required"),
        Value::String(member),
    )])
}

/// Adds a request, with params and a result of its own.
fn new_request(
    definitions: &Map<String, Value>,
    random: &mut Rng,
    number: usize,
) -> Option<Vec<Change>> {
    let requests = definitions.keys().filter(|name| {
        let result = name
            .strip_suffix("Request")
            .map(|stem| format!("{stem}Result"));
        let result = result.and_then(|result| definitions.get(&result));
        result.is_some_and(|schema| schema.get("properties").is_some())
    });
    let model = pick(random, requests.collect())?;
    let stem = model.strip_suffix("Request")?;
    let unions = definitions.iter().filter(|(_, schema)| {
        let variants = schema.get("anyOf").and_then(Value::as_array);
        variants
            .is_some_and(|variants| variants.contains(&json!({"$ref": format!("#/$defs/{model}")})))
    });
    let union = unions.map(|(name, _)| name.clone()).next()?;
    let mut request = definitions.get(model)?.clone();
    request["properties"]["method"]["const"] = json!(format!("rehearsed/ask{number}"));
    let name = format!("Rehearsed{number}");
    Some(vec![
        Change::Set(format!("/{name}Request"), request),
        Change::Set(
            format!("/{name}Result"),
            definitions.get(&format!("{stem}Result"))?.clone(),
        ),
        Change::Append(
            format!("/{union}/anyOf"),
            json!({"$ref": format!("#/$defs/{name}Request")}),
        ),
    ])
}

/// Reverses the order of the members of an object, which means nothing.
fn other_order(definitions: &Map<String, Value>, random: &mut Rng) -> Option<Vec<Change>> {
    let name = pick(random, objects(definitions))?;
    let members = definitions.get(&name)?.get("properties")?.as_object()?;
    let reversed: Map<String, Value> = members
        .iter()
        .rev()
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect();
    let at = format!("/{name}/properties");
    Some(vec![Change::Set(at, Value::Object(reversed))])
}

/// Returns the names of all objects that declare members.
fn objects(definitions: &Map<String, Value>) -> Vec<String> {
    let objects = definitions
        .iter()
        .filter(|(_, schema)| schema.get("properties").is_some());
    objects.map(|(name, _)| name.clone()).collect()
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten()
}

fn definition<'a>(definitions: &'a Map<String, Value>, reference: &Value) -> Option<&'a Value> {
    let name = reference.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
    definitions.get(name)
}

/// Returns the name of the first member that is a constant.
fn constant_member(schema: &Value) -> Option<String> {
    let found = properties(schema).find(|(_, schema)| schema.get("const").is_some());
    found.map(|(name, _)| name.clone())
}

fn pick<T>(random: &mut Rng, mut from: Vec<T>) -> Option<T> {
    if from.is_empty() {
        return None;
    }
    Some(from.swap_remove(random.usize(..from.len())))
}

fn escape(member: &str) -> String {
    codegen::schema::pointer::escape(member)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definitions() -> Value {
        json!({
            "A": {"properties": {"kind": {"const": "a", "type": "string"},
                "level": {"enum": ["low"], "type": "string"}}, "required": ["kind"],
                "type": "object"},
            "B": {"properties": {"kind": {"const": "b", "type": "string"}},
                "required": ["kind"], "type": "object"},
            "Either": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}
        })
    }

    #[test]
    fn the_same_seed_makes_the_same_changes() {
        let (mut first, mut second, mut other) = (definitions(), definitions(), definitions());
        let done = change(&mut first, 7).unwrap();
        assert_eq!(done.len(), CHANGES);
        assert_eq!(done, change(&mut second, 7).unwrap());
        assert_eq!(first, second);
        change(&mut other, 8).unwrap();
        assert_ne!(first, other);
    }

    #[test]
    fn changed_schemas_are_still_schemas() {
        for seed in 0..200 {
            let mut changed = definitions();
            change(&mut changed, seed).unwrap();
            let text = json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": changed
            });
            let parsed = codegen::schema::Document::parse("random", &text.to_string());
            assert!(parsed.is_ok(), "seed {seed}: {parsed:?}");
        }
    }
}
