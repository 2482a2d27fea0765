//! [`Writer`]: compact JSON in one line, appended to a buffer.
//!
//! Everything that this crate and those built on it write as text goes this way, so that a
//! program holds the code that writes a type once.

mod line;

use serde::ser::Serialize;
use serde_json::Serializer;
use serde_json::value::RawValue;

use line::Line;

/// Appends values to a buffer as compact JSON without line breaks.
///
/// The text is that of `serde_json`, but for raw values with line breaks in them, which become
/// spaces: with one, what a peer has written could end a line of ours and begin another message.
pub struct Writer<'a>(Serializer<&'a mut Vec<u8>, Line<'a>>);

impl<'a> Writer<'a> {
    /// Appends to a buffer.
    #[must_use]
    pub fn new(buffer: &'a mut Vec<u8>) -> Self {
        Self(Serializer::with_formatter(buffer, Line::new()))
    }

    /// Appends to a buffer, and adds a member to the `_meta` of the outermost object, or a `_meta`
    /// with this member, unless the object has it.
    ///
    /// A `_meta` that is no object, or a raw value, stays as it is.
    #[must_use]
    pub fn with_meta(buffer: &'a mut Vec<u8>, name: &'a str, value: &'a RawValue) -> Self {
        Self(Serializer::with_formatter(
            buffer,
            Line::adding(name, value),
        ))
    }

    /// Appends a value.
    ///
    /// # Errors
    ///
    /// Where the value cannot be written. What was written before the fault stays in the buffer.
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> serde_json::Result<()> {
        // Through a pointer, as `from_str` does it, and for the same reason.
        let write: fn(&T, _) -> _ = T::serialize;
        write(value, &mut self.0)
    }
}

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").finish_non_exhaustive()
    }
}

/// Encodes anything as text, by a [`Writer`].
///
/// # Errors
///
/// Where the value cannot be written.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<String> {
    let mut buffer = Vec::with_capacity(128);
    match Writer::new(&mut buffer).write(value) {
        Ok(()) => text(buffer),
        Err(error) => Err(error),
    }
}

fn text(buffer: Vec<u8>) -> serde_json::Result<String> {
    String::from_utf8(buffer).map_err(serde::ser::Error::custom)
}

/// Encodes anything as text that can stand in other values, by a [`Writer`].
///
/// # Errors
///
/// As [`to_string`].
pub fn to_raw<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string(to_string(value)?)
}
