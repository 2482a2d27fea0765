//! [`Value`] and [`Object`]: any JSON value, and access to its parts.

use super::{Map, Number};

/// Any JSON value.
///
/// Decoding rejects values that nest deeper than [`NESTING_LIMIT`](super::NESTING_LIMIT). A value
/// that is built by a program has no such limit: at tens of thousands of levels, dropping,
/// comparing or encoding it exhausts the stack, as with any recursive type.
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

/// A JSON object with members of any type.
pub type Object = Map<Value>;

impl Value {
    /// Returns `true` if the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the boolean, if the value is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number, if the value is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the number, if it is written as an integer and is within range.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// Returns the number, if it is written as an integer and is within range.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// Returns the number as a float, if the value is a number within range.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// Returns the string, if the value is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the elements, if the value is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&Vec<Value>> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// Returns a mutable reference to the elements, if the value is an array.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// Returns the members, if the value is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns a mutable reference to the members, if the value is an object.
    pub fn as_object_mut(&mut self) -> Option<&mut Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the member with the given name, if the value is an object that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object()?.get(name)
    }

    /// Returns a mutable reference to the member with the given name, if the value is an object
    /// that has it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.as_object_mut()?.get_mut(name)
    }

    /// Returns the value at a JSON pointer (RFC 6901) such as `/tools/0/name`. The empty pointer
    /// returns the value itself.
    #[inline]
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Option<&Value> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(object) => object.get(&step),
            Self::Array(elements) => elements.get(index(&step)?),
            _ => None,
        })
    }

    /// Returns a mutable reference to the value at a JSON pointer (RFC 6901).
    #[inline]
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Value> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(object) => object.get_mut(&step),
            Self::Array(elements) => elements.get_mut(index(&step)?),
            _ => None,
        })
    }

    /// Writes all numbers in the value that are integers as such: `30.0` and `3e1` become `30`, and
    /// `-0.0` becomes `0`.
    ///
    /// JSON Schema counts these numbers as integers, but the integer types of Rust, and
    /// [`as_i64`](Self::as_i64), reject them. A float deserializes from an integer to the same value.
    /// Numbers with too many zeros for an integer of 128 bits stay as they are.
    pub fn normalize_integers(&mut self) {
        match self {
            Self::Number(number) => number.normalize_integer(),
            Self::Array(elements) => elements.iter_mut().for_each(Self::normalize_integers),
            Self::Object(members) => members.normalize_integers(),
            Self::Null | Self::Bool(_) | Self::String(_) => {}
        }
    }

    /// Returns the value and leaves `null` in its place.
    #[must_use]
    pub fn take(&mut self) -> Value {
        std::mem::take(self)
    }
}

impl Object {
    /// Writes all numbers in the members that are integers as such, see
    /// [`Value::normalize_integers`].
    pub fn normalize_integers(&mut self) {
        for (_, value) in self.iter_mut() {
            value.normalize_integers();
        }
    }
}

/// Returns the unescaped steps of a JSON pointer, or `None` unless the pointer is empty or starts
/// with a slash.
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

/// Parses an array index, which must have no sign and no leading zeros.
#[inline]
fn index(step: &str) -> Option<usize> {
    let canonical = step == "0" || !step.starts_with(['0', '+']);
    canonical.then(|| step.parse().ok())?
}
