//! [`Decode`]: the trait through which the types of this crate are decoded from JSON text.

use super::{Result, Text};

/// A type that is decoded from JSON text.
///
/// A value is decoded in place: it starts as [`vacant`](Self::vacant), and a struct replaces its fields
/// one by one, so that large values are not moved. `Deserialize` of these types is
/// [`deserialize`](super::super::deserialize), which decodes from the text of the value.
pub trait Decode: Sized {
    /// Creates the value before it is decoded. Every required part of it is replaced, or decoding fails.
    fn vacant() -> Self;

    /// Decodes the next value of a text. `self` is [`vacant`](Self::vacant) before. After an error, it may be
    /// decoded in part.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not JSON or the value is not valid for the type. The path of the
    /// error begins at the value.
    fn decode(&mut self, text: &mut Text<'_>) -> Result<()>;
}

/// Decodes the next value of a text and returns it.
///
/// # Errors
///
/// Returns the same errors as [`Decode::decode`].
#[inline]
pub fn read<T: Decode>(text: &mut Text<'_>) -> Result<T> {
    // Decoded where it is returned, so that a large value is not moved.
    let mut result = Ok(T::vacant());
    if let Ok(place) = &mut result
        && let Err(error) = place.decode(text)
    {
        result = Err(error);
    }
    result
}
