//! [`SchemaChange`]: a change from one document to another.

use serde::Serialize;

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
