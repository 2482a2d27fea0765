//! The errors of patches.

use std::fmt;

use serde_json::Value;

use crate::schema::SchemaError;
use crate::schema::error::describe_value;

/// The errors of parsing and applying a patch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The file does not have the form of a patch.
    #[error("{file}:{}:{}: not a patch", .source.line(), .source.column())]
    Form {
        /// The patch.
        file: String,
        /// The JSON error.
        source: serde_json::Error,
    },
    /// A value of the patch is not valid at its position.
    #[error("{file}: at `{pointer}`: expected {expected}")]
    Misplaced {
        /// The patch.
        file: String,
        /// JSON pointer in the patch.
        pointer: String,
        /// What was expected.
        expected: &'static str,
    },
    /// The additions of the patch are not a valid schema.
    #[error("the additions of the patch `{name}` are not a valid schema")]
    NotASchema {
        /// The patch's name.
        name: String,
        /// The error in the schema.
        source: SchemaError,
    },
    /// The patch adds to a type that does not exist or cannot have the addition.
    #[error("{file}: cannot add {what} to `{target}`, which is not {expected} of {document}")]
    NoSuchTarget {
        /// The patch.
        file: String,
        /// The type, or the position in it.
        target: String,
        /// The kind of the addition.
        what: &'static str,
        /// What the target should be.
        expected: &'static str,
        /// The document.
        document: String,
    },
    /// The patch adds something that the document or another patch defines already.
    #[error("the patch `{name}` adds `{target}`, which {owner} already defines{}", if *.equal { "" } else { " differently" })]
    Clash {
        /// The patch's name.
        name: String,
        /// JSON pointer below the definitions.
        target: String,
        /// The owner: the document, or the patches that added it.
        owner: String,
        /// `true` if both definitions are equal.
        equal: bool,
    },
    /// The patch adds something that a newer revision contains in a different form.
    #[error("{ours}, but {theirs}; change the patch, or use another name in it")]
    Conflict {
        /// The patch.
        ours: Box<Side>,
        /// The revision.
        theirs: Box<Side>,
    },
    /// The patch refers to a type that only another patch defines.
    #[error("the patch `{name}` refers at `{pointer}` to `{target}`, which only `{owner}` defines")]
    NeedsOther {
        /// The patch's name.
        name: String,
        /// JSON pointer to the reference.
        pointer: String,
        /// The name of the type.
        target: String,
        /// The patch that defines the type.
        owner: String,
    },
}

/// One side of a conflict.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Side {
    /// The name of the file or of the revision.
    pub file: String,
    /// JSON pointer: in a patch from its root, in a revision below the definitions.
    pub pointer: String,
    /// The value.
    pub value: Value,
}

impl Side {
    pub(super) fn new(file: &str, pointer: &str, value: &Value) -> Self {
        Self {
            file: file.to_owned(),
            pointer: pointer.to_owned(),
            value: value.clone(),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = describe_value(Some(&self.value));
        write!(out, "{} has {value} at `{}`", self.file, self.pointer)
    }
}
