//! [`Value`]: any JSON, and access to its parts.

use super::{Number, Object};

/// Any JSON value.
///
/// Decoding refuses what nests deeper than [`NESTING_LIMIT`](super::NESTING_LIMIT). A value built
/// by hand has no such limit: at tens of thousands of levels, dropping, comparing or writing it
/// exhausts the stack, as with any recursive type.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it was written.
    Number(Number),
    /// A string.
    String(String),
    /// A list of values.
    Array(Vec<Value>),
    /// Members by name, in order.
    Object(Object),
}

impl Value {
    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The truth value, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The number, if it is written as an integer and within range.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The number, if it is written as an integer and within range.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// The number as a float, if it is a number and within range.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The elements to be changed, if it is an array.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The members, if it is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The members to be changed, if it is an object.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The member of that name, if it is an object that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.get(name)
    }

    /// The member of that name to be changed, if it is an object that has it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.as_object_mut()?.get_mut(name)
    }

    /// What a JSON pointer (RFC 6901) points to: `/tools/0/name`; the value itself for the empty
    /// pointer.
    #[inline]
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(object) => object.get(&step),
            Self::Array(elements) => elements.get(index(&step)?),
            _ => None,
        })
    }

    /// What a JSON pointer (RFC 6901) points to, to be changed.
    #[inline]
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Value> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(object) => object.get_mut(&step),
            Self::Array(elements) => elements.get_mut(index(&step)?),
            _ => None,
        })
    }

    /// Takes the value away and leaves `null`.
    #[must_use]
    pub fn take(&mut self) -> Value {
        std::mem::take(self)
    }
}

/// The steps of a JSON pointer, unescaped; `None` unless it is empty or begins with a slash.
#[inline]
fn steps(pointer: &str) -> Option<impl Iterator<Item = String>> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return None;
    }
    Some(
        pointer
            .split('/')
            .skip(1)
            .map(|step| step.replace("~1", "/").replace("~0", "~")),
    )
}

/// An array index, written without sign and leading zeros.
#[inline]
fn index(step: &str) -> Option<usize> {
    let canonical = step == "0" || !step.starts_with(['0', '+']);
    canonical.then(|| step.parse().ok())?
}
