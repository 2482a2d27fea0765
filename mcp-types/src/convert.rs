//! Conversions between adjacent revisions, and how they fail.
//!
//! A conversion is `From` where it always works and `TryFrom` where it may not. Upwards, members
//! that only the older revision knows are kept in `extra`; downwards they come back from there.
//! Members that only the newer revision knows are left out on the way down: that is the one
//! documented loss. A member of `extra` that the target declares moves to its field, and is left
//! out if its value is not what the target's schema asks for.

use crate::codec::{Extra, Object, Value};
use crate::error::{DecodeError, excerpt};
use crate::json;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::convert::Infallible;
use std::fmt;

/// Why a value cannot be said in another revision.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ConvertError {
    /// The other revision requires a member that is not there.
    Missing {
        /// The type.
        kind: &'static str,
        /// The member.
        member: &'static str,
    },
    /// The other revision has no such form of a union, or value of an enumeration.
    NoVariant {
        /// The type.
        kind: &'static str,
        /// The form or value.
        variant: String,
        /// The other revision, where it is known.
        revision: &'static str,
    },
    /// A value that one revision leaves open is not what the other one asks for.
    Value(DecodeError),
}

impl ConvertError {
    /// The other revision requires `member` of `kind`.
    #[must_use]
    pub fn missing(kind: &'static str, member: &'static str) -> Self {
        Self::Missing { kind, member }
    }

    /// `kind` of `revision` has no such form or value.
    #[must_use]
    pub fn no_variant(kind: &'static str, variant: &str, revision: &'static str) -> Self {
        Self::NoVariant {
            kind,
            variant: excerpt(variant).into_owned(),
            revision,
        }
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { kind, member } => {
                write!(
                    f,
                    "`{kind}` of the other revision requires the member `{member}`"
                )
            }
            Self::NoVariant {
                kind,
                variant,
                revision,
            } => {
                write!(f, "`{kind}` of revision {revision} has no `{variant}`")
            }
            Self::Value(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConvertError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Value(error) => Some(error),
            _ => None,
        }
    }
}

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

/// Items one by one. A plain loop: `collect` into a `Vec` is several times the code for each pair
/// of types.
#[doc(hidden)]
pub fn each<T, U>(items: Vec<T>, convert: impl Fn(T) -> U) -> Vec<U> {
    let mut converted = Vec::with_capacity(items.len());
    for item in items {
        converted.push(convert(item));
    }
    converted
}

/// Items one by one, where one may fail.
///
/// # Errors
///
/// The first item's.
#[doc(hidden)]
pub fn try_each<T, U, E>(items: Vec<T>, convert: impl Fn(T) -> Result<U, E>) -> Result<Vec<U>, E> {
    let mut converted = Vec::with_capacity(items.len());
    for item in items {
        converted.push(convert(item)?);
    }
    Ok(converted)
}

/// An object where the other revision takes any value.
///
/// # Errors
///
/// When the value is something else.
#[doc(hidden)]
pub fn object(value: Value) -> Result<Object, ConvertError> {
    Ok(json::from_value(value)?)
}

/// A value that one revision describes and the other leaves open.
///
/// # Errors
///
/// When it is not what the other revision asks for.
#[doc(hidden)]
pub fn through_json<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, ConvertError> {
    let text = json::to_string(value).map_err(DecodeError::from)?;
    Ok(json::from_str(&text)?)
}

impl Extra {
    /// Takes a member out and decodes it; `None` if it is not there or is something else.
    pub fn take<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        // Through a pointer, as `from_str` reads, and for the same reason.
        let text: fn(&Value) -> String = Value::to_string;
        json::from_str(&text(&self.remove(name)?)).ok()
    }

    /// Sets a member to the JSON of a value; a value that cannot be written is left out.
    pub fn stash(&mut self, name: &'static str, value: &impl Serialize) {
        // Everything that was decoded can be written.
        if let Ok(value) = json::to_value(value) {
            self.insert(name, value);
        }
    }
}
