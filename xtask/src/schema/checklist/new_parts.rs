//! What a revision has that the one before did not have, although no type differs: numbers with a
//! meaning, such as error codes, and marks of deprecation.

use std::collections::{BTreeMap, BTreeSet};

use codegen::schema::{Document, Facts, walk};
use serde_json::Value;

/// Returns a line for each constant number that only the newer revision has, with its names in the
/// facts and its places in the schema. The constant numbers of a schema are its error codes.
pub(in crate::schema) fn new_numbers(
    (old, old_facts): (&Document, Option<&Facts>),
    (new, new_facts): (&Document, Option<&Facts>),
) -> Vec<String> {
    let known = numbers(old, old_facts);
    let found = numbers(new, new_facts).into_iter();
    let fresh = found.filter(|(number, _)| !known.contains_key(number));
    fresh
        .map(|(number, names)| format!("{number}: {}", names.join(", ")))
        .collect()
}

fn numbers(document: &Document, facts: Option<&Facts>) -> BTreeMap<i64, Vec<String>> {
    let mut numbers: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for (name, value) in facts.into_iter().flat_map(|facts| &facts.constants) {
        if let Some(number) = value.as_i64() {
            numbers.entry(number).or_default().push(format!("`{name}`"));
        }
    }
    for (name, schema) in &document.definitions {
        walk(schema, &format!("/{name}"), &mut |at, members| {
            if let Some(number) = members.get("const").and_then(Value::as_i64) {
                numbers.entry(number).or_default().push(format!("`{at}`"));
            }
        });
    }
    numbers
}

/// Returns a line for each place that only the newer revision marks as deprecated. `renamed` are
/// the definitions with a new name.
pub(in crate::schema) fn newly_deprecated(
    old: &Document,
    new: &Document,
    renamed: &BTreeMap<String, String>,
) -> Vec<String> {
    let before = deprecated(old, renamed);
    let after = deprecated(new, &BTreeMap::new());
    let fresh = after.difference(&before);
    fresh.map(|at| format!("`{at}` is deprecated")).collect()
}

fn deprecated(document: &Document, names: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    for (name, schema) in &document.definitions {
        let name = names.get(name).unwrap_or(name);
        walk(schema, &format!("/{name}"), &mut |at, members| {
            if members.get("deprecated") == Some(&Value::Bool(true)) {
                places.insert(at.to_owned());
            }
        });
    }
    places
}
