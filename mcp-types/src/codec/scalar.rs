//! Integers and constants, which JSON writes in several ways: `1.0` equals 1.

use super::super::error::excerpt;
use super::{Number, Value};
use serde::de::{Error, SeqAccess};
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

/// Converts a number to an integer. `1.0` is converted to 1.
pub fn integer<E: Error>(number: &Number) -> Result<i64, E> {
    number.to_i64().ok_or_else(|| {
        let digits = number.to_string();
        let digits = excerpt(&digits);
        if number.is_integer() {
            E::custom(format_args!(
                "the integer {digits} does not fit into 64 bits"
            ))
        } else {
            E::custom(format_args!(
                "invalid value: `{digits}`, expected an integer"
            ))
        }
    })
}

/// Decodes the elements of an array of integers. `1.0` is converted to 1.
pub fn integers<'de, A: SeqAccess<'de>>(mut items: A) -> Result<Vec<i64>, A::Error> {
    let mut all = Vec::new();
    while let Some(number) = items.next_element::<Number>()? {
        all.push(integer(&number)?);
    }
    Ok(all)
}

/// An error that has a message only; the path is added by the caller.
#[derive(Debug)]
pub(super) struct Message(pub(super) String);

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Message {}

impl Error for Message {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}
