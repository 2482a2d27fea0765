//! The references of a patch: to the document, and to its own definitions.

use serde_json::{Map, Value};

use super::marker::features;
use super::{Patch, PatchError};
use crate::schema::walk::reference_to;
use crate::schema::{Document, check, pointer, walk};

const PREFIX: &str = "#/$defs/";

/// Returns the name of a definition to which a patch refers and that it cannot use: it does not
/// exist, or only other patches have it. `previous` is the revision before, in which the patch
/// could use the definition.
pub(super) fn missing(patch: &Patch, root: &Value, previous: &Document) -> Option<String> {
    let usable = |schema: &Value| {
        let owners = features(schema);
        owners.is_empty() || owners.contains(&patch.name.as_str())
    };
    let mut missing = None;
    let mut note = |name: &str| {
        let there = root.get(name).is_some_and(usable);
        let before = previous.definitions.get(name).is_some_and(usable);
        if !there && before && missing.is_none() {
            missing = Some(name.to_owned());
        }
    };
    let own = |schema: &&Value| features(schema).contains(&patch.name.as_str());
    let definitions = root.as_object().into_iter().flat_map(|map| map.values());
    let definitions = definitions.filter(own).cloned();
    let additions = patch.additions().into_iter().map(|(_, schema)| schema);
    for schema in definitions.chain(additions) {
        walk(&schema, "", &mut |_, members| {
            let target = members.get("$ref").and_then(Value::as_str);
            if let Some(name) = target.and_then(|target| target.strip_prefix(PREFIX)) {
                note(name);
            }
        });
    }
    missing
}

impl Patch {
    /// Returns all additions, each with its position in the patch.
    fn additions(&self) -> Vec<(String, Value)> {
        let schemas = |folder: &'static str, table: &Map<String, Value>| {
            let entries = table.clone().into_iter();
            entries.map(move |(name, schema)| (pointer::join(folder, &name), schema))
        };
        let mut additions: Vec<_> = schemas("/definitions", &self.definitions).collect();
        additions.extend(schemas("/members", &self.members));
        for (target, names) in &self.variants {
            let place = pointer::join("/variants", target);
            let names = names.as_array().into_iter().flatten();
            additions.extend(names.filter_map(Value::as_str).map(|name| {
                let entry = serde_json::json!({ "$ref": reference_to(name) });
                (place.clone(), entry)
            }));
        }
        additions
    }

    /// A patch may refer only to the document and to its own types, so that it can be used without
    /// others.
    pub(super) fn check_references(&self, document: &Document) -> Result<(), PatchError> {
        for (place, schema) in self.additions() {
            check::references(&self.file, &place, &schema, &document.definitions)
                .map_err(|source| self.not_a_schema(source))?;
            self.check_owners(&place, &schema, document)?;
        }
        Ok(())
    }

    fn check_owners(
        &self,
        place: &str,
        schema: &Value,
        document: &Document,
    ) -> Result<(), PatchError> {
        let mut fault = None;
        walk(schema, place, &mut |at, members| {
            let name = members.get("$ref").and_then(Value::as_str);
            let Some(target) = name.and_then(|name| name.strip_prefix(PREFIX)) else {
                return;
            };
            let owners = document
                .definitions
                .get(target)
                .map(features)
                .unwrap_or_default();
            if !owners.is_empty() && !owners.contains(&self.name.as_str()) && fault.is_none() {
                fault = Some(PatchError::NeedsOther {
                    name: self.name.clone(),
                    pointer: at.to_owned(),
                    target: target.to_owned(),
                    owner: owners.join("`, `"),
                });
            }
        });
        fault.map_or(Ok(()), Err)
    }
}
