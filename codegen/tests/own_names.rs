//! The sources of the generator contain no name of the protocol and of the crates that it generates
//! sources for.

use codegen::hints::Hints;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Names of definitions that are also names of Rust, of `serde_json`, or of the support code that
/// any schema needs. `Root` is the name of a schema that is no definition and has no title.
const COMMON: [&str; 7] = [
    "Error",
    "Notification",
    "Object",
    "Request",
    "Result",
    "Root",
    "Value",
];

/// Members that are also keywords of JSON Schema, because the protocol describes schemas.
const KEYWORDS: [&str; 11] = [
    "$schema",
    "additionalProperties",
    "anyOf",
    "enumNames",
    "maxItems",
    "maxLength",
    "minItems",
    "minLength",
    "oneOf",
    "uniqueItems",
    "contentEncoding",
];

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns the path and the text of each file with an extension.
fn files(folder: &Path, extension: &str, found: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|it| it == extension) {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
}

/// Adds the names of definitions, the methods, and the names of members that are no plain words.
fn collect(value: &Value, names: &mut BTreeSet<String>) {
    for definitions in ["$defs", "definitions"] {
        let definitions = value.get(definitions).and_then(Value::as_object);
        names.extend(definitions.into_iter().flat_map(|it| it.keys().cloned()));
    }
    if let Some(properties) = value.get("properties").and_then(Value::as_object) {
        let special = |name: &&String| !name.bytes().all(|byte| byte.is_ascii_lowercase());
        names.extend(properties.keys().filter(special).cloned());
        let method = properties.get("method").and_then(|it| it.get("const"));
        names.extend(method.and_then(Value::as_str).map(str::to_owned));
    }
    match value {
        Value::Object(members) => members.values().for_each(|it| collect(it, names)),
        Value::Array(items) => items.iter().for_each(|it| collect(it, names)),
        _ => {}
    }
}

fn names_of_the_protocol() -> BTreeSet<String> {
    let mut schemas = Vec::new();
    files(&folder("../schema"), "json", &mut schemas);
    let mut names = BTreeSet::new();
    for (path, text) in schemas {
        let value: Value = serde_json::from_str(&text).unwrap();
        if path.ends_with("hints.json") {
            let hints: Hints = serde_json::from_value(value).unwrap();
            names.extend(hints.inline.into_values());
            names.extend(hints.renamed.into_values());
            names.extend(hints.native.into_values());
        } else {
            collect(&value, &mut names);
        }
    }
    names.retain(|name| !COMMON.contains(&name.as_str()) && !KEYWORDS.contains(&name.as_str()));
    assert!(names.len() > 300, "{}", names.len());
    names
}

/// Returns `true` if a text contains a name that is not a part of a longer one.
fn contains(text: &str, name: &str) -> bool {
    let inner =
        |byte: Option<&u8>| byte.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
    text.match_indices(name).any(|(at, _)| {
        let before = at
            .checked_sub(1)
            .and_then(|before| text.as_bytes().get(before));
        !inner(before) && !inner(text.as_bytes().get(at + name.len()))
    })
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut sources = Vec::new();
    files(&folder("src"), "rs", &mut sources);
    sources
}

#[test]
fn sources_contain_no_name_of_the_protocol() {
    let names = names_of_the_protocol();
    let mut found = Vec::new();
    for (path, text) in sources() {
        let in_file = names.iter().filter(|name| contains(&text, name));
        found.extend(in_file.map(|name| format!("{}: {name}", path.display())));
        let lower = text.to_ascii_lowercase();
        let words = ["mcp", "model context protocol", "jsonrpc"].into_iter();
        let words = words.filter(|word| lower.contains(word));
        found.extend(words.map(|word| format!("{}: {word}", path.display())));
    }
    let help = "pass the name as data in `schema/hints.json`";
    assert!(found.is_empty(), "{help}\n{}", found.join("\n"));
}

#[test]
fn sources_contain_no_path_of_another_crate() {
    let sources = sources();
    let root = sources
        .iter()
        .find(|(path, _)| path.ends_with("src/lib.rs"));
    let modules = root.unwrap().1.lines().filter_map(|line| {
        let name = line.strip_prefix("pub mod ")?;
        name.strip_suffix(';')
    });
    let modules: BTreeSet<&str> = modules.collect();
    let mut found = Vec::new();
    for (path, text) in &sources {
        for (at, _) in text.match_indices("crate::") {
            let rest = &text[at + "crate::".len()..];
            if text[..at].ends_with('_') {
                continue;
            }
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let module = &rest[..end.unwrap_or(rest.len())];
            if !modules.contains(module) && !rest.starts_with('{') {
                found.push(format!("{}: crate::{module}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
