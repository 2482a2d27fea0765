//! Functions that make the value of a field of a parameter, by name for the tables of generated
//! files.

use super::super::json::from_str;
use super::Decode;

/// The value of a field that a constructor sets to a value without a literal. The generator has
/// checked that the text is one.
#[inline]
#[must_use]
pub fn decoded<T: Decode + serde::de::DeserializeOwned>(text: &str) -> T {
    from_str(text).unwrap_or_else(|_| T::vacant())
}

/// The value of a required field.
#[inline]
pub fn value<T>(parameter: impl Into<T>) -> T {
    parameter.into()
}

/// The value of a required field in a box.
#[inline]
pub fn boxed<T>(parameter: impl Into<T>) -> Box<T> {
    Box::new(parameter.into())
}

/// The value of a required field that may be `null`, in a box.
#[inline]
pub fn nullable_boxed<T>(parameter: Option<T>) -> Option<Box<T>> {
    parameter.map(Box::new)
}

/// The value of an optional field.
#[inline]
pub fn some<T>(parameter: impl Into<T>) -> Option<T> {
    Some(parameter.into())
}

/// The value of an optional field in a box.
#[inline]
pub fn some_boxed<T>(parameter: impl Into<T>) -> Option<Box<T>> {
    Some(Box::new(parameter.into()))
}

/// The value of an optional field that may be `null`, in a box.
#[inline]
pub fn some_nullable_boxed<T>(parameter: Option<T>) -> Option<Option<Box<T>>> {
    Some(parameter.map(Box::new))
}
