//! [`Prepared`]: decoded values of types that are not known at compile time.

use super::Known;
use crate::error::DecodeError;
use crate::json;

/// A decoded value whose type is not known at compile time, for benchmarks.
#[doc(hidden)]
pub trait Prepared {
    /// Decodes a text as the type of the value, and drops the result.
    ///
    /// # Errors
    ///
    /// Returns an error with the path if the text is not valid for the type.
    fn decode(&self, text: &str) -> Result<(), DecodeError>;

    /// Appends the JSON text of the value to a buffer.
    ///
    /// # Errors
    ///
    /// Returns an error if the value cannot be encoded.
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), DecodeError>;
}

pub(super) struct Held<T>(pub(super) T);

impl<T: Known> Prepared for Held<T> {
    fn decode(&self, text: &str) -> Result<(), DecodeError> {
        json::from_str::<T>(text).map(drop)
    }

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), DecodeError> {
        Ok(json::Writer::new(out).write(&self.0)?)
    }
}
