//! Compares two documents and records the changes.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use super::diff::{ChangeKind, SchemaChange, Subject};
use super::error::describe_value;
use super::resolve::{described, is_anything, is_union, resolve, type_names, variants};
use super::values::{Values, narrower_bound, types, values};
use super::{Document, pointer, reference};

struct Location {
    name: String,
    pointer: String,
}

impl Location {
    fn keyword(&self, keyword: &str, suffix: &str) -> Self {
        Self {
            name: format!("{}{suffix}", self.name),
            pointer: pointer::join(&self.pointer, keyword),
        }
    }

    fn member(&self, name: &str) -> Self {
        let properties = pointer::join(&self.pointer, "properties");
        Self {
            name: format!("{}.{name}", self.name),
            pointer: pointer::join(&properties, name),
        }
    }
}

pub(super) struct Differ<'a> {
    old: &'a Document,
    new: &'a Document,
    changes: Vec<SchemaChange>,
    /// Pairs of definitions with different names that are being compared, to stop infinite
    /// recursion.
    open: HashSet<(String, String)>,
}

impl<'a> Differ<'a> {
    pub(super) fn new(old: &'a Document, new: &'a Document) -> Self {
        Self {
            old,
            new,
            changes: Vec::new(),
            open: HashSet::new(),
        }
    }

    pub(super) fn changes(mut self) -> Vec<SchemaChange> {
        self.messages();
        let (old, new) = (&self.old.definitions, &self.new.definitions);
        for name in old.keys().filter(|name| !new.contains_key(*name)) {
            self.definition(name, ChangeKind::Removed);
        }
        for name in new.keys().filter(|name| !old.contains_key(*name)) {
            self.definition(name, ChangeKind::Added);
        }
        for (name, after) in new {
            if let Some(before) = old.get(name) {
                let location = Location {
                    name: name.clone(),
                    pointer: pointer::join("", name),
                };
                self.schema(&location, before, after);
            }
        }
        self.changes
    }

    fn messages(&mut self) {
        let (old, new) = (methods(self.old), methods(self.new));
        let gone = old.iter().filter(|(method, _)| !new.contains_key(*method));
        let fresh = new.iter().filter(|(method, _)| !old.contains_key(*method));
        let gone = gone.map(|message| (message, ChangeKind::Removed));
        for ((method, name), kind) in gone.chain(fresh.map(|message| (message, ChangeKind::Added)))
        {
            self.changes.push(SchemaChange {
                subject: Subject::Message,
                kind,
                breaking: kind == ChangeKind::Removed,
                name: (*method).to_owned(),
                pointer: pointer::join("", name),
                detail: (*name).to_owned(),
            });
        }
    }

    fn definition(&mut self, name: &str, kind: ChangeKind) {
        self.changes.push(SchemaChange {
            subject: Subject::Definition,
            kind,
            breaking: kind == ChangeKind::Removed,
            name: name.to_owned(),
            pointer: pointer::join("", name),
            detail: String::new(),
        });
    }

    fn changed(&mut self, location: &Location, breaking: bool, detail: String) {
        self.changes.push(SchemaChange {
            subject: Subject::Type,
            kind: ChangeKind::Changed,
            breaking,
            name: location.name.clone(),
            pointer: location.pointer.clone(),
            detail,
        });
    }

    fn schema(&mut self, location: &Location, before: &'a Value, after: &'a Value) {
        match (reference(before), reference(after)) {
            (Some(left), Some(right)) if left == right => {}
            _ if is_union(self.old, before) || is_union(self.new, after) => {
                self.union(location, before, after);
            }
            (None, None) => self.resolved(location, before, after),
            (left, right) => {
                // A type that was replaced by a reference or renamed is compared by its content.
                let pair = [left, right].map(|name| name.unwrap_or(&location.pointer).to_owned());
                let [left, right] = pair;
                if self.open.insert((left.clone(), right.clone())) {
                    let before = resolve(self.old, before);
                    let after = resolve(self.new, after);
                    self.resolved(location, before, after);
                    self.open.remove(&(left, right));
                }
            }
        }
    }

    fn resolved(&mut self, location: &Location, before: &'a Value, after: &'a Value) {
        self.types(location, before, after);
        self.values(location, before, after);
        self.members(location, before, after);
        self.rest(location, before, after);
        for (keyword, suffix) in [("items", "[]"), ("additionalProperties", ".*")] {
            let location = location.keyword(keyword, suffix);
            let limit = |document, schema: &'a Value| {
                schema
                    .get(keyword)
                    .filter(|inner| !is_anything(document, inner))
            };
            match (limit(self.old, before), limit(self.new, after)) {
                (Some(before), Some(after)) => self.schema(&location, before, after),
                (None, Some(after)) => {
                    self.changed(
                        &location,
                        true,
                        format!("is limited to {}", described(after)),
                    );
                }
                (Some(_), None) => self.changed(&location, false, "is not limited any more".into()),
                (None, None) => {}
            }
        }
    }

    fn union(&mut self, location: &Location, before: &'a Value, after: &'a Value) {
        let (old, new) = (variants(self.old, before), variants(self.new, after));
        let same = |left: &Value, right: &Value| match (reference(left), reference(right)) {
            (None, None) => super::structure::equal(left, right),
            (left, right) => left == right,
        };
        let gone: Vec<_> = old
            .iter()
            .copied()
            .filter(|left| !new.iter().any(|right| same(left, right)))
            .collect();
        let fresh: Vec<_> = new
            .iter()
            .copied()
            .filter(|right| !old.iter().any(|left| same(left, right)))
            .collect();
        if let ([before], [after]) = (gone.as_slice(), fresh.as_slice())
            && reference(before).is_none()
            && reference(after).is_none()
        {
            return self.resolved(location, before, after);
        }
        for (variants, kind) in [(gone, ChangeKind::Removed), (fresh, ChangeKind::Added)] {
            for variant in variants {
                let verb = if kind == ChangeKind::Added {
                    "may also be"
                } else {
                    "is no longer"
                };
                let detail = format!("{verb} {}", described(variant));
                self.changed(location, kind == ChangeKind::Removed, detail);
            }
        }
    }

    fn types(&mut self, location: &Location, before: &Value, after: &Value) {
        let (old, new) = (types(before), types(after));
        let widened = old
            .iter()
            .all(|each| new.contains(each) || (*each == "integer" && new.contains(&"number")));
        if old.len() != new.len() || old.iter().any(|each| !new.contains(each)) {
            let detail = format!("is {}, was {}", type_names(&new), type_names(&old));
            self.changed(location, !widened, detail);
        }
    }

    fn values(&mut self, location: &Location, before: &Value, after: &Value) {
        match (values(before), values(after)) {
            (Values::Any, Values::Any) => {}
            (Values::Any, Values::These(now)) => {
                self.changed(location, true, format!("is limited to {}", list(&now)));
            }
            (Values::These(_), Values::Any) => {
                self.changed(
                    location,
                    false,
                    "is not limited to known values any more".to_owned(),
                );
            }
            (Values::These(old), Values::These(new)) => {
                let gone: Vec<_> = old
                    .iter()
                    .copied()
                    .filter(|each| !new.contains(each))
                    .collect();
                let fresh: Vec<_> = new
                    .iter()
                    .copied()
                    .filter(|each| !old.contains(each))
                    .collect();
                if !gone.is_empty() {
                    self.changed(location, true, format!("is no longer {}", list(&gone)));
                }
                if !fresh.is_empty() {
                    self.changed(location, false, format!("may also be {}", list(&fresh)));
                }
            }
        }
    }

    fn members(&mut self, location: &Location, before: &'a Value, after: &'a Value) {
        let none = Map::new();
        let old = before.get("properties").and_then(Value::as_object);
        let new = after.get("properties").and_then(Value::as_object);
        for name in old.unwrap_or(&none).keys() {
            if !new.is_some_and(|new| new.contains_key(name)) {
                self.member(
                    &location.member(name),
                    ChangeKind::Removed,
                    true,
                    String::new(),
                );
            }
        }
        for (name, after_member) in new.into_iter().flatten() {
            let location = location.member(name);
            let (was, is) = (required(before, name), required(after, name));
            let Some(before_member) = old.and_then(|old| old.get(name)) else {
                let detail = if is { "required" } else { "optional" };
                self.member(&location, ChangeKind::Added, is, detail.to_owned());
                continue;
            };
            if was != is {
                let detail = if is {
                    "became required"
                } else {
                    "became optional"
                };
                self.member(&location, ChangeKind::Changed, is, detail.to_owned());
            }
            self.schema(&location, before_member, after_member);
        }
    }

    fn member(&mut self, location: &Location, kind: ChangeKind, breaking: bool, detail: String) {
        self.changes.push(SchemaChange {
            subject: Subject::Member,
            kind,
            breaking,
            name: location.name.clone(),
            pointer: location.pointer.clone(),
            detail,
        });
    }

    /// Compares the keywords that have no rule of their own above.
    fn rest(&mut self, location: &Location, before: &Value, after: &Value) {
        let mut keywords: Vec<&String> = Vec::new();
        for schema in [before, after] {
            keywords.extend(schema.as_object().into_iter().flat_map(Map::keys));
        }
        keywords.sort();
        keywords.dedup();
        for keyword in keywords {
            let (old, new) = (before.get(keyword), after.get(keyword));
            let Some(narrower) = narrower_bound(keyword, old, new) else {
                continue;
            };
            let detail = match new {
                Some(Value::Bool(true)) if keyword == "deprecated" => "is deprecated".to_owned(),
                Some(new) => format!(
                    "has `{keyword}` {}, was {}",
                    describe_value(Some(new)),
                    describe_value(old)
                ),
                None => format!("has no `{keyword}` any more, was {}", describe_value(old)),
            };
            self.changed(location, narrower, detail);
        }
    }
}

/// Returns the methods and the definitions that have them.
fn methods(document: &Document) -> BTreeMap<&str, &str> {
    let definitions = document.definitions.iter();
    definitions
        .filter_map(|(name, schema)| {
            Some((
                schema.pointer("/properties/method/const")?.as_str()?,
                name.as_str(),
            ))
        })
        .collect()
}

fn required(schema: &Value, name: &str) -> bool {
    let names = schema.get("required").and_then(Value::as_array);
    names.is_some_and(|names| names.iter().any(|each| each == name))
}

fn list(values: &[&Value]) -> String {
    values
        .iter()
        .map(|value| format!("`{value}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
