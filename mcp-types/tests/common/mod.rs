//! Loads the corrected schemas, for tests that generate values from them.

// Every test binary compiles this module and uses only a part of it.
#![allow(dead_code)]

use crate::draw::{Schemas, forgive};
use mcp_types::Revision;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// Returns `true` if the feature of a proposal or an extension is enabled in this build.
fn enabled(name: &str) -> bool {
    match name {
        "skills" => cfg!(feature = "skills"),
        "tasks" => cfg!(feature = "tasks"),
        "https-url" | "sep-2093" | "versioned-resources" => cfg!(feature = "proposals"),
        other => panic!("unknown proposal {other}"),
    }
}

/// Returns the corrected schema of a revision, without the proposals that this build does not have.
pub(crate) fn schemas(revision: Revision) -> Arc<Schemas> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
    let text = std::fs::read_to_string(folder.join(format!("{revision}.json"))).unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    strip(&mut document);
    let keyword = if document.get("$defs").is_some() {
        "$defs"
    } else {
        "definitions"
    };
    let Value::Object(definitions) = document[keyword].take() else {
        panic!("no definitions")
    };
    Schemas::new(definitions)
}

/// Removes marked parts whose feature is disabled, and the marks of the others.
fn strip(node: &mut Value) {
    let keep = |node: &Value| match node.get("x-feature") {
        None => true,
        Some(Value::String(feature)) => enabled(feature),
        Some(several) => several
            .as_array()
            .unwrap()
            .iter()
            .any(|feature| enabled(feature.as_str().unwrap())),
    };
    match node {
        Value::Object(object) => {
            *object = std::mem::take(object)
                .into_iter()
                .filter(|(_, part)| keep(part))
                .collect();
            if !object.contains_key("properties") || object["properties"].is_object() {
                object.remove("x-feature");
            }
            object.values_mut().for_each(strip);
        }
        Value::Array(items) => {
            items.retain(keep);
            items.iter_mut().for_each(strip);
        }
        _ => {}
    }
}

/// Rewrites JSON as the types accept it: the leniencies for `null` and integers, and the sizes of
/// an icon in one string.
pub(crate) fn lenient(schemas: &Schemas, name: &str, value: &Value) -> Value {
    forgive(schemas, name, &icon_sizes(value))
}

fn icon_sizes(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let is_icon = object.contains_key("src");
            let members = object.iter().map(|(name, value)| {
                let value = match value {
                    Value::String(text) if is_icon && name == "sizes" => {
                        text.split_whitespace().map(Value::from).collect()
                    }
                    other => icon_sizes(other),
                };
                (name.clone(), value)
            });
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(icon_sizes).collect(),
        other => other.clone(),
    }
}
