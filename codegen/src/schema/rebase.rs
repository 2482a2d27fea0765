//! Carries errata over to the next revision.
//!
//! An erratum was written for one revision. In the next one, its place may have other neighbours,
//! may be gone, or may be correct. So each change is compared with what the next revision has
//! there, as in a merge with a common ancestor: the published value of the older revision, which
//! both the erratum and the authors of the next revision may have changed.

mod merge;
mod places;

use std::fmt;

use serde_json::Value;

use self::merge::{Merge, merge};
pub(super) use self::places::Places;
pub use self::places::renamed;
use super::errata::Outcome as Applied;
use super::error::describe_value;
use super::prose::Kind;
use super::{Action, Change, Document, Errata, Erratum};

/// The errata of a revision, carried over from the revision before.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rebased {
    /// The errata that hold in the new revision.
    pub errata: Errata,
    /// What became of the changes that are not the same as before.
    pub changes: Vec<RebasedChange>,
}

/// What became of one change of an erratum.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RebasedChange {
    /// The name of the erratum.
    pub erratum: String,
    /// JSON pointer below the definitions of the older revision.
    pub at: String,
    /// The outcome.
    pub outcome: RebaseOutcome,
}

/// The outcome of carrying over a change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RebaseOutcome {
    /// The place has other neighbours, or moved; the change was adapted. JSON pointer below the
    /// definitions of the new revision.
    Adapted(String),
    /// The new revision is already correct; the change was dropped.
    Mended,
    /// The change is an order of members, which the generator keeps from one revision to the next;
    /// the change was dropped.
    Inherited,
    /// The new revision does not have the place; the change was dropped.
    Vanished,
    /// The new revision has something else there; the change was left out. The reason.
    Conflict(String),
}

impl fmt::Display for RebasedChange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "erratum `{}` at `{}`: ", self.erratum, self.at)?;
        match &self.outcome {
            RebaseOutcome::Adapted(at) if *at == self.at => out.write_str("adapted"),
            RebaseOutcome::Adapted(at) => write!(out, "adapted, now at `{at}`"),
            RebaseOutcome::Mended => out.write_str("dropped, because it is correct now"),
            RebaseOutcome::Inherited => out.write_str("dropped, because members keep their order"),
            RebaseOutcome::Vanished => out.write_str("dropped, because the place is gone"),
            RebaseOutcome::Conflict(reason) => write!(out, "left out: {reason}"),
        }
    }
}

/// Carries the errata of a revision over to the next one. `old` and `new` are the structures of
/// both revisions as they were published, with their facts.
///
/// A change that still holds stays. It is adapted if members, values or variants were added or
/// removed beside what it corrects. It is dropped if the new revision is already correct, or does
/// not have the place any more. It is left out, with a reason, if the new revision has something
/// else there.
#[must_use]
pub fn rebase(errata: &Errata, old: &Document, new: &Document, revision: &str) -> Rebased {
    let mut work = Rebase {
        old: Value::Object(old.definitions.clone()),
        new: new.clone(),
        places: Places::new(old, new),
        changes: Vec::new(),
    };
    let mut kept = Vec::new();
    for erratum in &errata.errata {
        let changes = erratum.changes.iter();
        let changes: Vec<Change> = changes
            .filter_map(|change| work.change(&erratum.name, change))
            .collect();
        if !changes.is_empty() {
            kept.push(Erratum {
                changes,
                ..erratum.clone()
            });
        }
    }
    Rebased {
        errata: Errata {
            file: revision.to_owned(),
            revision: revision.to_owned(),
            errata: kept,
        },
        changes: work.changes,
    }
}

struct Rebase {
    /// The older definitions, with the changes so far applied.
    old: Value,
    /// The new document, with the rebased changes so far applied.
    new: Document,
    places: Places,
    changes: Vec<RebasedChange>,
}

impl Rebase {
    /// Returns the change for the new revision, if there has to be one.
    fn change(&mut self, erratum: &str, change: &Change) -> Option<Change> {
        let result = self.carried(change);
        // Later changes build on this one.
        let _ = change.apply(&mut self.old);
        let outcome = match result {
            Ok(carried) if carried == *change => return Some(carried),
            Ok(carried) => {
                self.note(erratum, change, RebaseOutcome::Adapted(carried.at.clone()));
                return Some(carried);
            }
            Err(outcome) => outcome,
        };
        self.note(erratum, change, outcome);
        None
    }

    fn note(&mut self, erratum: &str, change: &Change, outcome: RebaseOutcome) {
        self.changes.push(RebasedChange {
            erratum: erratum.to_owned(),
            at: change.at.clone(),
            outcome,
        });
    }

    fn carried(&mut self, change: &Change) -> Result<Change, RebaseOutcome> {
        let root = Value::Object(self.new.definitions.clone());
        let at = self.places.find(&self.old, &root, &change.at);
        let at = at.ok_or(RebaseOutcome::Vanished)?;
        let found = root.pointer(&at).map(|value| Kind::at(&at).bare(value));
        let action = match &change.action {
            Action::Replace { was, now } => {
                let (was, now) = (self.renamed(was.as_ref()), self.renamed(now.as_ref()));
                self.replacement(was, now, found)?
            }
            Action::Order(order) => reorder(order, found)?,
        };
        let carried = Change { at, action };
        self.apply(&carried)?;
        Ok(carried)
    }

    fn renamed(&self, value: Option<&Value>) -> Option<Value> {
        value.map(|value| self.places.renamed(value))
    }

    fn replacement(
        &self,
        was: Option<Value>,
        now: Option<Value>,
        found: Option<Value>,
    ) -> Result<Action, RebaseOutcome> {
        if found == now {
            return Err(RebaseOutcome::Mended);
        }
        if found == was {
            return Ok(Action::Replace { was, now });
        }
        let merged = match (&was, &now, &found) {
            // What was to be removed or replaced is not there any more.
            (Some(_), _, None) => return Err(RebaseOutcome::Vanished),
            (Some(was), Some(now), Some(found)) => {
                let covered = |list: &[Value], value: &Value| self.covers(list, value);
                merge(was, now, found, &covered)
            }
            _ => Merge::Conflict,
        };
        match merged {
            Merge::Merged(merged) if Some(&merged) == found.as_ref() => Err(RebaseOutcome::Mended),
            Merge::Merged(merged) => Ok(Action::Replace {
                was: found,
                now: Some(merged),
            }),
            Merge::Conflict => Err(RebaseOutcome::Conflict(format!(
                "it replaces {} by {}, but {} has {}",
                describe_value(was.as_ref()),
                describe_value(now.as_ref()),
                self.new.file,
                describe_value(found.as_ref())
            ))),
        }
    }

    /// Returns `true` if a schema is a variant of one of the unions in a list.
    fn covers(&self, list: &[Value], schema: &Value) -> bool {
        places::variants(&self.new.definitions, list).contains(&schema)
    }

    /// Applies a change to the new document, if the result is a valid schema.
    fn apply(&mut self, change: &Change) -> Result<(), RebaseOutcome> {
        let mut root = Value::Object(self.new.definitions.clone());
        if !matches!(change.apply(&mut root), Applied::Applied) {
            let reason = format!("it does not apply at `{}`", change.at);
            return Err(RebaseOutcome::Conflict(reason));
        }
        let Value::Object(definitions) = root else {
            return Ok(());
        };
        let corrected = Document {
            definitions,
            ..self.new.clone()
        };
        match corrected.check() {
            Ok(()) => {
                self.new = corrected;
                Ok(())
            }
            Err(error) => Err(RebaseOutcome::Conflict(error.to_string())),
        }
    }
}

/// Adapts an order of values: new ones follow the others, and those that are gone are left out.
fn reorder(order: &[Value], found: Option<Value>) -> Result<Action, RebaseOutcome> {
    let present: Vec<Value> = match found {
        Some(Value::Object(_)) => return Err(RebaseOutcome::Inherited),
        Some(Value::Array(elements)) => elements,
        _ => return Err(RebaseOutcome::Vanished),
    };
    let kept = order.iter().filter(|one| present.contains(one));
    let added = present.iter().filter(|one| !order.contains(one));
    let adapted: Vec<Value> = kept.chain(added).cloned().collect();
    if adapted == present {
        return Err(RebaseOutcome::Mended);
    }
    Ok(Action::Order(adapted))
}

impl Errata {
    /// Returns the errata as a file: one change per line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::from("{\n");
        let line = |value: &Value| value.to_string();
        text.push_str(&format!(
            "  \"revision\": {},\n",
            line(&self.revision.as_str().into())
        ));
        let errata: Vec<String> = self.errata.iter().map(erratum_to_json).collect();
        if errata.is_empty() {
            text.push_str("  \"errata\": []\n}\n");
        } else {
            text.push_str(&format!(
                "  \"errata\": [\n{}\n  ]\n}}\n",
                errata.join(",\n")
            ));
        }
        text
    }
}

fn erratum_to_json(erratum: &Erratum) -> String {
    let changes: Vec<String> = erratum
        .changes
        .iter()
        .map(|change| format!("        {}", change_to_json(change)))
        .collect();
    format!(
        "    {{\n      \"name\": {},\n      \"reason\": {},\n      \"changes\": [\n{}\n      ]\n    }}",
        Value::from(erratum.name.as_str()),
        Value::from(erratum.reason.as_str()),
        changes.join(",\n")
    )
}

fn change_to_json(change: &Change) -> Value {
    let mut members = serde_json::Map::new();
    members.insert("at".to_owned(), change.at.as_str().into());
    match &change.action {
        Action::Order(order) => {
            members.insert("order".to_owned(), order.clone().into());
        }
        Action::Replace { was, now } => {
            for (name, value) in [("was", was), ("now", now)] {
                if let Some(value) = value {
                    members.insert(name.to_owned(), value.clone());
                }
            }
        }
    }
    Value::Object(members)
}
