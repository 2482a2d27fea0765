//! The changes from one document to another.
//!
//! A change is breaking if a value that was valid may now be rejected, or if a name that a program
//! could use no longer exists. So it is breaking to remove a definition, a message, a member, a
//! value or a member of a union, to require a member, and to narrow a type or a bound. It is not
//! breaking to add one of them, to make a member optional, or to widen a type or a bound, although
//! a program that reads such values may receive something new. Changes of formats, defaults and
//! flags are never breaking, because these reject nothing.

use serde::Serialize;

use super::Document;
use super::change::{ChangeKind, SchemaChange, Subject};
use super::differ::Differ;

/// The changes from one document to another.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct SchemaDiff {
    /// The name of the older document.
    pub from: String,
    /// The name of the newer document.
    pub to: String,
    /// The changes: messages first, then definitions, then their parts in the order of the newer
    /// document.
    pub changes: Vec<SchemaChange>,
}

impl SchemaDiff {
    /// Returns the breaking changes.
    pub fn breaking(&self) -> impl Iterator<Item = &SchemaChange> {
        self.changes.iter().filter(|change| change.breaking)
    }

    /// Returns the number of changes of one kind to things of one kind.
    #[must_use]
    pub fn count(&self, subject: Subject, kind: ChangeKind) -> usize {
        let changes = self.changes.iter();
        let same = changes.filter(|change| change.subject == subject && change.kind == kind);
        same.count()
    }
}

/// Compares two documents. Texts are ignored.
#[must_use]
pub fn diff(old: &Document, new: &Document) -> SchemaDiff {
    let changes = Differ::new(&old.without_prose(), &new.without_prose()).changes();
    SchemaDiff {
        from: old.file.clone(),
        to: new.file.clone(),
        changes,
    }
}
