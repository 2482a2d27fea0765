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

/// A single change.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SchemaChange {
    /// The kind of the changed thing.
    pub subject: Subject,
    /// The kind of the change.
    pub kind: ChangeKind,
    /// `true` if a value that was valid may now be rejected, or if a name no longer exists.
    pub breaking: bool,
    /// The method of a message, the name of a definition, or a path such as `Book.pages[]`.
    pub name: String,
    /// JSON pointer below the definitions. For a message it points to the definition.
    pub pointer: String,
    /// Details: the definition of a message, or a description of the change.
    pub detail: String,
}

/// The kind of a changed thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A definition with a constant `method`.
    Message,
    /// A definition.
    Definition,
    /// A member of an object.
    Member,
    /// Any other part of a definition.
    Type,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// It exists only in the newer document.
    Added,
    /// It exists only in the older document.
    Removed,
    /// It exists in both documents, but differs.
    Changed,
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
