//! What changed from one document to another.
//!
//! One rule says what is breaking: a value that was valid may now be refused, or a name that a
//! program could use is gone. So it is breaking to remove a definition, a message, a member, a
//! value or a union's member, to require a member, and to narrow a type or a bound. It is not
//! breaking to add any of them, to make a member optional, or to widen, although a program that
//! reads such values may meet something new. Formats, defaults and marks are never breaking, since
//! they refuse nothing.

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
    /// What changed: messages first, then definitions, then their parts in the order of the newer
    /// document.
    pub changes: Vec<SchemaChange>,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SchemaChange {
    /// What changed.
    pub subject: Subject,
    /// How it changed.
    pub kind: ChangeKind,
    /// Whether a value that was valid may now be refused, or a name is gone.
    pub breaking: bool,
    /// The method of a message, the name of a definition, or a path such as `Tool.icons[]`.
    pub name: String,
    /// JSON pointer below the definitions; for a message, to its definition.
    pub pointer: String,
    /// A remark: the definition of a message, or what exactly changed.
    pub detail: String,
}

/// What a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A definition with a constant `method`.
    Message,
    /// A definition.
    Definition,
    /// A member of an object.
    Member,
    /// Anything else that a definition says.
    Type,
}

/// How something changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Only the newer document has it.
    Added,
    /// Only the older document has it.
    Removed,
    /// Both have it, differently.
    Changed,
}

impl SchemaDiff {
    /// The breaking changes.
    pub fn breaking(&self) -> impl Iterator<Item = &SchemaChange> {
        self.changes.iter().filter(|change| change.breaking)
    }
}

/// Compares two documents; words do not count.
#[must_use]
pub fn diff(old: &Document, new: &Document) -> SchemaDiff {
    let changes = Differ::new(&old.without_prose(), &new.without_prose()).changes();
    SchemaDiff {
        from: old.file.clone(),
        to: new.file.clone(),
        changes,
    }
}
