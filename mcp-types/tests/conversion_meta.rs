//! What a conversion does to `_meta`: members of users are kept, and what is lost is reported.
//!
//! For every type and every pair of adjacent revisions, and for the oldest and the newest one:
//! instances of the schema with further members in each `_meta`, and in the object and its params.

#![cfg(all(feature = "registry", feature = "v2024-11-05"))]

use crate::common::schemas;
use crate::draw::{Schemas, instance};
use mcp_types::Revision;
use mcp_types::error::Segment;
use mcp_types::meta::PROTOCOL_VERSION;
use mcp_types::registry::{self, Conversion, Converted};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const OF_USER: &str = "com.example/kept";
const INSTANCES: usize = 3;

/// Adds members of the user to an object, and to each `_meta` inside. The object and its params get a
/// `_meta` if they have none.
fn mark(value: &mut Value) {
    if let Some(object) = value.as_object_mut() {
        mark_object(object);
        object.entry("_meta").or_insert_with(|| json!({}));
        if let Some(Value::Object(params)) = object.get_mut("params") {
            params.entry("_meta").or_insert_with(|| json!({}));
        }
    }
    mark_inner(value);
}

fn mark_inner(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (name, inner) in object {
                if let Some(meta) = inner.as_object_mut().filter(|_| name == "_meta") {
                    mark_object(meta);
                }
                mark_inner(inner);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mark_inner),
        _ => {}
    }
}

fn mark_object(object: &mut Map<String, Value>) {
    object.insert(OF_USER.to_owned(), json!({ "a": [1.5] }));
    object.insert(PROTOCOL_VERSION.to_owned(), "of the user".into());
}

/// Returns the leaves of a value by their paths.
fn leaves(
    value: &Value,
    path: &mut Vec<Segment>,
    found: &mut BTreeMap<String, (Vec<Segment>, Value)>,
) {
    let inner: Vec<(Segment, &Value)> = match value {
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| (Segment::Member(name.clone()), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, value)| (Segment::Index(index), value))
            .collect(),
        _ => Vec::new(),
    };
    if inner.is_empty() {
        found.insert(format!("{path:?}"), (path.clone(), value.clone()));
    }
    for (segment, value) in inner {
        path.push(segment);
        leaves(value, path, found);
        path.pop();
    }
}

fn leaves_of(text: &str) -> BTreeMap<String, (Vec<Segment>, Value)> {
    let mut found = BTreeMap::new();
    leaves(
        &serde_json::from_str(text).unwrap(),
        &mut Vec::new(),
        &mut found,
    );
    found
}

/// Returns what is lost without a report, or is a lost member of the user in a `_meta` that remains.
fn lost(source: &str, converted: &Converted) -> Option<String> {
    let (before, after) = (leaves_of(source), leaves_of(&converted.text));
    before.into_iter().find_map(|(key, (path, value))| {
        let is_kept = match &value {
            // It may have members afterwards.
            Value::Object(_) | Value::Array(_) => after.values().any(|it| it.0.starts_with(&path)),
            // `1.0` becomes `1`.
            Value::Number(_) => after.contains_key(&key),
            _ => after.get(&key).is_some_and(|(_, other)| *other == value),
        };
        if is_kept {
            return None;
        }
        let meta = Segment::Member("_meta".to_owned());
        let of_user = Segment::Member(OF_USER.to_owned());
        let in_meta = path
            .windows(2)
            .position(|pair| pair == [meta.clone(), of_user.clone()]);
        let end = in_meta.map_or(path.len(), |at| at + 1);
        let reported = converted.differences.iter().any(|difference| {
            let segments = difference.path().segments();
            segments.len() <= end && path.starts_with(segments)
        });
        (!reported).then_some(key)
    })
}

/// Returns `true` if the schema declares the revision at a path of a valid value.
fn is_declared(schemas: &Schemas, name: &str, text: &str, path: &[Segment]) -> bool {
    let mut value: Value = serde_json::from_str(text).unwrap();
    let mut place = &mut value;
    for segment in path {
        place = match segment {
            Segment::Member(name) => &mut place[name],
            Segment::Index(index) => &mut place[index],
        };
    }
    *place = true.into();
    schemas.definitions().any(|known| known == name) && !schemas.is_valid(name, &value)
}

#[test]
fn conversion_keeps_the_meta_of_users_and_reports_what_is_lost() {
    let all: Vec<(Revision, _)> = Revision::WITH_DRAFT
        .iter()
        .map(|revision| (*revision, schemas(*revision)))
        .collect();
    let adjacent = (1..all.len()).flat_map(|to| [(to - 1, to), (to, to - 1)]);
    let newest = Revision::ALL.len() - 1;
    let pairs = adjacent.chain([(0, newest), (newest, 0), (newest, newest)]);
    let mut runner = TestRunner::deterministic();
    let (mut tried, mut stated_anew, mut faults) = (0, 0, Vec::new());
    for (from, to) in pairs {
        let ((older, source_schemas), (newer, target_schemas)) = (&all[from], &all[to]);
        for name in source_schemas.definitions() {
            if registry::convert_name(*older, *newer, name).is_none() {
                continue;
            }
            let strategy = instance(source_schemas, name);
            for _ in 0..INSTANCES {
                let mut drawn = strategy.new_tree(&mut runner).unwrap().current();
                mark(&mut drawn);
                let source = drawn.to_string();
                let conversion = Conversion::new(*older, *newer);
                // Some types allow no further members, and some instances have no other form.
                let Ok(plain) = conversion.convert(name, &source) else {
                    continue;
                };
                tried += 1;
                let stated = conversion.state_target().convert(name, &source).unwrap();
                let what = format!("{older} {newer} {name}: {source}");
                for converted in [&plain, &stated] {
                    let lost = lost(&source, converted);
                    faults.extend(lost.map(|lost| format!("{what} lost {lost}")));
                }
                let (plain_leaves, stated_leaves) =
                    (leaves_of(&plain.text), leaves_of(&stated.text));
                for (key, (path, value)) in stated_leaves {
                    if plain_leaves
                        .get(&key)
                        .is_some_and(|(_, other)| *other == value)
                    {
                        continue;
                    }
                    stated_anew += 1;
                    if value != newer.as_str()
                        || !is_declared(target_schemas, plain.name, &plain.text, &path)
                    {
                        faults.push(format!("{what} changed {key} to {value}"));
                    }
                }
            }
        }
    }
    println!("{tried} tried, {stated_anew} stated anew");
    assert!(tried > 1000 && stated_anew > 100, "{tried} {stated_anew}");
    let count = faults.len();
    faults.truncate(5);
    assert!(faults.is_empty(), "{count} faults:\n{}", faults.join("\n"));
}
