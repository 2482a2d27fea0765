//! Decisions that the generator made by itself, for people to read.

use crate::schema::Warning;
use std::fmt;

/// A decision of the generator about something that the hints do not mention.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Note {
    /// An inline type that differs from the others with the name from the hints got another name.
    Named {
        /// JSON pointer below the definitions.
        pointer: String,
        /// Its name.
        name: String,
        /// The name that the hints, or another type, have for it.
        hinted: String,
    },
    /// A variant of a union, or a value of an enumeration, whose name another one has already.
    Variant {
        /// The name of the type.
        owner: String,
        /// The name that both would have.
        wanted: String,
        /// The name of the variant.
        name: String,
    },
    /// A request whose result type the schema does not tell.
    Unanswered {
        /// The name of the request.
        request: String,
        /// The type that is used for its result; `None` for any object.
        result: Option<String>,
    },
    /// Two requests, or two notifications, with one method. Only the first is found by it.
    SameMethod {
        /// The method.
        method: String,
        /// The names of the messages.
        names: [String; 2],
    },
    /// Something in the schema that its type does not check.
    Schema(Warning),
    /// A member that accepts any value, because each value of its type would contain another one.
    Infinite {
        /// The type and the member.
        place: String,
    },
    /// A required member that the struct keeps out of its constructor, because the revision before
    /// does not require it.
    KeptForm {
        /// The type and the member.
        place: String,
    },
    /// A union that is one of its own variants, directly or through other unions. It has the variants
    /// inside instead.
    ListsItself {
        /// The name of the union.
        name: String,
    },
    /// A list or a map that contains itself, and accepts any value inside.
    Circular {
        /// The name of the type.
        name: String,
    },
}

impl Note {
    /// Returns `true` if the generated code does not do all that the schema says.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::SameMethod { .. }
                | Self::Schema(_)
                | Self::Infinite { .. }
                | Self::Circular { .. }
        )
    }
}

impl fmt::Display for Note {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named {
                pointer,
                name,
                hinted,
            } => write!(
                out,
                "the inline type at `{pointer}` is named `{name}`: it differs from `{hinted}`"
            ),
            Self::Variant {
                owner,
                wanted,
                name,
            } => write!(
                out,
                "a variant of `{owner}` is named `{name}`: another one is named `{wanted}`"
            ),
            Self::Unanswered { request, result } => {
                let result = result.as_deref().unwrap_or("any object");
                write!(
                    out,
                    "the schema does not tell what answers `{request}`; {result} is used \
                     (`messages.results` in the hints)"
                )
            }
            Self::SameMethod {
                method,
                names: [one, other],
            } => write!(out, "`{one}` and `{other}` have the same method `{method}`"),
            Self::Schema(warning) => warning.fmt(out),
            Self::Infinite { place } => write!(
                out,
                "`{place}` accepts any value: each value that the schema allows would contain \
                 another one, without end"
            ),
            Self::KeptForm { place } => write!(
                out,
                "`{place}` is required now, but programs need not set it: an empty value is sent then. List it in \
                 `follow` of the hints to make it a parameter of the constructor"
            ),
            Self::ListsItself { name } => write!(
                out,
                "`{name}` is an alternative of itself, which accepts nothing more: it is left out there"
            ),
            Self::Circular { name } => write!(
                out,
                "`{name}` accepts any value inside: it is a list or a map of itself"
            ),
        }
    }
}
