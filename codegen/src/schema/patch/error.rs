//! The errors of patches.

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
    #[error(
        "{file}: the patch has {ours} at `{place}`, but {document} has {theirs} at `{target}`; \
         change the patch, or give its part for older revisions another name"
    )]
    Conflict {
        /// The patch.
        file: String,
        /// JSON pointer in the patch.
        place: String,
        /// What the patch has there.
        ours: String,
        /// The revision.
        document: String,
        /// JSON pointer below the definitions of the revision.
        target: String,
        /// What the revision has there.
        theirs: String,
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

impl PatchError {
    /// Creates the error for an addition that a document contains in a different form: the patch and
    /// the document, each with the position and the value.
    pub(super) fn conflict(ours: (&str, &str, &Value), theirs: (&str, &str, &Value)) -> Self {
        Self::Conflict {
            file: ours.0.to_owned(),
            place: ours.1.to_owned(),
            ours: describe_value(Some(ours.2)),
            document: theirs.0.to_owned(),
            target: theirs.1.to_owned(),
            theirs: describe_value(Some(theirs.2)),
        }
    }
}
