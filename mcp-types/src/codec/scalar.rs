//! Constants that are not strings.

use super::{Number, Value};
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
