//! [`ConvertError`]: why a value cannot be represented in another revision, and where it is.

use std::convert::Infallible;
use std::fmt;

use crate::error::{DecodeError, Path, Segment, excerpt};

/// The reasons why a value cannot be represented in another revision.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConvertError {
    /// The other revision requires a member that is missing.
    Missing {
        /// The type.
        kind: &'static str,
        /// The member.
        member: &'static str,
        /// The place of the value that lacks it.
        path: Box<Path>,
    },
    /// A variant of a union or a value of an enumeration does not exist in the other revision.
    NoVariant {
        /// The type.
        kind: &'static str,
        /// The variant or value.
        variant: String,
        /// The other revision, if it is known.
        revision: &'static str,
        /// The place of the value.
        path: Box<Path>,
    },
    /// A value that one revision does not constrain is not valid in the other one.
    Value(DecodeError),
}

impl ConvertError {
    /// Creates the error for a missing `member` that the other revision requires for `kind`.
    #[must_use]
    pub fn missing(kind: &'static str, member: &'static str) -> Self {
        Self::Missing {
            kind,
            member,
            path: Box::default(),
        }
    }

    /// Creates the error for a variant or value that `kind` does not have in `revision`.
    #[must_use]
    pub fn no_variant(kind: &'static str, variant: &str, revision: &'static str) -> Self {
        Self::NoVariant {
            kind,
            variant: excerpt(variant).into_owned(),
            revision,
            path: Box::default(),
        }
    }

    /// Returns the place of the value that cannot be represented.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Missing { path, .. } | Self::NoVariant { path, .. } => path,
            Self::Value(error) => error.path(),
        }
    }

    /// Adds a segment to the front of the path.
    #[cold]
    pub(super) fn inside(self, segment: Segment) -> Self {
        match self {
            Self::Value(error) => Self::Value(match segment {
                Segment::Member(name) => error.inside_member(name),
                Segment::Index(index) => error.inside_index(index),
            }),
            mut error => {
                if let Self::Missing { path, .. } | Self::NoVariant { path, .. } = &mut error {
                    path.prepend(segment);
                }
                error
            }
        }
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { kind, member, .. } => {
                write!(
                    f,
                    "`{kind}` of the other revision requires the member `{member}`"
                )?;
            }
            Self::NoVariant {
                kind,
                variant,
                revision,
                ..
            } => {
                write!(
                    f,
                    "`{kind}` of revision {revision} cannot represent `{variant}`"
                )?;
            }
            Self::Value(error) => return error.fmt(f),
        }
        self.path().write_suffix(f)
    }
}

// No source: the text contains that of the error inside.
impl std::error::Error for ConvertError {}

impl From<DecodeError> for ConvertError {
    fn from(error: DecodeError) -> Self {
        Self::Value(error)
    }
}

impl From<Infallible> for ConvertError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
