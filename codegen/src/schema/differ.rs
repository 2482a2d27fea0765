//! Compares two documents and records the changes.

mod combined;
mod inner;
mod object;
mod value;

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::change::{ChangeKind, SchemaChange, Subject};
use super::resolve::{is_union, resolve};
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
        self.named("properties", name, &format!(".{name}"))
    }

    /// Returns the place of a named schema below a keyword.
    fn named(&self, keyword: &str, name: &str, suffix: &str) -> Self {
        self.keyword(keyword, suffix).at(name)
    }

    fn at(mut self, name: &str) -> Self {
        self.pointer = pointer::join(&self.pointer, name);
        self
    }
}

pub(super) struct Differ<'a> {
    old: &'a Document,
    new: &'a Document,
    changes: Vec<SchemaChange>,
    /// Pairs of definitions with different names that were compared. Their changes are reported
    /// where they were met first.
    compared: HashSet<(String, String)>,
}

impl<'a> Differ<'a> {
    pub(super) fn new(old: &'a Document, new: &'a Document) -> Self {
        Self {
            old,
            new,
            changes: Vec::new(),
            compared: HashSet::new(),
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
        let (left, right) = (reference(before), reference(after));
        if left.is_some() && left == right {
            return self.beside_references(location, before, after);
        }
        let (old, new) = (resolve(self.old, before), resolve(self.new, after));
        if is_union(self.old, before) || is_union(self.new, after) {
            self.union(location, before, after);
        } else if (left, right) == (None, None) {
            self.resolved(location, before, after);
        } else {
            // A type that was replaced by a reference or renamed is compared by its content, once.
            let [left, right] = [left, right].map(|name| name.unwrap_or(&location.pointer));
            if self.compared.insert((left.to_owned(), right.to_owned())) {
                self.resolved(location, old, new);
            }
            self.beside_references(location, before, after);
        }
    }

    /// Compares the keywords beside references.
    fn beside_references(&mut self, location: &Location, before: &'a Value, after: &'a Value) {
        let beside = |schema: &'a Value| match schema {
            Value::Object(members) if members.contains_key("$ref") && members.len() > 1 => schema,
            _ => &Value::Null,
        };
        let (before, after) = (beside(before), beside(after));
        if before.is_object() || after.is_object() {
            self.keywords(location, before, after);
        }
    }

    fn resolved(&mut self, location: &Location, before: &'a Value, after: &'a Value) {
        match (before, after) {
            (Value::Bool(false), Value::Bool(false)) => {}
            (Value::Bool(false), _) => self.changed(location, false, "is allowed".to_owned()),
            (_, Value::Bool(false)) => {
                self.changed(location, true, "is not allowed any more".to_owned());
            }
            _ => self.keywords(location, before, after),
        }
    }

    /// Compares all keywords of two schemas, except references.
    fn keywords(&mut self, location: &Location, before: &'a Value, after: &'a Value) {
        self.types(location, before, after);
        self.values(location, before, after);
        self.members(location, before, after);
        self.rest(location, before, after);
        self.alternatives(location, before, after);
        self.parts(location, before, after);
        self.inner(location, before, after);
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
