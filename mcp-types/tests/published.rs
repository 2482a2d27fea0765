//! Tests with the examples of the specification.
//!
//! They are read from `2026-07-28/examples` in the folder that `MCP_SPEC_DIR` names: the folder
//! `schema` of the specification's repository. Without them only the two shapes that are known to
//! be wrong are tested.

#![cfg(feature = "registry")]

use crate::common;
use mcp_types::Revision;
use mcp_types::registry::{self, Entry};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::PathBuf;

const REVISION: Revision = Revision::V2026_07_28;

/// Contains a member that its type does not declare.
const WITH_ID: &str = "list-roots-request.json";
/// Does not have `ttlMs` and `cacheScope`, which a complete result requires.
const WITHOUT_CACHE: &str = "read-resource-result-response.json";

struct Example {
    file: String,
    entry: &'static Entry,
    text: String,
}

impl Example {
    fn value(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|why| panic!("{}: {why}", self.file))
    }
}

/// Returns all examples, or none if the folder does not exist.
fn examples() -> Vec<Example> {
    let Some(spec) = std::env::var_os("MCP_SPEC_DIR").map(PathBuf::from) else {
        println!("skipped: MCP_SPEC_DIR names no folder with published examples");
        return Vec::new();
    };
    let folder = spec.join(REVISION.as_str()).join("examples");
    let Ok(types) = fs::read_dir(&folder) else {
        println!(
            "skipped: there are no published examples at {}",
            folder.display()
        );
        return Vec::new();
    };
    let mut examples = Vec::new();
    for folder in types {
        let folder = folder.unwrap();
        let name = folder.file_name().into_string().unwrap();
        let entry = registry::find(REVISION, &name).unwrap_or_else(|| panic!("no type {name}"));
        for file in fs::read_dir(folder.path()).unwrap() {
            let file = file.unwrap();
            examples.push(Example {
                file: format!("{name}/{}", file.file_name().to_string_lossy()),
                entry,
                text: fs::read_to_string(file.path()).unwrap(),
            });
        }
    }
    println!("{} examples", examples.len());
    examples
}

fn is_wrong(example: &Example) -> bool {
    example.file.ends_with(&format!("/{WITHOUT_CACHE}"))
}

#[test]
fn examples_decode_and_encode_to_equal_json() {
    for example in examples().iter().filter(|example| !is_wrong(example)) {
        for back in [
            example.entry.round_trip(&example.text),
            example.entry.round_trip_value(example.value().into()),
        ] {
            let back = back.unwrap_or_else(|why| panic!("{}: {why}", example.file));
            let back: Value = serde_json::from_str(&back).unwrap();
            assert_eq!(back, example.value(), "{}", example.file);
        }
    }
}

#[test]
fn undeclared_id_of_a_roots_request_is_kept_like_any_unknown_member() {
    let shape = json!({"method": "roots/list", "id": "a"});
    let entry = registry::find(REVISION, "ListRootsRequest").unwrap();
    let published = examples()
        .into_iter()
        .filter(|one| one.file.ends_with(WITH_ID));
    for value in published.map(|one| one.value()).chain([shape]) {
        let back = entry.round_trip(&value.to_string()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&back).unwrap(), value);
    }
}

#[test]
fn complete_resource_result_without_cache_members_is_rejected() {
    let shape = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"resultType": "complete", "contents": [{"uri": "a:b", "text": ""}]},
    });
    let entry = registry::find(REVISION, "ReadResourceResultResponse").unwrap();
    let published = examples().into_iter().filter(is_wrong);
    for value in published.map(|one| one.value()).chain([shape]) {
        let error = entry.round_trip(&value.to_string()).unwrap_err();
        assert!(error.message().contains("`ttlMs`"), "{error}");
        assert_eq!(error.path().to_string(), "$.result");
    }
}

#[test]
fn unknown_members_of_every_object_survive() {
    let schemas = common::schemas(REVISION);
    let mut injected = 0;
    for example in examples().iter().filter(|example| !is_wrong(example)) {
        let value = example.value();
        let mut objects = Vec::new();
        collect(&value, &mut String::new(), &mut objects);
        for pointer in objects {
            let valid = candidates(&value, &pointer)
                .into_iter()
                .find(|mutant| schemas.is_valid(example.entry.name(), mutant))
                .unwrap_or_else(|| panic!("{}: nothing fits at `{pointer}`", example.file));
            let back = example.entry.round_trip(&valid.to_string());
            let back = back.unwrap_or_else(|why| panic!("{} at `{pointer}`: {why}", example.file));
            let back: Value = serde_json::from_str(&back).unwrap();
            assert_eq!(back, valid, "{} at `{pointer}`", example.file);
            injected += 1;
        }
    }
    println!("{injected} unknown members injected");
}

/// Collects the pointers of all objects.
fn collect(value: &Value, pointer: &mut String, objects: &mut Vec<String>) {
    let length = pointer.len();
    let mut visit = |step: &str, part: &Value| {
        pointer.push('/');
        pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        collect(part, pointer, objects);
        pointer.truncate(length);
    };
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, part)| visit(name, part));
            objects.push(pointer.clone());
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(at, part)| visit(&at.to_string(), part));
        }
        _ => {}
    }
}

/// Returns the value with one more member in an object: any JSON, or a copy of one of its values if
/// the object is a map.
fn candidates(value: &Value, pointer: &str) -> Vec<Value> {
    let object = value.pointer(pointer).and_then(Value::as_object).unwrap();
    let anything = json!({"deep": [null, 0.5, 9_007_199_254_740_993_u64, {}], "empty": []});
    let parts = [anything, json!("text")]
        .into_iter()
        .chain(object.values().cloned());
    parts
        .map(|part| {
            let mut mutant = value.clone();
            let object: &mut Map<_, _> = mutant
                .pointer_mut(pointer)
                .and_then(Value::as_object_mut)
                .unwrap();
            object.insert("x-unknown".to_owned(), part);
            mutant
        })
        .collect()
}
