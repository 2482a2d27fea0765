//! Carries facts over to the next revision.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use super::apply::{accepted, place, variants_of};
use super::{Facts, FactsError, Variant};
use crate::schema::rebase::Places;
use crate::schema::{Document, pointer};

/// What became of a fact that does not hold in the next revision as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FactsChange {
    /// The kind of fact.
    pub kind: &'static str,
    /// JSON pointer below the definitions of the older revision.
    pub at: String,
    /// Why the fact was dropped, or `None` if it was adapted.
    pub dropped: Option<String>,
}

impl fmt::Display for FactsChange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` at `{}`: ", self.kind, self.at)?;
        match &self.dropped {
            None => out.write_str("adapted"),
            Some(reason) => write!(out, "dropped: {reason}"),
        }
    }
}

impl Facts {
    /// Carries the facts of a revision over to the next one, whose TypeScript source is not known.
    /// `old` and `new` are the structures of both revisions as they were published.
    ///
    /// A fact stays if it applies in the new revision. New members and values follow those that the
    /// older revision has, in the published order; those that are gone are left out. Constants with
    /// the name of the older revision get that of the new one.
    #[must_use]
    pub fn rebased(
        &self,
        old: &Document,
        new: &Document,
        revision: &str,
    ) -> (Self, Vec<FactsChange>) {
        let mut work = Rebase {
            from: Value::Object(old.definitions.clone()),
            to: Value::Object(new.definitions.clone()),
            new,
            places: Places::new(old, new),
            kept: Self {
                file: revision.to_owned(),
                revision: revision.to_owned(),
                ..Self::default()
            },
            changes: Vec::new(),
        };
        work.run(self);
        (work.kept, work.changes)
    }
}

struct Rebase<'a> {
    from: Value,
    to: Value,
    new: &'a Document,
    places: Places,
    kept: Facts,
    changes: Vec<FactsChange>,
}

impl Rebase<'_> {
    fn run(&mut self, facts: &Facts) {
        let constants = facts.constants.iter().map(|(name, value)| {
            let is_revision = value.as_str() == Some(facts.revision.as_str());
            let value = if is_revision {
                self.kept.revision.as_str().into()
            } else {
                value.clone()
            };
            (name.clone(), value)
        });
        let constants = constants.collect();
        self.kept.constants = constants;
        for (at, order) in &facts.members {
            let present = |schema: &Value| -> Option<Vec<String>> {
                Some(
                    schema
                        .get("properties")?
                        .as_object()?
                        .keys()
                        .cloned()
                        .collect(),
                )
            };
            self.order("members", at, order, &present, |kept| &mut kept.members);
        }
        for (at, order) in &facts.values {
            let present = |schema: &Value| -> Option<Vec<String>> {
                let values = schema.get("enum")?.as_array()?.iter();
                values.map(|one| one.as_str().map(str::to_owned)).collect()
            };
            self.order("values", at, order, &present, |kept| &mut kept.values);
        }
        for (at, known) in &facts.known_values {
            self.keep("known_values", at, |facts, at| {
                facts.known_values.insert(at, known.clone());
            });
        }
        for at in &facts.open {
            self.keep("open", at, |facts, at| {
                facts.open.insert(at);
            });
        }
        for at in &facts.nullable {
            self.keep("nullable", at, |facts, at| {
                facts.nullable.insert(at);
            });
        }
        for at in &facts.deprecated {
            self.keep("deprecated", at, |facts, at| {
                facts.deprecated.insert(at);
            });
        }
        for (name, places) in &facts.references {
            let name = self.places.name(name).to_owned();
            for at in places {
                self.keep("references", at, |facts, at| {
                    facts.references.entry(name.clone()).or_default().insert(at);
                });
            }
        }
        for (at, variants) in &facts.unions {
            self.union(at, variants);
        }
        for (category, names) in &facts.categories {
            let names = names.iter().map(|name| self.places.name(name));
            let names = names.filter(|name| self.new.definitions.contains_key(*name));
            let names: BTreeSet<String> = names.map(str::to_owned).collect();
            if !names.is_empty() {
                self.kept.categories.insert(category.clone(), names);
            }
        }
    }

    /// Returns the place in the new revision, if it has one.
    fn find(&mut self, kind: &'static str, at: &str) -> Option<String> {
        let found = self.places.find(&self.from, &self.to, at);
        let found = found.filter(|found| place(&self.new.definitions, found).is_some());
        if found.is_none() {
            self.note(kind, at, Some("the place is gone".to_owned()));
        }
        found
    }

    fn note(&mut self, kind: &'static str, at: &str, dropped: Option<String>) {
        self.changes.push(FactsChange {
            kind,
            at: at.to_owned(),
            dropped,
        });
    }

    /// Keeps a fact if it applies to the new revision on its own.
    fn keep(&mut self, kind: &'static str, at: &str, add: impl Fn(&mut Facts, String)) {
        let Some(found) = self.find(kind, at) else {
            return;
        };
        let mut alone = Facts::default();
        add(&mut alone, found.clone());
        if let Err(error) = alone.apply(&mut self.new.clone()) {
            let reason = match error {
                FactsError::Mismatch {
                    expected, found, ..
                } => format!("expected {expected}, found {found}"),
                other => other.to_string(),
            };
            return self.note(kind, at, Some(reason));
        }
        if found != at {
            self.note(kind, at, None);
        }
        add(&mut self.kept, found);
    }

    fn order(
        &mut self,
        kind: &'static str,
        at: &str,
        order: &[String],
        present: &dyn Fn(&Value) -> Option<Vec<String>>,
        table: fn(&mut Facts) -> &mut BTreeMap<String, Vec<String>>,
    ) {
        let Some(found) = self.find(kind, at) else {
            return;
        };
        let Some(present) = place(&self.new.definitions, &found).and_then(present) else {
            return self.note(kind, at, Some("it has another type".to_owned()));
        };
        let kept = order.iter().filter(|one| present.contains(one));
        let added = present.iter().filter(|one| !order.contains(one));
        let adapted: Vec<String> = kept.chain(added).cloned().collect();
        if adapted != order || found != at {
            self.note(kind, at, None);
        }
        if adapted != present {
            table(&mut self.kept).insert(found, adapted);
        }
    }

    fn union(&mut self, at: &str, variants: &[Variant]) {
        let Some(found) = self.find("unions", at) else {
            return;
        };
        let Some(schema) = place(&self.new.definitions, &found) else {
            return;
        };
        let single = std::slice::from_ref(schema);
        let (keyword, published) = variants_of(schema).unwrap_or(("anyOf", single));
        let mut carried = Vec::new();
        let mut covered: Vec<&Value> = Vec::new();
        for variant in variants {
            match variant {
                Variant::Name(name) => {
                    let name = self.places.name(name);
                    covered.extend(self.new.definitions.get(name));
                    covered.extend(accepted(&self.new.definitions, name));
                    carried.push(Variant::Name(name.to_owned()));
                }
                Variant::Published(index) => {
                    let inner = format!("{at}/{keyword}/{index}");
                    let inner = self.places.find(&self.from, &self.to, &inner);
                    let index = inner.as_deref().and_then(pointer::split);
                    let index = index.and_then(|(_, token)| token.parse().ok());
                    if let Some(index) = index.filter(|index| *index < published.len()) {
                        carried.push(Variant::Published(index));
                    }
                }
            }
        }
        for (index, variant) in published.iter().enumerate() {
            let names = carried.iter().any(|one| match one {
                Variant::Name(name) => crate::schema::reference(variant) == Some(name),
                Variant::Published(other) => *other == index,
            });
            if !names && !covered.contains(&variant) {
                carried.push(Variant::Published(index));
            }
        }
        if carried != variants {
            self.note("unions", at, None);
        }
        self.keep("unions", at, |facts, at| {
            facts.unions.insert(at, carried.clone());
        });
    }
}
