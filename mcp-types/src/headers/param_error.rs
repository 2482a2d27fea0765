//! [`HeaderParamError`]: marks in an input schema that violate a rule.

use std::fmt;

use crate::error::{Path, Segment, shortened};

/// The maximum total length of the property names on the path to a parameter, with a separator
/// after each. Every parameter has its own copy of the names. Without a bound, a schema with many
/// parameters below one long name would need memory for a copy of that name for each of them.
pub(super) const LONGEST_WAY: usize = 512;

/// The error for a mark in an input schema that violates a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderParamError {
    // Boxed, so that the result stays small on success.
    inner: Box<(Path, HeaderParamReason)>,
}

impl HeaderParamError {
    /// Returns the path of the mark in the schema.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.0
    }

    /// Returns the violated rule.
    #[must_use]
    pub fn reason(&self) -> &HeaderParamReason {
        &self.inner.1
    }

    /// Adds a segment to the front of the path.
    pub(super) fn inside(mut self, segment: Segment) -> Self {
        let segment = match segment {
            Segment::Member(name) => Segment::Member(shortened(name)),
            index @ Segment::Index(_) => index,
        };
        self.inner.0.prepend(segment);
        self
    }
}

impl From<HeaderParamReason> for HeaderParamError {
    fn from(reason: HeaderParamReason) -> Self {
        Self {
            inner: Box::new((Path::root(), reason)),
        }
    }
}

impl fmt::Display for HeaderParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at {})", self.reason(), self.path())
    }
}

impl std::error::Error for HeaderParamError {}

/// The rule that a mark violates.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderParamReason {
    /// The name is not a string.
    NotText,
    /// The name is empty.
    Empty,
    /// The name contains characters that are not allowed in the name of a header.
    NotToken {
        /// The name, safe to display.
        name: String,
    },
    /// Another parameter has the same name. Names are compared without regard to case.
    Duplicate {
        /// The path of the other parameter in the arguments.
        other: Path,
    },
    /// The `type` of the property is not `string`, `integer` or `boolean`.
    NotPrimitive,
    /// The marked schema is not a property that is reached through `properties` alone.
    Unreachable,
    /// The names of the properties on the path to the parameter have more than 512 bytes.
    TooDeep,
}

impl fmt::Display for HeaderParamReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotText => f.write_str("the name of a header must be a string"),
            Self::Empty => f.write_str("the name of a header must not be empty"),
            Self::NotToken { name } => {
                write!(f, "\"{name}\" is not allowed in the name of a header")
            }
            Self::Duplicate { other } => write!(f, "the parameter {other} has the same header"),
            Self::NotPrimitive => {
                f.write_str("a parameter with a header must be of type string, integer or boolean")
            }
            Self::Unreachable => {
                f.write_str("only a property reached through `properties` alone can have a header")
            }
            Self::TooDeep => write!(
                f,
                "the path to a parameter with a header exceeds {LONGEST_WAY} bytes"
            ),
        }
    }
}
