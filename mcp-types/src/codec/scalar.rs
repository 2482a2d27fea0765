//! Constants that are not strings, and [`Null`].

use super::super::error::DecodeError;
use super::super::json;
use super::{Decode, Number, Text, Value};
use serde::ser::{Serialize, Serializer};
use std::fmt;

/// A constant that is not a string.
pub trait Constant: fmt::Display {
    /// Returns `true` if a value equals the constant. `1.0` equals the integer 1.
    fn is(&self, value: &Value) -> bool;
}

impl Constant for i64 {
    fn is(&self, value: &Value) -> bool {
        value.as_number().and_then(Number::to_i64) == Some(*self)
    }
}

impl Constant for bool {
    fn is(&self, value: &Value) -> bool {
        value.as_bool() == Some(*self)
    }
}

impl Constant for Null {
    fn is(&self, value: &Value) -> bool {
        value.is_null()
    }
}

/// The value `null`, of a type that has no other one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Null;

impl fmt::Display for Null {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null")
    }
}

impl Serialize for Null {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl Decode for Null {
    fn vacant() -> Self {
        Self
    }

    fn decode(&mut self, text: &mut Text<'_>) -> Result<(), DecodeError> {
        text.null()
    }
}

json::deserialize_from_text! { Null }
